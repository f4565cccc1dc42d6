/* One of MNIST's four files, as it may be handed over: the original .gz, or decompressed. */
#ifndef GD_REBUILD_SOURCE_H
#define GD_REBUILD_SOURCE_H

#include "base/gzip.h"
#include "base/md5.h"
#include "base/sha256.h"
#include "dataset/check.h"
#include "rebuild/idx.h"

#include <stddef.h>
#include <stdint.h>

/* An original .gz file, as the manifest knows it. */
typedef struct gd_original {
  uint32_t bytes;
  uint8_t md5[GD_MD5_BYTES];
  uint8_t sha256[GD_SHA256_BYTES];
} gd_original;

/* Brings the file's IDX bytes to `out`, gd_idx_bytes(kind, n_items) of them, and checks them. Files
 * that start with 1f 8b are compared with the original first ("original size", "original MD5",
 * "original SHA-256"), then decompressed straight to `out` ("gzip stream"). Enters every check into
 * the list; returns the first fault. */
gd_status gd_source_read(gd_idx_kind kind, uint32_t n_items, const gd_original *original,
                         const uint8_t *file, size_t file_bytes, gd_gunzip *gunzip, uint8_t *out,
                         gd_checklist *checks, gd_report *report);

#endif
