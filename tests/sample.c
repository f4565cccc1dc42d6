#include "sample.h"

#include "base/gzip.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

static void put_u32(uint8_t *at, uint32_t value) {
  at[0] = (uint8_t)value;
  at[1] = (uint8_t)(value >> 8);
  at[2] = (uint8_t)(value >> 16);
  at[3] = (uint8_t)(value >> 24);
}

void sample_make(sample *made, uint64_t seed, uint32_t first_index) {
  gd_expectation *expected = &made->expectation;
  memset(made, 0, sizeof *made);
  memcpy(made->bytes, "GDMNIST1", 8);
  put_u32(made->bytes + 8, SAMPLE_IMAGES);
  put_u32(made->bytes + 12, 28);
  put_u32(made->bytes + 16, 28);
  put_u32(made->bytes + 20, 32);
  put_u32(made->bytes + 24, SAMPLE_LABELS_AT);
  put_u32(made->bytes + 28, SAMPLE_INDICES_AT);
  for (unsigned i = 0; i < 784 * SAMPLE_IMAGES; i++) {
    made->bytes[32 + i] = (uint8_t)support_random(&seed);
  }
  for (unsigned i = 0; i < SAMPLE_IMAGES; i++) {
    made->bytes[SAMPLE_LABELS_AT + i] = (uint8_t)(i % 10);
    put_u32(made->bytes + SAMPLE_INDICES_AT + 4 * i, first_index + 7 * i);
    expected->class_counts[i % 10]++;
  }
  expected->bytes = SAMPLE_BYTES;
  expected->n_images = SAMPLE_IMAGES;
  expected->n_collection = SAMPLE_COLLECTION;
  expected->is_balanced = 1;
  memcpy(expected->id, "sample", sizeof "sample");
  sample_rehash(made);
}

void sample_rehash(sample *made) {
  gd_sha256_of(made->bytes, SAMPLE_BYTES, made->expectation.sha256);
  gd_sha256_of(made->bytes + SAMPLE_INDICES_AT, 4 * (size_t)SAMPLE_IMAGES,
               made->expectation.index_sha256);
}

void sample_compress(sample *made) {
  gd_arena arena;
  size_t n = 0;
  void *block = support_block(GD_GZIP_DEFLATE_MEMORY);
  gd_arena_init(&arena, block, GD_GZIP_DEFLATE_MEMORY);
  if (gd_gzip_deflate(&arena, made->bytes, SAMPLE_BYTES, made->gz, sizeof made->gz, &n) != GD_OK) {
    abort();
  }
  free(block);
  made->expectation.gz_bytes = (uint32_t)n;
  gd_sha256_of(made->gz, n, made->expectation.gz_sha256);
}

gd_split *sample_open(const gd_expectation *expectation) {
  gd_arena arena;
  gd_split *split = NULL;
  size_t bytes = 0;
  if (gd_split_memory(expectation, &bytes, NULL) != GD_OK) {
    abort();
  }
  gd_arena_init(&arena, support_block(bytes), bytes);
  if (gd_split_take(&arena, expectation, &split, NULL) != GD_OK || arena.used != bytes) {
    abort();
  }
  split->bytes = support_exact(NULL, expectation->bytes);
  gd_gunzip_start(split->gunzip, split->bytes, expectation->bytes);
  return split;
}

void sample_close(gd_split *split) {
  free(split->bytes);
  free(split);
}

gd_status sample_append(gd_split *split, const uint8_t *bytes, uint32_t n, gd_report *report) {
  uint32_t room_bytes = 0;
  uint8_t *room = gd_split_room(split, &room_bytes);
  if (n <= room_bytes) {
    memcpy(room, bytes, n);
  }
  return gd_split_append(split, n, report);
}

gd_status sample_load(gd_split *split, const sample *made, gd_report *report) {
  gd_status status = sample_append(split, made->bytes, SAMPLE_BYTES, report);
  return status == GD_OK ? gd_split_finish(split, false, report) : status;
}
