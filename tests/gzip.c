/* gzip: round trips, and every way in which a stream can be wrong. */
#include "base/gzip.h"

#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define N_BYTES 3000
#define MAX_GZ 4000

static uint8_t plain[N_BYTES];
static uint8_t gz[MAX_GZ];
static size_t gz_bytes;
static void *deflate_block;
static void *gunzip_block;
static gd_gunzip *gunzip;

static gd_status compress(const uint8_t *bytes, size_t n, uint8_t *out, size_t out_bytes,
                          size_t *n_out) {
  gd_arena arena;
  gd_arena_init(&arena, deflate_block, GD_GZIP_DEFLATE_MEMORY);
  return gd_gzip_deflate(&arena, bytes, n, out, out_bytes, n_out);
}

/* Half noise, half runs: literals and matches, several kinds of codes. */
static int set_up(void **state) {
  (void)state;
  uint64_t random = 20260909;
  gd_arena arena;
  for (unsigned i = 0; i < N_BYTES; i++) {
    plain[i] = i % 200 < 100 ? (uint8_t)support_below(&random, 256) : (uint8_t)(i / 400);
  }
  deflate_block = support_block(GD_GZIP_DEFLATE_MEMORY);
  gd_arena_init_measuring(&arena);
  if (gd_gunzip_take(&arena, &gunzip) != GD_OK || gunzip != NULL) {
    return -1;
  }
  size_t bytes = arena.used;
  gunzip_block = support_block(bytes);
  gd_arena_init(&arena, gunzip_block, bytes);
  if (gd_gunzip_take(&arena, &gunzip) != GD_OK) {
    return -1;
  }
  return compress(plain, N_BYTES, gz, sizeof gz, &gz_bytes) == GD_OK ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  free(deflate_block);
  free(gunzip_block);
  return 0;
}

/* Feeds in pieces into a block of exactly room_bytes; the first fault, or that of the end. */
static gd_status decompress(const uint8_t *bytes, size_t n, size_t piece, uint8_t *room,
                            size_t room_bytes, gd_report *report) {
  gd_gunzip_start(gunzip, room, room_bytes);
  for (size_t at = 0; at < n; at += piece) {
    size_t n_now = n - at < piece ? n - at : piece;
    uint8_t *copy = support_exact(bytes + at, n_now);
    gd_status status = gd_gunzip_feed(gunzip, copy, n_now, report);
    free(copy);
    if (status != GD_OK) {
      return status;
    }
  }
  return gd_gunzip_finish(gunzip, report);
}

static void round_trips_in_any_pieces(void **state) {
  (void)state;
  for (size_t piece = 1; piece <= gz_bytes; piece += piece < 40 ? 1 : 97) {
    uint8_t *room = support_exact(NULL, N_BYTES);
    assert_int_equal(decompress(gz, gz_bytes, piece, room, N_BYTES, NULL), GD_OK);
    assert_int_equal(gd_gunzip_n_written(gunzip), N_BYTES);
    assert_memory_equal(room, plain, N_BYTES);
    free(room);
  }
}

static void round_trips_at_every_length(void **state) {
  (void)state;
  uint8_t out[1000];
  for (size_t n = 0; n <= 300; n++) {
    size_t n_out = 0;
    uint8_t *room = support_exact(NULL, n);
    assert_true(gd_gzip_bound(n) <= sizeof out);
    assert_int_equal(compress(plain, n, out, gd_gzip_bound(n), &n_out), GD_OK);
    assert_int_equal(decompress(out, n_out, n_out, room, n, NULL), GD_OK);
    assert_memory_equal(room, plain, n);
    free(room);
  }
}

/* Noise does not shrink: the bound must hold for it. */
static void keeps_its_bound(void **state) {
  (void)state;
  uint64_t random = support_seed("keeps_its_bound", 1);
  size_t n = 300000;
  size_t n_out = 0;
  uint8_t *noise = support_exact(NULL, n);
  uint8_t *out = support_exact(NULL, gd_gzip_bound(n));
  for (size_t i = 0; i < n; i++) {
    noise[i] = (uint8_t)support_random(&random);
  }
  assert_int_equal(compress(noise, n, out, gd_gzip_bound(n), &n_out), GD_OK);
  assert_true(n_out > n);
  free(noise);
  free(out);
}

/* RFC 1952, section 2.3: no name, time 0, best compression, unknown system. */
static void writes_the_plainest_header(void **state) {
  (void)state;
  static const uint8_t header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255};
  assert_memory_equal(gz, header, sizeof header);
}

static void refuses_too_little_room(void **state) {
  (void)state;
  for (size_t room = 0; room < gz_bytes; room += 101) {
    uint8_t *out = support_exact(NULL, room);
    size_t n_out = 0;
    assert_int_equal(compress(plain, N_BYTES, out, room, &n_out), GD_TOO_LONG);
    free(out);
  }
}

