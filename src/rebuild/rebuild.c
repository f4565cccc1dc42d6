#include "rebuild/rebuild.h"

#include "base/bytes.h"
#include "rebuild/idx.h"
#include "rebuild/permutation.h"
#include "rebuild/preview.h"
#include "rebuild/selection.h"
#include "rebuild/writer.h"

#include <string.h>

const char *gd_rebuild_step_id(gd_rebuild_step step) {
  static const char *const ids[] = {
#define STEP_ID(name, id) id,
      GD_REBUILD_STEPS(STEP_ID)
#undef STEP_ID
          "done",
      "refused"};
  return step <= GD_STEP_REFUSED ? ids[step] : "no step";
}

static int source_of(gd_rebuild_step step) {
  switch (step) {
  case GD_STEP_TRAINING_IMAGES:
    return GD_SOURCE_TRAINING_IMAGES;
  case GD_STEP_TRAINING_LABELS:
    return GD_SOURCE_TRAINING_LABELS;
  case GD_STEP_TEST_IMAGES:
    return GD_SOURCE_TEST_IMAGES;
  case GD_STEP_TEST_LABELS:
    return GD_SOURCE_TEST_LABELS;
  default:
    return -1;
  }
}

static int split_of(gd_rebuild_step step) {
  switch (step) {
  case GD_STEP_TRAIN:
    return GD_REBUILD_TRAIN;
  case GD_STEP_VALIDATION:
    return GD_REBUILD_VALIDATION;
  case GD_STEP_TEST:
    return GD_REBUILD_TEST;
  case GD_STEP_TEST_FULL:
    return GD_REBUILD_TEST_FULL;
  default:
    return -1;
  }
}

bool gd_rebuild_step_takes_file(gd_rebuild_step step) {
  return source_of(step) >= 0;
}

gd_split *gd_rebuild_split_of(const gd_rebuild *rebuild, gd_rebuild_step step) {
  int split = split_of(step);
  return split < 0 ? NULL : rebuild->splits[split];
}

