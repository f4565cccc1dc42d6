#include "dataset/split.h"

#include "base/bytes.h"
#include "base/text.h"
#include "dataset/verify.h"

#include <string.h>

static gd_status inconsistent(gd_report *report, const char *subject, uint64_t expected,
                              uint64_t found) {
  return gd_report_numbers(report, GD_MANIFEST_INCONSISTENT, GD_NO_OFFSET, subject, expected,
                           found);
}

gd_status gd_expectation_check(const gd_expectation *expectation, gd_report *report) {
  gd_layout layout;
  uint64_t n_counted = 0;
  if (memchr(expectation->id, '\0', sizeof expectation->id) == NULL) {
    return inconsistent(report, "longest split id", sizeof expectation->id - 1,
                        sizeof expectation->id);
  }
  if (gd_layout_of(expectation->n_images, &layout) != GD_OK) {
    return gd_report_numbers(report, GD_SIZE_OVERFLOW, GD_NO_OFFSET, "image count", 0,
                             expectation->n_images);
  }
  if (expectation->n_images == 0) {
    return inconsistent(report, "smallest image count", 1, 0);
  }
  if (expectation->bytes != layout.bytes) {
    return inconsistent(report, "bytes for this image count", layout.bytes, expectation->bytes);
  }
  if (expectation->n_collection > GD_MAX_COLLECTION) {
    return inconsistent(report, "largest collection", GD_MAX_COLLECTION, expectation->n_collection);
  }
  if (expectation->n_images > expectation->n_collection) {
    return inconsistent(report, "images of the collection", expectation->n_images,
                        expectation->n_collection);
  }
  for (unsigned digit = 0; digit < GD_N_CLASSES; digit++) {
    n_counted += expectation->class_counts[digit];
    if (expectation->is_balanced &&
        expectation->class_counts[digit] != expectation->class_counts[0]) {
      return inconsistent(report, "class count of a balanced split", expectation->class_counts[0],
                          expectation->class_counts[digit]);
    }
  }
  if (n_counted != expectation->n_images) {
    return inconsistent(report, "sum of the class counts", expectation->n_images, n_counted);
  }
  return GD_OK;
}

/* The one description of what a split consists of: measured and taken by the same lines. */
static gd_split *lay_out(gd_arena *arena, const gd_expectation *expectation) {
  gd_split *split = gd_arena_take(arena, 1, sizeof *split);
  uint8_t *bytes = gd_arena_take(arena, 1, expectation->bytes);
  uint8_t *is_member = gd_arena_take(arena, 1, (size_t)expectation->n_collection / 8 + 1);
  gd_gunzip *gunzip = NULL;
  if (gd_gunzip_take(arena, &gunzip) != GD_OK || split == NULL) {
    return NULL;
  }
  memset(split, 0, sizeof *split);
  split->bytes = bytes;
  split->is_member = is_member;
  split->gunzip = gunzip;
  return split;
}

gd_status gd_split_memory(const gd_expectation *expectation, size_t *bytes, gd_report *report) {
  gd_arena arena;
  gd_status status = gd_expectation_check(expectation, report);
  if (status != GD_OK) {
    return status;
  }
  gd_arena_init_measuring(&arena);
  lay_out(&arena, expectation);
  *bytes = arena.used;
  return arena.failed ? gd_report_numbers(report, GD_SIZE_OVERFLOW, GD_NO_OFFSET, "bytes", 0,
                                          expectation->bytes)
                      : GD_OK;
}

gd_status gd_split_take(gd_arena *arena, const gd_expectation *expectation, gd_split **out,
                        gd_report *report) {
  *out = NULL;
  gd_status status = gd_expectation_check(expectation, report);
  if (status != GD_OK) {
    return status;
  }
  gd_split *split = lay_out(arena, expectation);
  if (split == NULL) {
    return gd_report_numbers(report, GD_OUT_OF_MEMORY, GD_NO_OFFSET, "bytes of memory",
                             expectation->bytes, arena->capacity);
  }
  split->expected = *expectation;
  gd_layout_of(expectation->n_images, &split->layout);
  split->state = GD_SPLIT_LOADING;
  gd_sha256_init(&split->hash);
  gd_sha256_init(&split->gz_hash);
  gd_gunzip_start(split->gunzip, split->bytes, expectation->bytes);
  *out = split;
  return GD_OK;
}

static gd_status wrong_state(const gd_split *split, const char *expected, gd_report *report) {
  static const char *const names[] = {"a split that is loading", "a verified split",
                                      "a refused split"};
  return gd_report_fault(report, GD_WRONG_STATE, GD_NO_OFFSET, split->expected.id, expected,
                         names[split->state]);
}

