/* What a manifest may say of a split: any bytes as the numbers of an expectation. One that is accepted
 * can be taken in the memory that it is said to need, and in no less. */
#include "dataset/split.h"

#include "fuzz.h"

#include <string.h>

enum { MOST_BYTES = 1 << 24 };

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n) {
  gd_expectation expectation = {0};
  gd_report report;
  gd_arena arena;
  gd_split *split = NULL;
  size_t bytes = 0;
  memcpy(&expectation, input, n < sizeof expectation ? n : sizeof expectation);
  const gd_status status = gd_expectation_check(&expectation, &report);
  MUST(gd_split_memory(&expectation, &bytes, &report) == status);
  if (status != GD_OK || bytes > MOST_BYTES) {
    return 0;
  }
  uint8_t *block = aligned_alloc(GD_ARENA_ALIGNMENT, bytes);
  MUST(block != NULL);
  gd_arena_init(&arena, block, bytes - 1);
  MUST(gd_split_take(&arena, &expectation, &split, &report) == GD_OUT_OF_MEMORY);
  gd_arena_init(&arena, block, bytes);
  MUST(gd_split_take(&arena, &expectation, &split, &report) == GD_OK);
  MUST(gd_split_finish(split, false, &report) != GD_OK); /* nothing has arrived */
  free(block);
  return 0;
}
