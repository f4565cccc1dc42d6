#include "base/md5.h"

void gd_md5_init(gd_md5 *hash) {
  br_md5_init(&hash->context);
}

void gd_md5_update(gd_md5 *hash, const void *bytes, size_t n) {
  br_md5_update(&hash->context, bytes, n);
}

void gd_md5_read(const gd_md5 *hash, uint8_t digest[GD_MD5_BYTES]) {
  br_md5_out(&hash->context, digest);
}
