/* Streaming SHA-256 (FIPS 180-4, section 6.2), on BearSSL's implementation.
 *
 * The context is the caller's: it holds no pointer to memory, may be copied by assignment or
 * memcpy, and needs no release. Reading the digest does not change it, so hashing can go on. */
#ifndef GD_BASE_SHA256_H
#define GD_BASE_SHA256_H

#include <bearssl_hash.h>
#include <stddef.h>
#include <stdint.h>

#define GD_SHA256_BYTES 32
/* A digest in hex with its NUL. */
#define GD_SHA256_TEXT_BYTES (2 * GD_SHA256_BYTES + 1)

typedef struct gd_sha256 {
  br_sha256_context context;
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
