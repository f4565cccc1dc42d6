/* GDMNIST1: every fault has its own status, and says where it is, what was expected, what was
 * found. */
#include "dataset/split.h"

#include "sample.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define N_CHECKS 18

static sample good;

static int set_up(void **state) {
  (void)state;
  sample_make(&good, 1, 5);
  sample_compress(&good);
  return 0;
}

static const gd_check *find_check(const gd_split *split, const char *name) {
  for (uint32_t i = 0; i < split->checks.n_checks; i++) {
    if (strcmp(split->checks.checks[i].name, name) == 0) {
      return &split->checks.checks[i];
    }
  }
  fail_msg("no check is called %s", name);
  return NULL;
}

static void assert_report(const gd_report *report, gd_status status, const char *subject,
                          uint64_t offset, const char *expected, const char *found) {
  assert_string_equal(gd_status_name(report->status), gd_status_name(status));
  assert_string_equal(report->subject, subject);
  assert_int_equal(report->offset, offset);
  assert_string_equal(report->expected, expected);
  assert_string_equal(report->found, found);
}

static void lays_files_out(void **state) {
  (void)state;
  gd_layout layout;
  assert_int_equal(gd_layout_of(10000, &layout), GD_OK);
  assert_int_equal(layout.label_offset, 7840032);
  assert_int_equal(layout.padding_offset, 7850032);
  assert_int_equal(layout.index_offset, 7850032);
  assert_int_equal(layout.bytes, 7890032);
  for (uint32_t n = 0; n < 9; n++) {
    assert_int_equal(gd_layout_of(n, &layout), GD_OK);
    assert_int_equal(layout.index_offset % 4, 0);
    assert_true(layout.index_offset - layout.padding_offset < 4);
    assert_int_equal(layout.bytes, layout.index_offset + 4 * n);
  }
}

static uint64_t file_bytes(uint64_t n_images) {
  return (32 + 785 * n_images + 3) / 4 * 4 + 4 * n_images;
}

/* The largest count whose file fits into 32-bit offsets, and all above. */
static void finds_overflows(void **state) {
  (void)state;
  gd_layout layout = {.bytes = 7};
  uint32_t most = UINT32_MAX / 789;
  while (file_bytes(most) > UINT32_MAX) {
    most--;
  }
  assert_int_equal(gd_layout_of(most, &layout), GD_OK);
  assert_int_equal(layout.bytes, file_bytes(most));
  layout.bytes = 7;
  for (uint64_t n = (uint64_t)most + 1; n <= UINT32_MAX; n = n * 3 / 2) {
    assert_int_equal(gd_layout_of((uint32_t)n, &layout), GD_SIZE_OVERFLOW);
    assert_int_equal(layout.bytes, 7);
  }
  assert_int_equal(gd_layout_of(UINT32_MAX, &layout), GD_SIZE_OVERFLOW);
}

static void accepts_a_good_file(void **state) {
  (void)state;
  gd_report report;
  gd_split *split = sample_open(&good.expectation);
  assert_int_equal(sample_load(split, &good, &report), GD_OK);
  assert_int_equal(split->state, GD_SPLIT_VERIFIED);
  assert_int_equal(split->checks.n_checks, N_CHECKS);
  for (uint32_t i = 0; i < N_CHECKS; i++) {
    const gd_check *check = &split->checks.checks[i];
    assert_int_equal(check->state, i < 3 ? GD_CHECK_NOT_NEEDED : GD_CHECK_PASSED);
    assert_int_equal(check->report.offset, GD_NO_OFFSET);
    assert_string_not_equal(check->report.found, "");
  }
  assert_ptr_equal(gd_split_pixels(split), split->bytes + 32);
  assert_int_equal(gd_split_labels(split)[17], 7);
  assert_int_equal(gd_split_index(split, 17), 5 + 7 * 17);
  assert_string_equal(find_check(split, "class counts")->report.found, "3 3 3 3 3 3 3 3 3 3");
  sample_close(split);
}

static void takes_any_pieces(void **state) {
  (void)state;
  for (uint32_t piece = 1; piece <= SAMPLE_BYTES; piece = piece * 5 / 2 + 1) {
    gd_split *split = sample_open(&good.expectation);
    for (uint32_t at = 0; at < SAMPLE_BYTES; at += piece) {
      uint32_t n = SAMPLE_BYTES - at < piece ? SAMPLE_BYTES - at : piece;
      assert_int_equal(sample_append(split, good.bytes + at, n, NULL), GD_OK);
    }
    assert_int_equal(gd_split_finish(split, false, NULL), GD_OK);
    sample_close(split);
  }
}

/* A change to the good file, and the fault that it must give. With `rehash` the expected digests
 * fit the changed file, so that the fault itself is found and not the digest's difference. */
