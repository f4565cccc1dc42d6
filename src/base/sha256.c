#include "base/sha256.h"

void gd_sha256_init(gd_sha256 *hash) {
  br_sha256_init(&hash->context);
}

void gd_sha256_update(gd_sha256 *hash, const void *bytes, size_t n) {
  br_sha256_update(&hash->context, bytes, n);
}

void gd_sha256_read(const gd_sha256 *hash, uint8_t digest[GD_SHA256_BYTES]) {
  br_sha256_out(&hash->context, digest);
}

void gd_sha256_of(const void *bytes, size_t n, uint8_t digest[GD_SHA256_BYTES]) {
  gd_sha256 hash;
  gd_sha256_init(&hash);
  gd_sha256_update(&hash, bytes, n);
  gd_sha256_read(&hash, digest);
}
