#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t support_seed(const char *test, uint64_t usual) {
  const char *wish = getenv("GD_TEST_SEED");
  uint64_t seed = wish != NULL ? strtoull(wish, NULL, 10) : usual;
  printf("%s: seed %" PRIu64 "\n", test, seed);
  return seed;
}

uint64_t support_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

uint32_t support_below(uint64_t *state, uint32_t n) {
  return (uint32_t)((support_random(state) >> 32) * n >> 32);
}

void *support_block(size_t bytes) {
  void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (block == NULL) {
    abort();
  }
  return block;
}

uint8_t *support_exact(const void *bytes, size_t n) {
  uint8_t *block = malloc(n > 0 ? n : 1);
  if (block == NULL) {
    abort();
  }
  if (bytes != NULL && n > 0) {
    memcpy(block, bytes, n);
  }
  return block;
}