typedef struct change {
  uint32_t at;
  uint8_t n;
  uint8_t bytes[8];
  int rehash;
  gd_status status;
  const char *check;
  uint64_t offset;
  const char *expected;
  const char *found;
} change;

static const change changes[] = {
    {0, 8, "GDMNIST2", 1, GD_WRONG_MAGIC, "magic", 0, "\"GDMNIST1\"", "\"GDMNIST2\""},
    {0,
     4,
     {0x1f, 0x8b, 8, 0},
     1,
     GD_WRONG_MAGIC,
     "magic",
     0,
     "\"GDMNIST1\"",
     "\"\\x1f\\x8b\\x08\\x00IST1\""},
    {8, 4, {29}, 1, GD_WRONG_COUNT, "image count", 8, "30", "29"},
    {8, 4, {255, 255, 255, 255}, 1, GD_WRONG_COUNT, "image count", 8, "30", "4294967295"},
    {12, 4, {27}, 1, GD_WRONG_DIMENSIONS, "dimensions", 12, "28 x 28", "27 x 28"},
    {16, 4, {0, 1}, 1, GD_WRONG_DIMENSIONS, "dimensions", 16, "28 x 28", "28 x 256"},
    {20, 4, {36}, 1, GD_WRONG_PIXEL_OFFSET, "pixel offset", 20, "32", "36"},
    {24, 4, {0}, 1, GD_WRONG_LABEL_OFFSET, "label offset", 24, "23552", "0"},
    {28,
     4,
     {255, 255, 255, 255},
     1,
     GD_WRONG_INDEX_OFFSET,
     "index offset",
     28,
     "23584",
     "4294967295"},
    {SAMPLE_PADDING_AT + 1,
     1,
     {9},
     1,
     GD_PADDING_NOT_ZERO,
     "padding",
     SAMPLE_PADDING_AT + 1,
     "0",
     "9"},
    {SAMPLE_LABELS_AT + 12,
     1,
     {10},
     1,
     GD_LABEL_OUT_OF_RANGE,
     "labels",
     SAMPLE_LABELS_AT + 12,
     "0 to 9",
     "10 for image 12"},
    {SAMPLE_LABELS_AT + 12,
     1,
     {3},
     1,
     GD_WRONG_CLASS_COUNTS,
     "class counts",
     SAMPLE_LABELS_AT,
     "3 3 3 3 3 3 3 3 3 3",
     "3 3 2 4 3 3 3 3 3 3"},
    {SAMPLE_LABELS_AT + 12,
     2,
     {3, 2},
     1,
     GD_NOT_INTERLEAVED,
     "digit order",
     SAMPLE_LABELS_AT + 12,
     "2 for image 12",
     "3"},
    {SAMPLE_INDICES_AT + 16,
     4,
     {0xe8, 3},
     1,
     GD_INDEX_OUT_OF_RANGE,
     "index range",
     SAMPLE_INDICES_AT + 16,
     "below 1000",
     "1000 for image 4"},
    {SAMPLE_INDICES_AT + 16,
     4,
     {255, 255, 255, 255},
     1,
     GD_INDEX_OUT_OF_RANGE,
     "index range",
     SAMPLE_INDICES_AT + 16,
     "below 1000",
     "4294967295 for image 4"},
    {SAMPLE_INDICES_AT + 16,
     4,
     {12},
     1,
     GD_INDEX_REPEATED,
     "index uniqueness",
     SAMPLE_INDICES_AT + 16,
     "each index once",
     "12 again for image 4"},
    {100, 1, {0}, 0, GD_WRONG_DIGEST, "SHA-256", GD_NO_OFFSET, NULL, NULL},
};

static void gives_each_fault_its_status(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    const change *made = &changes[i];
    sample bad = good;
    gd_report report;
    memcpy(bad.bytes + made->at, made->bytes, made->n);
    if (made->rehash) {
      sample_rehash(&bad);
    }
    gd_split *split = sample_open(&bad.expectation);
    assert_int_equal(sample_load(split, &bad, &report), made->status);
    assert_int_equal(split->state, GD_SPLIT_REFUSED);
    assert_int_equal(find_check(split, made->check)->state, GD_CHECK_FAILED);
    assert_report(&report, made->status, made->check, made->offset,
                  made->expected == NULL ? report.expected : made->expected,
                  made->found == NULL ? report.found : made->found);
    sample_close(split);
  }
}