/* Ends a load before its end; the fault becomes the only check. */
static gd_status refuse_too_long(gd_split *split, const char *check, uint64_t expected,
                                 uint64_t found, gd_report *report) {
  split->state = GD_SPLIT_REFUSED;
  split->checks.n_checks = 0;
  gd_checklist_number(&split->checks, check, GD_TOO_LONG, expected, expected, found);
  return gd_checklist_result(&split->checks, report);
}

uint8_t *gd_split_room(gd_split *split, uint32_t *room_bytes) {
  *room_bytes = split->state == GD_SPLIT_LOADING ? split->expected.bytes - split->n_bytes : 0;
  return split->bytes + split->n_bytes;
}

void gd_split_hash(gd_split *split, uint32_t end) {
  gd_sha256_update(&split->hash, split->bytes + split->n_hashed, end - split->n_hashed);
  split->n_hashed = end;
}

gd_status gd_split_append(gd_split *split, uint32_t n, gd_report *report) {
  if (split->state != GD_SPLIT_LOADING || split->uses_gunzip) {
    return wrong_state(split, "a split that is loading, uncompressed", report);
  }
  if (n > split->expected.bytes - split->n_bytes) {
    return refuse_too_long(split, "size", split->expected.bytes, (uint64_t)split->n_bytes + n,
                           report);
  }
  split->n_bytes += n;
  return GD_OK;
}

gd_status gd_split_gzip_hash(gd_split *split, const uint8_t *bytes, uint32_t n, gd_report *report) {
  if (split->state != GD_SPLIT_LOADING) {
    return wrong_state(split, "a split that is loading", report);
  }
  split->n_gz_bytes += n;
  if (split->n_gz_bytes > split->expected.gz_bytes) {
    return refuse_too_long(split, "gzip size", split->expected.gz_bytes, split->n_gz_bytes, report);
  }
  gd_sha256_update(&split->gz_hash, bytes, n);
  return GD_OK;
}

gd_status gd_split_inflate(gd_split *split, const uint8_t *bytes, uint32_t n, gd_report *report) {
  if (split->state != GD_SPLIT_LOADING || (split->n_bytes > 0 && !split->uses_gunzip)) {
    return wrong_state(split, "a split that is loading, compressed", report);
  }
  split->uses_gunzip = true;
  gd_status status = gd_gunzip_feed(split->gunzip, bytes, n, report);
  if (status == GD_TOO_LONG) {
    /* At least one more; zlib has not been asked how many. */
    return refuse_too_long(split, "size", split->expected.bytes,
                           (uint64_t)split->expected.bytes + 1, report);
  }
  split->n_bytes = (uint32_t)gd_gunzip_n_written(split->gunzip);
  return status;
}

gd_status gd_split_finish(gd_split *split, bool was_gzip, gd_report *report) {
  if (split->state != GD_SPLIT_LOADING) {
    return wrong_state(split, "a split that is loading", report);
  }
  gd_split_hash(split, split->n_bytes);
  gd_split_verify(split, was_gzip || split->uses_gunzip);
  gd_status status = gd_checklist_result(&split->checks, report);
  split->state = status == GD_OK ? GD_SPLIT_VERIFIED : GD_SPLIT_REFUSED;
  return status;
}

const uint8_t *gd_split_pixels(const gd_split *split) {
  return split->bytes + split->layout.pixel_offset;
}

const uint8_t *gd_split_labels(const gd_split *split) {
  return split->bytes + split->layout.label_offset;
}

uint32_t gd_split_index(const gd_split *split, uint32_t i) {
  return gd_load_u32_le(split->bytes + split->layout.index_offset + (size_t)4 * i);
}

static gd_status overlap(const gd_split *a, const gd_split *b, uint32_t i, gd_report *report) {
  char expected[64] = "no index of ";
  char found[64];
  gd_text_append(expected, sizeof expected, a->expected.id);
  gd_text_u64(found, gd_split_index(b, i));
  gd_text_append(found, sizeof found, " in both");
  return gd_report_fault(report, GD_SPLITS_OVERLAP,
                         (uint64_t)b->layout.index_offset + (uint64_t)4 * i, b->expected.id,
                         expected, found);
}

gd_status gd_split_check_disjoint(const gd_split *a, const gd_split *b, gd_report *report) {
  if (a->state != GD_SPLIT_VERIFIED || b->state != GD_SPLIT_VERIFIED) {
    return wrong_state(a->state != GD_SPLIT_VERIFIED ? a : b, "a verified split", report);
  }
  if (a->expected.n_collection != b->expected.n_collection) {
    return GD_OK;
  }
  for (uint32_t i = 0; i < b->layout.n_images; i++) {
    uint32_t index = gd_split_index(b, i);
    if ((a->is_member[index / 8] >> (index % 8) & 1) != 0) {
      return overlap(a, b, i, report);
    }
  }
  return GD_OK;
}
