/* Streaming MD5 (RFC 1321), on BearSSL's implementation. It only confirms the checksums that
 * MNIST's original files have long been published with; it proves nothing against intent.
 *
 * The context is the caller's: copyable, nothing to release, reading does not change it. */
#ifndef GD_BASE_MD5_H
#define GD_BASE_MD5_H

#include <bearssl_hash.h>
#include <stddef.h>
#include <stdint.h>

#define GD_MD5_BYTES 16

typedef struct gd_md5 {
  br_md5_context context;
} gd_md5;

/* Starts the hash of the empty message. */
void gd_md5_init(gd_md5 *hash);

/* Adds n bytes to the message; n may be 0, `bytes` then anything. */
void gd_md5_update(gd_md5 *hash, const void *bytes, size_t n);

/* Writes the digest of the message so far. */
void gd_md5_read(const gd_md5 *hash, uint8_t digest[GD_MD5_BYTES]);

#endif
