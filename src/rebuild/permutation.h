/* The permutation that split MNIST's training images into the parent pools: torch.randperm(n) on
 * the CPU, with a generator seeded by hand. */
#ifndef GD_REBUILD_PERMUTATION_H
#define GD_REBUILD_PERMUTATION_H

#include <stdint.h>

#define GD_MT19937_WORDS 624

/* MT19937: M. Matsumoto, T. Nishimura, "Mersenne twister: a 623-dimensionally equidistributed
 * uniform pseudo-random number generator", ACM TOMACS 8(1), 1998, with the initialisation that its
 * authors published in 2002 (multiplier 1812433253). */
typedef struct gd_mt19937 {
  uint32_t words[GD_MT19937_WORDS];
  uint32_t n_used; /* words already given out since the last twist */
} gd_mt19937;

void gd_mt19937_init(gd_mt19937 *generator, uint32_t seed);

/* The next 32 bits. */
uint32_t gd_mt19937_next(gd_mt19937 *generator);

/* Writes a permutation of 0..n-1 to out (n): for i = 0..n-2, z = next % (n - i), out[i] and
 * out[i + z] change places. That is Fisher and Yates's shuffle, run upwards as torch does. */
void gd_permutation(uint32_t seed, uint32_t n, uint32_t *out);

#endif