static void says_when_memory_is_short(void **state) {
  (void)state;
  gd_arena arena;
  size_t n_out = 0;
  uint8_t out[64];
  gd_gunzip *none = NULL;
  gd_arena_init(&arena, deflate_block, GD_GZIP_DEFLATE_MEMORY / 2);
  assert_int_equal(gd_gzip_deflate(&arena, plain, 10, out, sizeof out, &n_out), GD_OUT_OF_MEMORY);
  gd_arena_init(&arena, deflate_block, 1000);
  assert_int_equal(gd_gunzip_take(&arena, &none), GD_OUT_OF_MEMORY);
  assert_null(none);
}

static void finds_every_truncation(void **state) {
  (void)state;
  for (size_t n = 0; n < gz_bytes; n++) {
    gd_report report;
    uint8_t *room = support_exact(NULL, N_BYTES);
    assert_int_equal(decompress(gz, n, 64, room, N_BYTES, &report), GD_GZIP_TRUNCATED);
    assert_int_equal(report.status, GD_GZIP_TRUNCATED);
    assert_int_equal(report.offset, n);
    assert_string_equal(report.expected, "more bytes");
    free(room);
  }
}

/* After the end nothing may come, not even another gzip member. */
static void refuses_what_follows(void **state) {
  (void)state;
  uint8_t longer[2 * MAX_GZ];
  uint8_t *room = support_exact(NULL, N_BYTES);
  memcpy(longer, gz, gz_bytes);
  memcpy(longer + gz_bytes, gz, gz_bytes);
  for (size_t piece = 1; piece <= 2 * gz_bytes; piece += 501) {
    gd_report report;
    assert_int_equal(decompress(longer, 2 * gz_bytes, piece, room, N_BYTES, &report),
                     GD_GZIP_TRAILING);
    assert_int_equal(report.offset, gz_bytes);
    assert_memory_equal(room, plain, N_BYTES);
  }
  free(room);
}

/* The room is of exactly its size, so a sanitizer would see a byte behind it. */
static void stops_when_the_room_is_full(void **state) {
  (void)state;
  for (size_t n = 0; n < N_BYTES; n += 7) {
    gd_report report;
    uint8_t *room = support_exact(NULL, n);
    assert_int_equal(decompress(gz, gz_bytes, 1 + n % 50, room, n, &report), GD_TOO_LONG);
    assert_int_equal(gd_gunzip_n_written(gunzip), n);
    assert_memory_equal(room, plain, n);
    free(room);
  }
}

/* Where a bit may differ though the data are the same: the text flag, the time, the compressor's
 * flags, the system (RFC 1952, section 2.3), and what fills the last byte of the codes. */
static int says_nothing(size_t bit) {
  size_t byte = bit / 8;
  return bit == 8 * 3 || (byte >= 4 && byte < 10) || byte == gz_bytes - 9;
}

static void finds_flipped_bits(void **state) {
  (void)state;
  uint8_t damaged[MAX_GZ];
  uint8_t *room = support_exact(NULL, N_BYTES);
  for (size_t bit = 0; bit < 8 * gz_bytes; bit++) {
    gd_report report;
    memcpy(damaged, gz, gz_bytes);
    damaged[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    gd_status status = decompress(damaged, gz_bytes, gz_bytes, room, N_BYTES, &report);
    if (status == GD_OK) {
      assert_true(says_nothing(bit));
      assert_memory_equal(room, plain, N_BYTES);
    } else {
      assert_int_equal(report.status, status);
    }
  }
  free(room);
}

static void repeats_a_fault(void **state) {
  (void)state;
  uint8_t room[N_BYTES];
  gd_report report;
  gd_gunzip_start(gunzip, room, sizeof room);
  assert_int_equal(gd_gunzip_feed(gunzip, (const uint8_t *)"GDMNIST1", 8, &report),
                   GD_GZIP_CORRUPT);
  assert_string_equal(report.expected, "a gzip stream (RFC 1952)");
  assert_string_equal(report.found, "incorrect header check");
  assert_int_equal(gd_gunzip_feed(gunzip, gz, gz_bytes, NULL), GD_GZIP_CORRUPT);
  assert_int_equal(gd_gunzip_feed(gunzip, gz, 0, NULL), GD_GZIP_CORRUPT);
  assert_int_equal(gd_gunzip_finish(gunzip, NULL), GD_GZIP_CORRUPT);
  /* And starts anew. */
  assert_int_equal(decompress(gz, gz_bytes, gz_bytes, room, sizeof room, NULL), GD_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trips_in_any_pieces),
      cmocka_unit_test(round_trips_at_every_length),
      cmocka_unit_test(keeps_its_bound),
      cmocka_unit_test(writes_the_plainest_header),
      cmocka_unit_test(refuses_too_little_room),
      cmocka_unit_test(says_when_memory_is_short),
      cmocka_unit_test(finds_every_truncation),
      cmocka_unit_test(refuses_what_follows),
      cmocka_unit_test(stops_when_the_room_is_full),
      cmocka_unit_test(finds_flipped_bits),
      cmocka_unit_test(repeats_a_fault),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
