/* The exports that load a split: the same in both modules. */
#include "wasm/common.h"

#include <string.h>

/* Large enough for every check with its longest texts; a test fills it. */
#define CHECKS_TEXT_BYTES (64 * 1024)

static gd_expectation expectation;

static gd_split *get(int32_t handle) {
  return gd_handle_get(GD_HANDLE_SPLIT, handle);
}

/* Of a verified split only: nobody trains on unproven pixels. */
static gd_split *get_verified(int32_t handle) {
  gd_split *split = get(handle);
  if (split != NULL && split->state != GD_SPLIT_VERIFIED) {
    gd_report_fault(gd_last_report(), GD_WRONG_STATE, GD_NO_OFFSET, split->expected.id,
                    "a verified split", "one that is not");
    return NULL;
  }
  return split;
}

/* The struct that JavaScript fills before gd_split_open; cleared by it. */
GD_EXPORT(gd_expectation *, split_expectation, (void)) {
  memset(&expectation, 0, sizeof expectation);
  return &expectation;
}

/* A handle, or a negative status: MANIFEST_INCONSISTENT, SIZE_OVERFLOW, OUT_OF_MEMORY. */
GD_EXPORT(int32_t, split_open, (void)) {
  gd_report *report = gd_last_report();
  size_t bytes = 0;
  gd_status status = gd_split_memory(&expectation, &bytes, report);
  if (status != GD_OK) {
    return gd_result(status);
  }
  void *block = gd_block_allocate(bytes);
  if (block == NULL) {
    return gd_result(GD_OUT_OF_MEMORY);
  }
  gd_arena arena;
  gd_split *split = NULL;
  gd_arena_init(&arena, block, bytes);
  status = gd_split_take(&arena, &expectation, &split, report);
  int32_t handle = status == GD_OK ? gd_handle_open(GD_HANDLE_SPLIT, split) : gd_result(status);
  if (handle < 0) {
    gd_block_free(block);
  }
  return handle;
}

/* Where the next raw bytes go; NULL for a stale handle. */
GD_EXPORT(uint8_t *, split_room, (int32_t handle)) {
  gd_split *split = get(handle);
  uint32_t room_bytes = 0;
  return split == NULL ? NULL : gd_split_room(split, &room_bytes);
}

/* For how many there is room; 0 for a stale handle. */
GD_EXPORT(uint32_t, split_room_bytes, (int32_t handle)) {
  gd_split *split = get(handle);
  uint32_t room_bytes = 0;
  if (split != NULL) {
    gd_split_room(split, &room_bytes);
  }
  return room_bytes;
}

/* n raw bytes have been written at the room. A chunk longer than the room is not written at all but
 * still told here: with n > room_bytes nothing is read, and TOO_LONG comes back. */
GD_EXPORT(int32_t, split_append, (int32_t handle, uint32_t n)) {
  gd_split *split = get(handle);
  gd_status status = split == NULL ? GD_STALE_HANDLE : gd_split_append(split, n, gd_last_report());
  if (status == GD_OK) {
    gd_hash_arrived(split);
  }
  return gd_result(status);
}

GD_EXPORT(int32_t, split_gzip_hash, (int32_t handle, const uint8_t *bytes, uint32_t n)) {
  gd_split *split = get(handle);
  return gd_result(split == NULL ? GD_STALE_HANDLE
                                 : gd_split_gzip_hash(split, bytes, n, gd_last_report()));
}

GD_EXPORT(int32_t, split_inflate, (int32_t handle, const uint8_t *bytes, uint32_t n)) {
  gd_split *split = get(handle);
  gd_status status =
      split == NULL ? GD_STALE_HANDLE : gd_split_inflate(split, bytes, n, gd_last_report());
  if (status == GD_OK) {
    gd_hash_arrived(split);
  }
  return gd_result(status);
}

GD_EXPORT(int32_t, split_finish, (int32_t handle, int32_t was_gzip)) {
  gd_split *split = get(handle);
  gd_hash_settle();
  return gd_result(split == NULL ? GD_STALE_HANDLE
                                 : gd_split_finish(split, was_gzip != 0, gd_last_report()));
}

/* The checks as a JSON array (dataset/check.h), valid until the next call; "" for a stale handle.
 * Before gd_split_finish the array is empty. */
GD_EXPORT(const char *, split_checks, (int32_t handle)) {
  static char text[CHECKS_TEXT_BYTES];
  gd_split *split = get(handle);
  gd_json json;
  gd_json_init(&json, text, sizeof text);
  if (split != NULL) {
    gd_checklist_write(&split->checks, &json);
  }
  return text;
}

GD_EXPORT(int32_t, split_disjoint, (int32_t a, int32_t b)) {
  gd_split *split_a = get_verified(a);
  gd_split *split_b = split_a == NULL ? NULL : get_verified(b);
  return gd_result(split_b == NULL ? gd_last_report()->status
                                   : gd_split_check_disjoint(split_a, split_b, gd_last_report()));
}

/* Of a verified split: the number of images, and where its parts stand; 0 / NULL otherwise. */
GD_EXPORT(uint32_t, split_n_images, (int32_t handle)) {
  gd_split *split = get_verified(handle);
  return split == NULL ? 0 : split->layout.n_images;
}

GD_EXPORT(const uint8_t *, split_pixels, (int32_t handle)) {
  gd_split *split = get_verified(handle);
  return split == NULL ? NULL : gd_split_pixels(split);
}

GD_EXPORT(const uint8_t *, split_labels, (int32_t handle)) {
  gd_split *split = get_verified(handle);
  return split == NULL ? NULL : gd_split_labels(split);
}

/* (n_images) uint32, 4-byte aligned. */
GD_EXPORT(const uint8_t *, split_indices, (int32_t handle)) {
  gd_split *split = get_verified(handle);
  return split == NULL ? NULL : split->bytes + split->layout.index_offset;
}

/* Gives the split up, loaded or not; WRONG_STATE while a run uses it. */
GD_EXPORT(int32_t, split_close, (int32_t handle)) {
  gd_hash_settle();
  gd_split *split = gd_handle_close(GD_HANDLE_SPLIT, handle);
  gd_block_free(split);
  return gd_result(split == NULL ? gd_last_report()->status : GD_OK);
}
