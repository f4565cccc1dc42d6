/* Decompression: the same bytes, the same end and the same fault in one piece and in many. */
#include "base/gzip.h"

#include "fuzz.h"

#include <string.h>

enum { ROOM_BYTES = 4096 };

typedef struct outcome {
  gd_status fed, finished;
  size_t n_written;
  uint8_t *room; /* of exactly ROOM_BYTES, so that a sanitizer sees a byte too far */
} outcome;

static outcome inflate_in_pieces(gd_gunzip *gunzip, const uint8_t *bytes, size_t n, size_t piece) {
  outcome out = {GD_OK, GD_OK, 0, calloc(1, ROOM_BYTES)};
  gd_report report;
  MUST(out.room != NULL);
  gd_gunzip_start(gunzip, out.room, ROOM_BYTES);
  for (size_t at = 0; at < n && out.fed == GD_OK; at += piece) {
    out.fed = gd_gunzip_feed(gunzip, bytes + at, piece < n - at ? piece : n - at, &report);
  }
  out.finished = gd_gunzip_finish(gunzip, &report);
  out.n_written = gd_gunzip_n_written(gunzip);
  MUST(out.n_written <= ROOM_BYTES);
  MUST(out.fed == GD_OK || out.finished == out.fed);
  return out;
}

/* The first byte is the length of a piece. */
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n) {
  gd_arena arena;
  gd_gunzip *gunzip = NULL;
  if (n < 2 || input[0] == 0) {
    return 0;
  }
  gd_arena_init_measuring(&arena);
  MUST(gd_gunzip_take(&arena, &gunzip) == GD_OK);
  const size_t memory = arena.used;
  uint8_t *block = aligned_alloc(GD_ARENA_ALIGNMENT, memory);
  MUST(block != NULL);
  gd_arena_init(&arena, block, memory);
  MUST(gd_gunzip_take(&arena, &gunzip) == GD_OK);
  outcome whole = inflate_in_pieces(gunzip, input + 1, n - 1, n - 1);
  outcome pieces = inflate_in_pieces(gunzip, input + 1, n - 1, input[0]);
  MUST(whole.fed == pieces.fed && whole.finished == pieces.finished);
  MUST(whole.finished != GD_OK || whole.n_written == pieces.n_written);
  MUST(whole.finished != GD_OK || memcmp(whole.room, pieces.room, ROOM_BYTES) == 0);
  free(whole.room);
  free(pieces.room);
  free(block);
  return 0;
}
