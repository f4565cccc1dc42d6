/* The IDX files of MNIST, as its authors describe them (LeCun, Cortes, Burges, "The MNIST database
 * of handwritten digits", section "File formats"): a header of 32-bit numbers, most significant
 * byte first, then one unsigned byte for each pixel or label.
 *
 *   labels   0x00000801, number of items                     then n labels, 0..9
 *   images   0x00000803, number of items, rows, columns      then n (28, 28) images, row-major */
#ifndef GD_REBUILD_IDX_H
#define GD_REBUILD_IDX_H

#include "base/status.h"
#include "dataset/check.h"

#include <stdint.h>

typedef enum gd_idx_kind { GD_IDX_IMAGES, GD_IDX_LABELS } gd_idx_kind;

/* Bytes of a whole file of n_items; n_items is at most GD_MAX_COLLECTION (dataset/split.h), so that
 * 64 bits always suffice. */
uint64_t gd_idx_bytes(gd_idx_kind kind, uint32_t n_items);

/* Where the items of a file start. */
uint32_t gd_idx_header_bytes(gd_idx_kind kind);

/* Checks a whole file of n_bytes that should hold n_items of this kind, and enters every check
 * into the list: "IDX kind" (IDX_WRONG_MAGIC), "IDX count" (IDX_WRONG_COUNT), "IDX dimensions"
 * (IDX_WRONG_DIMENSIONS, images only), "IDX length" (IDX_TRUNCATED, IDX_TRAILING), "labels"
 * (LABEL_OUT_OF_RANGE, labels only). Stops at the first fault and returns it. */
gd_status gd_idx_check(gd_idx_kind kind, const uint8_t *bytes, uint64_t n_bytes, uint32_t n_items,
                       gd_checklist *checks, gd_report *report);

#endif