static void tells_digests_apart(void **state) {
  (void)state;
  static const char *const first_sixteen = "0000000000000000";
  sample bad = good;
  gd_report report;
  memset(bad.expectation.sha256, 0, 32);
  gd_split *split = sample_open(&bad.expectation);
  assert_int_equal(sample_load(split, &bad, &report), GD_WRONG_DIGEST);
  assert_memory_equal(report.expected, first_sixteen, 16);
  assert_string_equal(report.found, find_check(split, "SHA-256")->report.found);
  /* All else is checked all the same. */
  assert_int_equal(find_check(split, "index SHA-256")->state, GD_CHECK_PASSED);
  sample_close(split);

  bad = good;
  bad.expectation.index_sha256[31] ^= 1;
  split = sample_open(&bad.expectation);
  assert_int_equal(sample_load(split, &bad, &report), GD_WRONG_INDEX_DIGEST);
  assert_int_equal(report.offset, SAMPLE_INDICES_AT);
  sample_close(split);
}

static void finds_missing_bytes(void **state) {
  (void)state;
  for (uint32_t n = 0; n < SAMPLE_BYTES; n += n < 64 ? 1 : 997) {
    gd_report report;
    gd_split *split = sample_open(&good.expectation);
    assert_int_equal(sample_append(split, good.bytes, n, &report), GD_OK);
    assert_int_equal(gd_split_finish(split, false, &report), GD_WRONG_SIZE);
    assert_int_equal(report.offset, n);
    assert_int_equal(split->checks.n_checks, N_CHECKS);
    assert_int_equal(find_check(split, "magic")->state, GD_CHECK_NOT_MADE);
    assert_int_equal(find_check(split, "index SHA-256")->state, GD_CHECK_NOT_MADE);
    sample_close(split);
  }
}

static void stops_at_the_first_byte_too_many(void **state) {
  (void)state;
  gd_report report;
  uint32_t room_bytes = 7;
  gd_split *split = sample_open(&good.expectation);
  assert_int_equal(sample_append(split, good.bytes, SAMPLE_BYTES, &report), GD_OK);
  assert_int_equal(sample_append(split, good.bytes, 0, &report), GD_OK);
  assert_int_equal(sample_append(split, good.bytes, 1, &report), GD_TOO_LONG);
  assert_report(&report, GD_TOO_LONG, "size", SAMPLE_BYTES, "23704", "23705");
  assert_int_equal(gd_checklist_first_fault(&split->checks)->report.status, GD_TOO_LONG);
  gd_split_room(split, &room_bytes);
  assert_int_equal(room_bytes, 0);
  assert_int_equal(sample_append(split, good.bytes, 0, &report), GD_WRONG_STATE);
  assert_int_equal(gd_split_gzip_hash(split, good.gz, 0, &report), GD_WRONG_STATE);
  assert_int_equal(gd_split_inflate(split, good.gz, 0, &report), GD_WRONG_STATE);
  assert_int_equal(gd_split_finish(split, false, &report), GD_WRONG_STATE);
  sample_close(split);
  split = sample_open(&good.expectation);
  assert_int_equal(sample_append(split, good.bytes, UINT32_MAX, &report), GD_TOO_LONG);
  sample_close(split);
}

/* Compressed bytes pass by and are inflated, in pieces; then the end. */
static gd_status load_gzip(gd_split *split, const uint8_t *gz, uint32_t n, uint32_t piece,
                           gd_report *report) {
  for (uint32_t at = 0; at < n; at += piece) {
    uint32_t n_now = n - at < piece ? n - at : piece;
    gd_status status = gd_split_gzip_hash(split, gz + at, n_now, report);
    if (status != GD_OK) {
      return status;
    }
    if (gd_split_inflate(split, gz + at, n_now, report) == GD_TOO_LONG) {
      return GD_TOO_LONG;
    }
  }
  return gd_split_finish(split, true, report);
}

static void inflates(void **state) {
  (void)state;
  for (uint32_t piece = 1; piece < 40000; piece = piece * 7 + 1) {
    gd_split *split = sample_open(&good.expectation);
    assert_int_equal(load_gzip(split, good.gz, good.expectation.gz_bytes, piece, NULL), GD_OK);
    assert_memory_equal(split->bytes, good.bytes, SAMPLE_BYTES);
    for (uint32_t i = 0; i < N_CHECKS; i++) {
      assert_int_equal(split->checks.checks[i].state, GD_CHECK_PASSED);
    }
    sample_close(split);
  }
}

/* Decompressed by someone else, the compressed bytes are hashed all the same. */
static void checks_gzip_that_only_passed_by(void **state) {
  (void)state;
  gd_report report;
  gd_split *split = sample_open(&good.expectation);
  gd_split_gzip_hash(split, good.gz, good.expectation.gz_bytes, NULL);
  sample_append(split, good.bytes, SAMPLE_BYTES, NULL);
  assert_int_equal(gd_split_finish(split, true, &report), GD_OK);
  assert_int_equal(find_check(split, "gzip SHA-256")->state, GD_CHECK_PASSED);
  assert_int_equal(find_check(split, "gzip stream")->state, GD_CHECK_NOT_NEEDED);
  sample_close(split);

  split = sample_open(&good.expectation);
  gd_split_gzip_hash(split, good.gz, good.expectation.gz_bytes - 1, NULL);
  sample_append(split, good.bytes, SAMPLE_BYTES, NULL);
  assert_int_equal(gd_split_finish(split, true, &report), GD_WRONG_GZIP_SIZE);
  assert_int_equal(report.offset, good.expectation.gz_bytes - 1);
  sample_close(split);
}

