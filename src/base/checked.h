/* Arithmetic on sizes that come from files: every function returns whether the exact result fits,
 * and writes it to *out (which may be one of the operands' places) only meaningfully if so. */
#ifndef GD_BASE_CHECKED_H
#define GD_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool gd_checked_add_u32(uint32_t a, uint32_t b, uint32_t *out) {
  return !__builtin_add_overflow(a, b, out);
}

static inline bool gd_checked_mul_u32(uint32_t a, uint32_t b, uint32_t *out) {
  return !__builtin_mul_overflow(a, b, out);
}

/* Rounds up to a multiple of `unit`, which is a power of two. */
static inline bool gd_checked_round_up_u32(uint32_t a, uint32_t unit, uint32_t *out) {
  if (!gd_checked_add_u32(a, unit - 1, out)) {
    return false;
  }
  *out &= ~(unit - 1);
  return true;
}

static inline bool gd_checked_add_size(size_t a, size_t b, size_t *out) {
  return !__builtin_add_overflow(a, b, out);
}

#endif