static uint32_t larger(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

static uint32_t largest_split(const gd_rebuild_plan *plan) {
  uint32_t n = 0;
  for (unsigned i = 0; i < GD_N_SPLITS; i++) {
    n = larger(n, plan->splits[i].n_images);
  }
  return n;
}

/* All but the splits; the one description for measuring and taking. */
static gd_rebuild *lay_out(gd_arena *arena, const gd_rebuild_plan *plan) {
  uint32_t n_training = plan->splits[GD_REBUILD_TRAIN].n_collection;
  uint32_t n_largest = larger(n_training, plan->splits[GD_REBUILD_TEST].n_collection);
  gd_layout largest = {0};
  gd_layout_of(largest_split(plan), &largest);
  gd_rebuild parts = {.plan = *plan};
  gd_rebuild *rebuild = gd_arena_take(arena, 1, sizeof *rebuild);
  /* One item more makes room for the IDX header. */
  parts.images = gd_arena_take(arena, (size_t)n_largest + 1, GD_N_PIXELS);
  parts.labels = gd_arena_take(arena, (size_t)n_largest + gd_idx_header_bytes(GD_IDX_LABELS), 1);
  parts.permutation = gd_arena_take(arena, n_training, sizeof *parts.permutation);
  parts.order = gd_arena_take(arena, largest.n_images, sizeof *parts.order);
  parts.gz_capacity = gd_gzip_bound(largest.bytes);
  parts.gz = gd_arena_take(arena, 1, parts.gz_capacity);
  parts.preview = gd_arena_take(arena, 1, gd_preview_bound(plan->n_preview));
  parts.deflate_memory = gd_arena_take(arena, 1, GD_GZIP_DEFLATE_MEMORY);
  if (gd_gunzip_take(arena, &parts.gunzip) != GD_OK || rebuild == NULL) {
    return NULL;
  }
  *rebuild = parts;
  return rebuild;
}

gd_status gd_rebuild_memory(const gd_rebuild_plan *plan, size_t *bytes, gd_report *report) {
  gd_arena arena;
  gd_status status = gd_rebuild_plan_check(plan, report);
  gd_arena_init_measuring(&arena);
  for (unsigned i = 0; i < GD_N_SPLITS && status == GD_OK; i++) {
    size_t split_bytes = 0;
    status = gd_split_memory(&plan->splits[i], &split_bytes, report);
    gd_arena_take(&arena, 1, split_bytes);
  }
  if (status != GD_OK) {
    return status;
  }
  lay_out(&arena, plan);
  *bytes = arena.used;
  return arena.failed ? gd_report_fault(report, GD_SIZE_OVERFLOW, GD_NO_OFFSET, "rebuild",
                                        "a size that memory can have", "more")
                      : GD_OK;
}

gd_status gd_rebuild_take(gd_arena *arena, const gd_rebuild_plan *plan, gd_rebuild **out,
                          gd_report *report) {
  *out = NULL;
  gd_status status = gd_rebuild_plan_check(plan, report);
  if (status != GD_OK) {
    return status;
  }
  gd_rebuild *rebuild = lay_out(arena, plan);
  if (rebuild == NULL) {
    return gd_report_fault(report, GD_OUT_OF_MEMORY, GD_NO_OFFSET, "rebuild", "more memory", "");
  }
  for (unsigned i = 0; i < GD_N_SPLITS && status == GD_OK; i++) {
    status = gd_split_take(arena, &plan->splits[i], &rebuild->splits[i], report);
  }
  if (status == GD_OK) {
    *out = rebuild;
  }
  return status;
}

/* Whether the step is due. The list of checks starts anew. */
static gd_status begin(gd_rebuild *rebuild, gd_rebuild_step step, bool takes_file,
                       gd_report *report) {
  if (step != rebuild->next || step >= GD_N_STEPS ||
      gd_rebuild_step_takes_file(step) != takes_file) {
    return gd_report_fault(report, GD_WRONG_STATE, GD_NO_OFFSET, "step of the rebuild",
                           gd_rebuild_step_id(rebuild->next), gd_rebuild_step_id(step));
  }
  rebuild->checks.n_checks = 0;
  rebuild->gz_bytes = 0;
  return GD_OK;
}

static gd_status end(gd_rebuild *rebuild, gd_status status) {
  rebuild->next =
      status == GD_OK ? (gd_rebuild_step)(rebuild->next + 1) : (gd_rebuild_step)GD_STEP_REFUSED;
  return status;
}

gd_status gd_rebuild_accept(gd_rebuild *rebuild, gd_rebuild_step step, const uint8_t *file,
                            size_t file_bytes, gd_report *report) {
  gd_status status = begin(rebuild, step, true, report);
  if (status != GD_OK) {
    return status;
  }
  int source = source_of(step);
  bool is_training = source <= GD_SOURCE_TRAINING_LABELS;
  bool is_images = source == GD_SOURCE_TRAINING_IMAGES || source == GD_SOURCE_TEST_IMAGES;
  uint32_t n_items =
      rebuild->plan.splits[is_training ? GD_REBUILD_TRAIN : GD_REBUILD_TEST].n_collection;
  status = gd_source_read(is_images ? GD_IDX_IMAGES : GD_IDX_LABELS, n_items,
                          &rebuild->plan.originals[source], file, file_bytes, rebuild->gunzip,
                          is_images ? rebuild->images : rebuild->labels, &rebuild->checks, report);
  return end(rebuild, status);
}

/* The manifest's digests are over 64-bit numbers, as torch stores a permutation. */
static void check_pool(gd_rebuild *rebuild, const char *name, uint32_t first, uint32_t end_place,
                       const uint8_t expected[GD_SHA256_BYTES]) {
  gd_sha256 hash;
  uint8_t digest[GD_SHA256_BYTES];
  gd_sha256_init(&hash);
  for (uint32_t i = first; i < end_place; i++) {
    uint8_t bytes[8];
    gd_store_u64_le(bytes, rebuild->permutation[i]);
    gd_sha256_update(&hash, bytes, sizeof bytes);
  }
  gd_sha256_read(&hash, digest);
  gd_checklist_digest(&rebuild->checks, name, GD_WRONG_POOL_DIGEST, GD_NO_OFFSET, expected, digest,
                      GD_SHA256_BYTES);
}

static gd_status make_pools(gd_rebuild *rebuild, gd_report *report) {
  const gd_rebuild_plan *plan = &rebuild->plan;
  uint32_t n = plan->splits[GD_REBUILD_TRAIN].n_collection;
  gd_permutation(plan->seed, n, rebuild->permutation);
  check_pool(rebuild, "train pool SHA-256", 0, plan->n_train_pool, plan->train_pool_sha256);
  check_pool(rebuild, "validation pool SHA-256", plan->n_train_pool, n,
             plan->validation_pool_sha256);
  return gd_checklist_result(&rebuild->checks, report);
}

/* Writes rebuild->order, or leaves test-full's own order alone (*order == NULL). */
static gd_status select_images(gd_rebuild *rebuild, int split, const uint32_t **order,
                               gd_report *report) {
  const gd_rebuild_plan *plan = &rebuild->plan;
  const gd_expectation *expected = &plan->splits[split];
  const uint8_t *labels = rebuild->labels + gd_idx_header_bytes(GD_IDX_LABELS);
  const uint32_t *pool = NULL;
  uint32_t n_pool = expected->n_collection;
  *order = NULL;
  if (split == GD_REBUILD_TEST_FULL) {
    return GD_OK;
  }
  if (split == GD_REBUILD_TRAIN) {
    pool = rebuild->permutation;
    n_pool = plan->n_train_pool;
  } else if (split == GD_REBUILD_VALIDATION) {
    pool = rebuild->permutation + plan->n_train_pool;
    n_pool = expected->n_collection - plan->n_train_pool;
  }
  *order = rebuild->order;
  return gd_select_balanced(labels, pool, n_pool, expected->class_counts[0], rebuild->order,
                            report);
}

/* What the split's own list says, but for what did not apply. */
static void copy_checks(gd_checklist *to, const gd_checklist *from) {
  for (uint32_t i = 0; i < from->n_checks; i++) {
    const gd_check *check = &from->checks[i];
    if (check->state != GD_CHECK_NOT_NEEDED) {
      gd_checklist_add(to, check->name, check->state, check->report.status, check->report.offset,
                       check->report.expected, check->report.found);
    }
  }
}

/* The data first, so that wrong data are not taken for the work of another zlib. */
static gd_status compress_split(gd_rebuild *rebuild, const gd_split *split, gd_report *report) {
  const gd_expectation *expected = &split->expected;
  gd_checklist *checks = &rebuild->checks;
  uint8_t digest[GD_SHA256_BYTES];
  gd_arena deflate;
  gd_arena_init(&deflate, rebuild->deflate_memory, GD_GZIP_DEFLATE_MEMORY);
  gd_status status = gd_gzip_deflate(&deflate, split->bytes, split->layout.bytes, rebuild->gz,
                                     rebuild->gz_capacity, &rebuild->gz_bytes);
  if (status != GD_OK) {
    gd_checklist_fail(checks, "compression", status, GD_NO_OFFSET, "", "");
    return gd_checklist_result(checks, report);
  }
  gd_sha256_of(rebuild->gz, rebuild->gz_bytes, digest);
  gd_checklist_number(checks, "gzip size", GD_WRONG_GZIP_SIZE, rebuild->gz_bytes,
                      expected->gz_bytes, rebuild->gz_bytes);
  gd_checklist_digest(checks, "gzip SHA-256", GD_WRONG_GZIP_DIGEST, GD_NO_OFFSET,
                      expected->gz_sha256, digest, GD_SHA256_BYTES);
  return gd_checklist_result(checks, report);
}

/* The split is loaded as anyone would load it. */
static gd_status make_split(gd_rebuild *rebuild, int number, gd_report *report) {
  gd_split *split = rebuild->splits[number];
  gd_report fault;
  const uint32_t *order = NULL;
  uint32_t room_bytes = 0;
  gd_status status = select_images(rebuild, number, &order, &fault);
  if (status != GD_OK) {
    gd_checklist_fail(&rebuild->checks, "selection", status, fault.offset, fault.expected,
                      fault.found);
    return gd_checklist_result(&rebuild->checks, report);
  }
  gd_write_split(&split->layout, rebuild->images + gd_idx_header_bytes(GD_IDX_IMAGES),
                 rebuild->labels + gd_idx_header_bytes(GD_IDX_LABELS), order,
                 gd_split_room(split, &room_bytes));
  status = gd_split_append(split, split->layout.bytes, report);
  if (status == GD_OK) {
    status = gd_split_finish(split, false, report);
  }
  copy_checks(&rebuild->checks, &split->checks);
  return status == GD_OK ? compress_split(rebuild, split, report) : status;
}

static gd_status check_separation(gd_rebuild *rebuild, gd_report *report) {
  gd_report fault;
  gd_status status = gd_split_check_disjoint(rebuild->splits[GD_REBUILD_TRAIN],
                                             rebuild->splits[GD_REBUILD_VALIDATION], &fault);
  if (status == GD_OK) {
    return gd_checklist_pass(&rebuild->checks, "train and validation", "no image in both");
  }
  gd_checklist_fail(&rebuild->checks, "train and validation", status, fault.offset, fault.expected,
                    fault.found);
  return gd_checklist_result(&rebuild->checks, report);
}

static gd_status make_preview(gd_rebuild *rebuild, gd_report *report) {
  const gd_rebuild_plan *plan = &rebuild->plan;
  uint8_t digest[GD_SHA256_BYTES];
  rebuild->preview_bytes =
      gd_preview_write(rebuild->splits[GD_REBUILD_TRAIN], plan->n_preview, rebuild->preview);
  gd_sha256_of(rebuild->preview, rebuild->preview_bytes, digest);
  gd_checklist_number(&rebuild->checks, "size", GD_WRONG_PREVIEW_SIZE, rebuild->preview_bytes,
                      plan->preview_bytes, rebuild->preview_bytes);
  gd_checklist_digest(&rebuild->checks, "SHA-256", GD_WRONG_PREVIEW_DIGEST, GD_NO_OFFSET,
                      plan->preview_sha256, digest, GD_SHA256_BYTES);
  return gd_checklist_result(&rebuild->checks, report);
}

gd_status gd_rebuild_work(gd_rebuild *rebuild, gd_rebuild_step step, gd_report *report) {
  gd_status status = begin(rebuild, step, false, report);
  if (status != GD_OK) {
    return status;
  }
  switch (step) {
  case GD_STEP_POOLS:
    status = make_pools(rebuild, report);
    break;
  case GD_STEP_SEPARATION:
    status = check_separation(rebuild, report);
    break;
  case GD_STEP_PREVIEW:
    status = make_preview(rebuild, report);
    break;
  default:
    status = make_split(rebuild, split_of(step), report);
    break;
  }
  return end(rebuild, status);
}
