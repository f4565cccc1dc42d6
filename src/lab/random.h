/* The protocol's randomness: mulberry32, its three streams, the shuffle, and the two running hashes
 * that prove which numbers a run saw.
 *
 * mulberry32 is Tommy Ettinger's public-domain generator (2017): a counter stepped by 0x6D2B79F5
 * and mixed; all arithmetic wraps at 32 bits. */
#ifndef GD_LAB_RANDOM_H
#define GD_LAB_RANDOM_H

#include <stdint.h>

/* What is added to a run's seed for each of its three streams. */
#define GD_STREAM_INITIALIZATION 0u
#define GD_STREAM_ORDER 100000u
#define GD_STREAM_GATES 200000u

typedef struct gd_random {
  uint32_t state;
} gd_random;

/* Starts a run's stream: state = seed + stream, wrapping. */
void gd_random_init(gd_random *random, uint32_t seed, uint32_t stream);

/* The next draw as a whole number: u * 2^32. */
uint32_t gd_random_next(gd_random *random);

/* A draw as the protocol's u in [0, 1): exact in double. */
double gd_random_unit(uint32_t draw);

/* Fills `order` (n) with 0..n-1 and shuffles it: Fisher-Yates from i = n-1 down to 1 with
 * j = floor(u (i + 1)). Draws n-1 numbers. */
void gd_random_shuffle(gd_random *random, uint32_t *order, uint32_t n);

/* The running hash of provenance: starts at GD_HASH_START; each value v makes it
 * (h ^ v) * 16777619 mod 2^32 (FNV-1a's step, on whole 32-bit values). */
#define GD_HASH_START 2166136261u
uint32_t gd_hash_add(uint32_t hash, uint32_t value);

#endif
