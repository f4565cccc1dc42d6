/* Streaming SHA-256 (FIPS 180-4, section 6.2). Splits are hashed in the browser while a visitor waits, so this one is the
 * lab's own: four words of the message schedule at a time, a third faster in WebAssembly than a library's portable code.
 *
 * The context is the caller's: it holds no pointer to memory, may be copied by assignment or
 * memcpy, and needs no release. Reading the digest does not change it, so hashing can go on. */
#ifndef GD_BASE_SHA256_H
#define GD_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define GD_SHA256_BYTES 32
/* A digest in hex with its NUL. */
#define GD_SHA256_TEXT_BYTES (2 * GD_SHA256_BYTES + 1)
#define GD_SHA256_BLOCK_BYTES 64

typedef struct gd_sha256 {
  uint32_t state[8];
  uint64_t n_bytes;                     /* of the message so far */
  uint8_t block[GD_SHA256_BLOCK_BYTES]; /* its last n_bytes % 64 bytes: not in the state yet */
} gd_sha256;

/* Starts the hash of the empty message. */
void gd_sha256_init(gd_sha256 *hash);

/* Adds n bytes to the message; n may be 0, `bytes` then anything. */
void gd_sha256_update(gd_sha256 *hash, const void *bytes, size_t n);

/* Writes the digest of the message so far. */
void gd_sha256_read(const gd_sha256 *hash, uint8_t digest[GD_SHA256_BYTES]);

/* All three in one: the digest of n bytes. */
void gd_sha256_of(const void *bytes, size_t n, uint8_t digest[GD_SHA256_BYTES]);

#endif
