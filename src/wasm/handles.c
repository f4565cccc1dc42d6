#include "wasm/common.h"

/* A handle is generation * GD_MAX_HANDLES + slot: closing raises the slot's generation, so that an
 * old number does not name the slot's next object. */
#define GD_MAX_HANDLES 64
#define GD_MAX_GENERATION (INT32_MAX / GD_MAX_HANDLES - 1)

static struct {
  gd_handle_kind kind;
  int32_t generation;
  uint32_t n_holds;
  void *object;
} slots[GD_MAX_HANDLES];

int32_t gd_handle_open(gd_handle_kind kind, void *object) {
  for (int32_t slot = 0; slot < GD_MAX_HANDLES; slot++) {
    if (slots[slot].kind == GD_HANDLE_NONE && slots[slot].generation < GD_MAX_GENERATION) {
      slots[slot].kind = kind;
      slots[slot].object = object;
      slots[slot].generation++;
      return slots[slot].generation * GD_MAX_HANDLES + slot;
    }
  }
  return gd_result(gd_report_numbers(gd_last_report(), GD_OUT_OF_MEMORY, GD_NO_OFFSET,
                                     "open handles", GD_MAX_HANDLES, GD_MAX_HANDLES + 1));
}

void *gd_handle_get(gd_handle_kind kind, int32_t handle) {
  int32_t slot = handle % GD_MAX_HANDLES;
  if (handle <= 0 || slots[slot].kind != kind ||
      slots[slot].generation != handle / GD_MAX_HANDLES) {
    gd_report_fault(gd_last_report(), GD_STALE_HANDLE, GD_NO_OFFSET, "handle", "", "");
    return NULL;
  }
  return slots[slot].object;
}

void *gd_handle_close(gd_handle_kind kind, int32_t handle) {
  void *object = gd_handle_get(kind, handle);
  int32_t slot = handle % GD_MAX_HANDLES;
  if (object == NULL) {
    return NULL;
  }
  if (slots[slot].n_holds > 0) {
    gd_report_fault(gd_last_report(), GD_WRONG_STATE, GD_NO_OFFSET, "handle", "no user of it",
                    "one that is still open");
    return NULL;
  }
  slots[slot].kind = GD_HANDLE_NONE;
  slots[slot].object = NULL;
  return object;
}

void gd_handle_hold(int32_t handle) {
  slots[handle % GD_MAX_HANDLES].n_holds++;
}

void gd_handle_release(int32_t handle) {
  slots[handle % GD_MAX_HANDLES].n_holds--;
}
