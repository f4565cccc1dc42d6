#include "rebuild/source.h"

#include <string.h>

static gd_status check_original(const gd_original *original, const uint8_t *file, size_t file_bytes,
                                gd_checklist *checks, gd_report *report) {
  uint8_t sha256[GD_SHA256_BYTES];
  uint8_t md5[GD_MD5_BYTES];
  gd_md5 hash;
  gd_md5_init(&hash);
  gd_md5_update(&hash, file, file_bytes);
  gd_md5_read(&hash, md5);
  gd_sha256_of(file, file_bytes, sha256);
  gd_checklist_number(checks, "original size", GD_SOURCE_WRONG_SIZE, file_bytes, original->bytes,
                      file_bytes);
  gd_checklist_digest(checks, "original MD5", GD_SOURCE_WRONG_MD5, GD_NO_OFFSET, original->md5, md5,
                      GD_MD5_BYTES);
  gd_checklist_digest(checks, "original SHA-256", GD_SOURCE_WRONG_DIGEST, GD_NO_OFFSET,
                      original->sha256, sha256, GD_SHA256_BYTES);
  return gd_checklist_result(checks, report);
}

static gd_status decompress(const uint8_t *file, size_t file_bytes, gd_gunzip *gunzip, uint8_t *out,
                            size_t out_bytes, gd_checklist *checks, gd_report *report) {
  gd_report fault;
  gd_gunzip_start(gunzip, out, out_bytes);
  gd_status status = gd_gunzip_feed(gunzip, file, file_bytes, &fault);
  if (status == GD_OK) {
    status = gd_gunzip_finish(gunzip, &fault);
  }
  if (status == GD_OK) {
    return gd_checklist_pass(checks, "gzip stream", "one whole stream");
  }
  if (status == GD_TOO_LONG) {
    gd_checklist_number(checks, "IDX length", GD_IDX_TRAILING, out_bytes, out_bytes,
                        (uint64_t)out_bytes + 1);
  } else {
    gd_checklist_fail(checks, "gzip stream", status, fault.offset, fault.expected, fault.found);
  }
  return gd_checklist_result(checks, report);
}

gd_status gd_source_read(gd_idx_kind kind, uint32_t n_items, const gd_original *original,
                         const uint8_t *file, size_t file_bytes, gd_gunzip *gunzip, uint8_t *out,
                         gd_checklist *checks, gd_report *report) {
  int is_gzip = file_bytes >= 2 && file[0] == 0x1f && file[1] == 0x8b;
  if (!is_gzip) {
    gd_status status = gd_idx_check(kind, file, file_bytes, n_items, checks, report);
    if (status == GD_OK) {
      memcpy(out, file, file_bytes);
    }
    return status;
  }
  gd_status status = check_original(original, file, file_bytes, checks, report);
  if (status == GD_OK) {
    status = decompress(file, file_bytes, gunzip, out, (size_t)gd_idx_bytes(kind, n_items), checks,
                        report);
  }
  if (status == GD_OK) {
    status = gd_idx_check(kind, out, gd_gunzip_n_written(gunzip), n_items, checks, report);
  }
  return status;
}
