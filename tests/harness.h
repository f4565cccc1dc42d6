/* What cmocka.h needs before it, and the seeded numbers that the tests draw. */
#ifndef GD_TESTS_HARNESS_H
#define GD_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* xorshift64 (Marsaglia 2003), for test data only. */
static inline uint64_t harness_draw(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state >> 11;
}

/* A whole number in 0..n-1. */
static inline uint32_t harness_draw_below(uint64_t *state, uint32_t n) {
  return (uint32_t)(harness_draw(state) % n);
}

/* A float in [-1, 1). */
static inline float harness_draw_float(uint64_t *state) {
  return (float)((double)harness_draw(state) * 0x1p-52 - 1.0);
}

#endif
