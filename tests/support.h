/* What several test programs need: random numbers whose seed is printed, and aligned memory. */
#ifndef GD_TESTS_SUPPORT_H
#define GD_TESTS_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

/* The seed of a random test: GD_TEST_SEED of the environment, else `usual`. Printed with the test's
 * name, so that a failure can be repeated. */
uint64_t support_seed(const char *test, uint64_t usual);

/* 64 random bits; *state starts as the seed (splitmix64, Steele, Lea, Flood 2014). */
uint64_t support_random(uint64_t *state);

/* A number below n > 0. */
uint32_t support_below(uint64_t *state, uint32_t n);

/* A 64-byte aligned block for an arena; the test fails where there is none. Freed with free(). */
void *support_block(size_t bytes);

/* A block of exactly n bytes, so that a sanitizer sees the byte behind it; a copy of `bytes` unless
 * that is NULL. */
uint8_t *support_exact(const void *bytes, size_t n);

#endif
