/* MNIST's own files: whatever passes has the length that its count asks for. */
#include "rebuild/idx.h"

#include "fuzz.h"

#include <string.h>

/* The first byte is the kind, the second the number of items that are expected. */
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n) {
  gd_checklist checks = {0};
  gd_report report;
  if (n < 2) {
    return 0;
  }
  const gd_idx_kind kind = input[0] % 2 == 0 ? GD_IDX_IMAGES : GD_IDX_LABELS;
  const size_t n_bytes = n - 2;
  uint8_t *file = malloc(n_bytes > 0 ? n_bytes : 1); /* a block of its own: its end is guarded */
  MUST(file != NULL);
  memcpy(file, input + 2, n_bytes);
  const gd_status status = gd_idx_check(kind, file, n_bytes, input[1], &checks, &report);
  MUST(status != GD_OK || n_bytes == gd_idx_bytes(kind, input[1]));
  MUST(checks.n_checks > 0 && checks.n_checks <= GD_MAX_CHECKS);
  free(file);
  return 0;
}
