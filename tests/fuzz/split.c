/* A split's file: the input is laid over a good file with xor, so that an empty one is the good file
 * and a short one spoils its header. Only the good file may be verified. */
#include "../sample.h"
#include "fuzz.h"

#include <string.h>

static int is_zero(const uint8_t *bytes, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (bytes[i] != 0) {
      return 0;
    }
  }
  return 1;
}

/* The first byte says in how large pieces the file arrives. */
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n) {
  static sample good;
  static uint8_t file[SAMPLE_BYTES];
  gd_report report;
  if (good.expectation.n_images == 0) {
    sample_make(&good, 1, 5);
  }
  const uint32_t piece = n == 0 ? SAMPLE_BYTES : 1 + 97u * input[0];
  const size_t n_changes = n == 0 ? 0 : n - 1;
  memcpy(file, good.bytes, sizeof file);
  for (size_t i = 0; i < n_changes; i++) {
    file[i % SAMPLE_BYTES] ^= input[1 + i];
  }
  gd_split *split = sample_open(&good.expectation);
  for (uint32_t at = 0; at < SAMPLE_BYTES; at += piece) {
    const uint32_t left = SAMPLE_BYTES - at;
    MUST(sample_append(split, file + at, piece < left ? piece : left, &report) == GD_OK);
  }
  const gd_status status = gd_split_finish(split, false, &report);
  MUST((status == GD_OK) == (memcmp(file, good.bytes, sizeof file) == 0));
  MUST(n_changes > SAMPLE_BYTES || (status == GD_OK) == is_zero(input + (n > 0), n_changes));
  MUST(split->state == (status == GD_OK ? GD_SPLIT_VERIFIED : GD_SPLIT_REFUSED));
  sample_close(split);
  return 0;
}