static void finds_gzip_faults(void **state) {
  (void)state;
  gd_report report;
  uint32_t n = good.expectation.gz_bytes;

  /* Damaged: hashed to its end, and then the digest tells. */
  sample bad = good;
  bad.gz[n / 2] ^= 16;
  gd_split *split = sample_open(&bad.expectation);
  assert_int_equal(load_gzip(split, bad.gz, n, 1000, &report), GD_WRONG_GZIP_DIGEST);
  assert_int_equal(find_check(split, "gzip stream")->state, GD_CHECK_FAILED);
  sample_close(split);

  /* Damaged as the manifest knows it. */
  gd_sha256_of(bad.gz, n, bad.expectation.gz_sha256);
  split = sample_open(&bad.expectation);
  assert_int_equal(load_gzip(split, bad.gz, n, 1000, &report), GD_GZIP_CORRUPT);
  sample_close(split);

  /* Cut short as the manifest knows it. */
  bad = good;
  bad.expectation.gz_bytes = n - 3;
  gd_sha256_of(bad.gz, n - 3, bad.expectation.gz_sha256);
  split = sample_open(&bad.expectation);
  assert_int_equal(load_gzip(split, bad.gz, n - 3, 1000, &report), GD_GZIP_TRUNCATED);
  assert_report(&report, GD_GZIP_TRUNCATED, "gzip stream", n - 3, "more bytes",
                "the end of the file");
  sample_close(split);

  /* Something behind it. */
  bad = good;
  bad.expectation.gz_bytes = n + 2;
  gd_sha256_of(bad.gz, n + 2, bad.expectation.gz_sha256);
  split = sample_open(&bad.expectation);
  assert_int_equal(load_gzip(split, bad.gz, n + 2, 1000, &report), GD_GZIP_TRAILING);
  assert_int_equal(report.offset, n);
  sample_close(split);

  /* More than the manifest allows, compressed and decompressed. */
  split = sample_open(&good.expectation);
  assert_int_equal(load_gzip(split, good.gz, n + 1, 1000, &report), GD_TOO_LONG);
  assert_string_equal(report.subject, "gzip size");
  assert_int_equal(report.offset, n);
  sample_close(split);

  sample smaller;
  sample_make(&smaller, 1, 5);
  smaller.expectation.n_images = 10;
  smaller.expectation.bytes = 32 + 785 * 10 + 2 + 40;
  smaller.expectation.gz_bytes = n;
  for (unsigned digit = 0; digit < 10; digit++) {
    smaller.expectation.class_counts[digit] = 1;
  }
  split = sample_open(&smaller.expectation);
  assert_int_equal(load_gzip(split, good.gz, n, 1000, &report), GD_TOO_LONG);
  assert_report(&report, GD_TOO_LONG, "size", 7924, "7924", "7925");
  sample_close(split);
}

static void keeps_the_two_routes_apart(void **state) {
  (void)state;
  gd_report report;
  gd_split *split = sample_open(&good.expectation);
  assert_int_equal(sample_append(split, good.bytes, 9, NULL), GD_OK);
  assert_int_equal(gd_split_inflate(split, good.gz, 9, &report), GD_WRONG_STATE);
  sample_close(split);
  split = sample_open(&good.expectation);
  assert_int_equal(gd_split_inflate(split, good.gz, 9, NULL), GD_OK);
  assert_int_equal(sample_append(split, good.bytes, 9, &report), GD_WRONG_STATE);
  assert_report(&report, GD_WRONG_STATE, "sample", GD_NO_OFFSET,
                "a split that is loading, uncompressed", "a split that is loading");
  sample_close(split);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lays_files_out),
      cmocka_unit_test(finds_overflows),
      cmocka_unit_test(accepts_a_good_file),
      cmocka_unit_test(takes_any_pieces),
      cmocka_unit_test(gives_each_fault_its_status),
      cmocka_unit_test(tells_digests_apart),
      cmocka_unit_test(finds_missing_bytes),
      cmocka_unit_test(stops_at_the_first_byte_too_many),
      cmocka_unit_test(inflates),
      cmocka_unit_test(checks_gzip_that_only_passed_by),
      cmocka_unit_test(finds_gzip_faults),
      cmocka_unit_test(keeps_the_two_routes_apart),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
