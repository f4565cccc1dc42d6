#include "rebuild/permutation.h"

/* The names of the paper: degree of recurrence N, middle word M, separation point of one word at
 * r = 31, twist matrix A; u, s, b, t, c, l temper. */
#define N GD_MT19937_WORDS
#define M 397
#define A 0x9908b0dfu
#define UPPER_BIT 0x80000000u
#define LOWER_BITS 0x7fffffffu

void gd_mt19937_init(gd_mt19937 *generator, uint32_t seed) {
  uint32_t *x = generator->words;
  x[0] = seed;
  for (uint32_t i = 1; i < N; i++) {
    x[i] = 1812433253u * (x[i - 1] ^ x[i - 1] >> 30) + i;
  }
  generator->n_used = N;
}

/* x[k + N] = x[k + M] ^ (upper bit of x[k] | lower bits of x[k + 1]) A, for the next N words. */
static void twist(uint32_t x[N]) {
  for (uint32_t k = 0; k < N; k++) {
    uint32_t y = (x[k] & UPPER_BIT) | (x[(k + 1) % N] & LOWER_BITS);
    x[k] = x[(k + M) % N] ^ y >> 1 ^ ((y & 1) != 0 ? A : 0);
  }
}

uint32_t gd_mt19937_next(gd_mt19937 *generator) {
  if (generator->n_used == N) {
    twist(generator->words);
    generator->n_used = 0;
  }
  uint32_t y = generator->words[generator->n_used++];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  y ^= y >> 18;
  return y;
}

void gd_permutation(uint32_t seed, uint32_t n, uint32_t *out) {
  gd_mt19937 generator;
  gd_mt19937_init(&generator, seed);
  for (uint32_t i = 0; i < n; i++) {
    out[i] = i;
  }
  for (uint32_t i = 0; i + 1 < n; i++) {
    uint32_t other = i + gd_mt19937_next(&generator) % (n - i);
    uint32_t moved = out[i];
    out[i] = out[other];
    out[other] = moved;
  }
}
