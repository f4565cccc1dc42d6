#include "base/sha256.h"

#include <string.h>

typedef uint32_t words __attribute__((vector_size(16))); /* four of the schedule, in order */
typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* Section 4.2.2. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n) {
  return x >> n | x << (32 - n);
}

static words rotate_all(words x, int n) {
  return x >> n | x << (32 - n);
}

/* The four functions of section 4.1.2: small sigmas for the schedule, large ones for the rounds. */
static words sigma_0(words x) {
  return rotate_all(x, 7) ^ rotate_all(x, 18) ^ x >> 3;
}

static words sigma_1(words x) {
  return rotate_all(x, 17) ^ rotate_all(x, 19) ^ x >> 10;
}

static uint32_t sum_0(uint32_t x) {
  return rotate(x, 2) ^ rotate(x, 13) ^ rotate(x, 22);
}

static uint32_t sum_1(uint32_t x) {
  return rotate(x, 6) ^ rotate(x, 11) ^ rotate(x, 25);
}

static words load_words(const uint8_t *from) {
  bytes16 found;
  memcpy(&found, from, sizeof found);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  found =
      __builtin_shufflevector(found, found, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
#endif
  return (words)found;
}

/* The four words that follow these sixteen. The last two of them depend on the first two, so that sigma_1 comes in two
 * halves; sigma_1(0) is 0. */
static words next_words(words w0, words w4, words w8, words w12) {
  const words zero = {0};
  words next = w0 + __builtin_shufflevector(w8, w12, 1, 2, 3, 4) +
               sigma_0(__builtin_shufflevector(w0, w4, 1, 2, 3, 4));
  next += sigma_1(__builtin_shufflevector(w12, zero, 2, 3, 4, 4));
  return next + sigma_1(__builtin_shufflevector(next, zero, 4, 4, 0, 1));
}

/* One round: the new e stands in d, the new a in h; then the names move on by one. a ^ b is what the next round
 * needs as b ^ c. */
#define ROUND(a, b, c, d, e, f, g, h, word)                                                        \
  do {                                                                                             \
    const uint32_t t = (h) + sum_1(e) + ((g) ^ ((e) & ((f) ^ (g)))) + (word);                      \
    const uint32_t a_xor_b = (a) ^ (b);                                                            \
    (d) += t;                                                                                      \
    (h) = t + sum_0(a) + ((b) ^ (a_xor_b & b_xor_c));                                              \
    b_xor_c = a_xor_b;                                                                             \
  } while (0)

/* After four rounds each name has changed places with the one four further on. */
#define FOUR_ROUNDS(a, b, c, d, e, f, g, h, four)                                                  \
  do {                                                                                             \
    ROUND(a, b, c, d, e, f, g, h, (four)[0]);                                                      \
    ROUND(h, a, b, c, d, e, f, g, (four)[1]);                                                      \
    ROUND(g, h, a, b, c, d, e, f, (four)[2]);                                                      \
    ROUND(f, g, h, a, b, c, d, e, (four)[3]);                                                      \
  } while (0)

/* Section 6.2.2, for n blocks. The schedule's next words are made between the rounds: the machine does both at once. */
static void take_blocks(uint32_t state[8], const uint8_t *blocks, size_t n) {
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (; n > 0; n--, blocks += GD_SHA256_BLOCK_BYTES) {
    words w0 = load_words(blocks);
    words w4 = load_words(blocks + 16);
    words w8 = load_words(blocks + 32);
    words w12 = load_words(blocks + 48);
    uint32_t b_xor_c = b ^ c;
    for (unsigned first = 0; first < 64; first += 16) {
      const int has_next = first < 48;
      words k[4];
      union {
        words four[4];
        uint32_t one[16];
      } w;
      memcpy(k, constants + first, sizeof k);
      w.four[0] = w0 + k[0];
      w.four[1] = w4 + k[1];
      w.four[2] = w8 + k[2];
      w.four[3] = w12 + k[3];
      FOUR_ROUNDS(a, b, c, d, e, f, g, h, w.one);
      if (has_next) {
        w0 = next_words(w0, w4, w8, w12);
      }
      FOUR_ROUNDS(e, f, g, h, a, b, c, d, w.one + 4);
      if (has_next) {
        w4 = next_words(w4, w8, w12, w0);
      }
      FOUR_ROUNDS(a, b, c, d, e, f, g, h, w.one + 8);
      if (has_next) {
        w8 = next_words(w8, w12, w0, w4);
      }
      FOUR_ROUNDS(e, f, g, h, a, b, c, d, w.one + 12);
      if (has_next) {
        w12 = next_words(w12, w0, w4, w8);
      }
    }
    a = state[0] += a;
    b = state[1] += b;
    c = state[2] += c;
    d = state[3] += d;
    e = state[4] += e;
    f = state[5] += f;
    g = state[6] += g;
    h = state[7] += h;
  }
}

void gd_sha256_init(gd_sha256 *hash) {
  /* Section 5.3.3. */
  static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memset(hash, 0, sizeof *hash);
  memcpy(hash->state, initial, sizeof initial);
}

void gd_sha256_update(gd_sha256 *hash, const void *bytes, size_t n) {
  const uint8_t *from = bytes;
  const size_t n_held = hash->n_bytes % GD_SHA256_BLOCK_BYTES;
  if (n == 0) {
    return;
  }
  hash->n_bytes += n;
  if (n_held > 0) {
    const size_t n_missing = GD_SHA256_BLOCK_BYTES - n_held;
    const size_t n_taken = n < n_missing ? n : n_missing;
    memcpy(hash->block + n_held, from, n_taken);
    if (n_taken < n_missing) {
      return;
    }
    take_blocks(hash->state, hash->block, 1);
    from += n_taken;
    n -= n_taken;
  }
  take_blocks(hash->state, from, n / GD_SHA256_BLOCK_BYTES);
  memcpy(hash->block, from + n - n % GD_SHA256_BLOCK_BYTES, n % GD_SHA256_BLOCK_BYTES);
}

void gd_sha256_read(const gd_sha256 *hash, uint8_t digest[GD_SHA256_BYTES]) {
  /* Section 5.1.1: a one, zeros, the length in bits as the last eight bytes of a block. */
  uint8_t padding[2 * GD_SHA256_BLOCK_BYTES] = {0x80};
  const size_t n_held = hash->n_bytes % GD_SHA256_BLOCK_BYTES;
  const size_t n_padding = (n_held < 56 ? 56 : 120) - n_held + 8;
  const uint64_t n_bits = 8 * hash->n_bytes;
  gd_sha256 padded = *hash;
  for (unsigned i = 0; i < 8; i++) {
    padding[n_padding - 1 - i] = (uint8_t)(n_bits >> (8 * i));
  }
  gd_sha256_update(&padded, padding, n_padding);
  for (unsigned i = 0; i < GD_SHA256_BYTES; i++) {
    digest[i] = (uint8_t)(padded.state[i / 4] >> (24 - 8 * (i % 4)));
  }
}

void gd_sha256_of(const void *bytes, size_t n, uint8_t digest[GD_SHA256_BYTES]) {
  gd_sha256 hash;
  gd_sha256_init(&hash);
  gd_sha256_update(&hash, bytes, n);
  gd_sha256_read(&hash, digest);
}
