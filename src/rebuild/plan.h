/* What the manifest says about a rebuild. */
#ifndef GD_REBUILD_PLAN_H
#define GD_REBUILD_PLAN_H

#include "base/sha256.h"
#include "base/status.h"
#include "dataset/split.h"
#include "rebuild/source.h"

#include <stdint.h>

enum {
  GD_SOURCE_TRAINING_IMAGES,
  GD_SOURCE_TRAINING_LABELS,
  GD_SOURCE_TEST_IMAGES,
  GD_SOURCE_TEST_LABELS,
  GD_N_SOURCES
};
enum {
  GD_REBUILD_TRAIN,
  GD_REBUILD_VALIDATION,
  GD_REBUILD_TEST,
  GD_REBUILD_TEST_FULL,
  GD_N_SPLITS
};

/* All that the manifest says about the rebuild; filled byte by byte from JavaScript too. */
typedef struct gd_rebuild_plan {
  uint32_t seed;         /* of the parent permutation */
  uint32_t n_train_pool; /* its first images; the others are the validation pool */
  uint32_t n_preview;    /* examples */
  uint32_t preview_bytes;
  uint8_t preview_sha256[GD_SHA256_BYTES];
  uint8_t train_pool_sha256[GD_SHA256_BYTES]; /* of the places as int64, little-endian */
  uint8_t validation_pool_sha256[GD_SHA256_BYTES];
  gd_original originals[GD_N_SOURCES];
  gd_expectation splits[GD_N_SPLITS];
} gd_rebuild_plan;

/* Says whether the parts fit together: each expectation with itself; train and validation from one
 * collection that the pools share out, test and test-full from one; all balanced but test-full,
 * which is its whole collection; a preview that train can give. MANIFEST_INCONSISTENT and the
 * faults of gd_expectation_check. */
gd_status gd_rebuild_plan_check(const gd_rebuild_plan *plan, gd_report *report);

#endif
