#include "lab/random.h"

void gd_random_init(gd_random *random, uint32_t seed, uint32_t stream) {
  random->state = seed + stream;
}

uint32_t gd_random_next(gd_random *random) {
  random->state += 0x6D2B79F5u;
  uint32_t t = random->state;
  t = (t ^ (t >> 15)) * (t | 1u);
  t ^= t + (t ^ (t >> 7)) * (t | 61u);
  return t ^ (t >> 14);
}

double gd_random_unit(uint32_t draw) {
  return (double)draw / 4294967296.0;
}

void gd_random_shuffle(gd_random *random, uint32_t *order, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    order[i] = i;
  }
  for (uint32_t i = n; i-- > 1;) {
    /* floor(u (i + 1)) in whole numbers: the product in double is exact for every n < 2^21, and
     * this one always is. */
    uint32_t j = (uint32_t)(((uint64_t)gd_random_next(random) * (i + 1)) >> 32);
    uint32_t kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}

uint32_t gd_hash_add(uint32_t hash, uint32_t value) {
  return (hash ^ value) * 16777619u;
}
