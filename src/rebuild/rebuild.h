/* Rebuilds the four splits and the preview from MNIST's four IDX files, in a fixed order of steps,
 * each proven before the next: the test files are accepted only once train and validation are
 * complete and verified, so that nothing about the test images can have had a part in their
 * selection. */
#ifndef GD_REBUILD_REBUILD_H
#define GD_REBUILD_REBUILD_H

#include "base/arena.h"
#include "base/status.h"
#include "dataset/check.h"
#include "dataset/split.h"
#include "rebuild/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* The steps, in their order: X(NAME, id). */
#define GD_REBUILD_STEPS(X)                                                                        \
  X(TRAINING_IMAGES, "training-images") /* accept the file */                                      \
  X(TRAINING_LABELS, "training-labels") /* accept the file */                                      \
  X(POOLS, "pools")                     /* permute, split, compare both pools' digests */          \
  X(TRAIN, "train")                     /* select, write, compress, verify */                      \
  X(VALIDATION, "validation")                                                                      \
  X(SEPARATION, "separation") /* train and validation share no image */                            \
  X(PREVIEW, "preview")                                                                            \
  X(TEST_IMAGES, "test-images")                                                                    \
  X(TEST_LABELS, "test-labels")                                                                    \
  X(TEST, "test")                                                                                  \
  X(TEST_FULL, "test-full")

typedef enum gd_rebuild_step {
#define GD_REBUILD_STEP_ENUM(name, id) GD_STEP_##name,
  GD_REBUILD_STEPS(GD_REBUILD_STEP_ENUM)
#undef GD_REBUILD_STEP_ENUM
      GD_N_STEPS, /* all done */
  GD_STEP_REFUSED /* a step has failed: nothing can follow */
} gd_rebuild_step;

/* The id of a step, as "training-images"; "done" and "refused" too. */
const char *gd_rebuild_step_id(gd_rebuild_step step);

/* Whether the step takes a source file (gd_rebuild_accept), or works on what is there already
 * (gd_rebuild_work). */
bool gd_rebuild_step_takes_file(gd_rebuild_step step);

/* Fields are for reading; only the functions below change them. */
typedef struct gd_rebuild {
  gd_rebuild_plan plan;
  gd_rebuild_step next;
  gd_checklist checks; /* of the last step that was tried */
  gd_split *splits[GD_N_SPLITS];
  uint8_t *gz; /* the last split step's compressed file */
  size_t gz_bytes;
  uint8_t *preview;
  size_t preview_bytes;
  /* workspace */
  uint8_t *images;       /* an IDX file of images; of test, once training is done with */
  uint8_t *labels;       /* likewise */
  uint32_t *permutation; /* (training collection) */
  uint32_t *order;       /* (largest split) */
  size_t gz_capacity;
  uint8_t *deflate_memory; /* (GD_GZIP_DEFLATE_MEMORY) */
  gd_gunzip *gunzip;
} gd_rebuild;

/* Bytes of arena that a rebuild needs (some 75 MB for MNIST). Faults of gd_rebuild_plan_check. */
gd_status gd_rebuild_memory(const gd_rebuild_plan *plan, size_t *bytes, gd_report *report);

/* Copies the plan and takes the memory, the gd_rebuild being the first piece; everything belongs to
 * the arena. OUT_OF_MEMORY, faults of gd_rebuild_memory; *out is NULL then. */
gd_status gd_rebuild_take(gd_arena *arena, const gd_rebuild_plan *plan, gd_rebuild **out,
                          gd_report *report);

/* Gives a source file to the step that waits for it. A file that starts with 1f 8b is an original
 * .gz: size, MD5, SHA-256 are compared before it is decompressed; otherwise it is a plain IDX file.
 * `file` is only read during the call.
 *   WRONG_STATE                               another step is due
 *   SOURCE_WRONG_SIZE, _MD5, _DIGEST          not the original
 *   IDX_…, LABEL_OUT_OF_RANGE, GZIP_…         see rebuild/idx.h, base/gzip.h
 * After a fault the rebuild is refused for good. */
gd_status gd_rebuild_accept(gd_rebuild *rebuild, gd_rebuild_step step, const uint8_t *file,
                            size_t file_bytes, gd_report *report);

/* Makes a step that takes no file. After a split's step its raw bytes stand in splits[…]->bytes,
 * its compressed ones in gz until the next step; after the preview's in preview.
 *   WRONG_STATE, WRONG_POOL_DIGEST, TOO_FEW_OF_A_DIGIT, WRONG_PREVIEW_SIZE, WRONG_PREVIEW_DIGEST,
 *   and every fault of a split (dataset/verify.h). After a fault the rebuild is refused for good.
 */
gd_status gd_rebuild_work(gd_rebuild *rebuild, gd_rebuild_step step, gd_report *report);

/* The split that a step makes; NULL for the other steps. */
gd_split *gd_rebuild_split_of(const gd_rebuild *rebuild, gd_rebuild_step step);

#endif
