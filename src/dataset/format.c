#include "dataset/format.h"

#include "base/checked.h"

gd_status gd_layout_of(uint32_t n_images, gd_layout *out) {
  gd_layout layout = {.n_images = n_images, .pixel_offset = GD_HEADER_BYTES};
  uint32_t pixel_bytes = 0;
  uint32_t index_bytes = 0;
  if (!gd_checked_mul_u32(n_images, GD_N_PIXELS, &pixel_bytes) ||
      !gd_checked_add_u32(layout.pixel_offset, pixel_bytes, &layout.label_offset) ||
      !gd_checked_add_u32(layout.label_offset, n_images, &layout.padding_offset) ||
      !gd_checked_round_up_u32(layout.padding_offset, 4, &layout.index_offset) ||
      !gd_checked_mul_u32(n_images, 4, &index_bytes) ||
      !gd_checked_add_u32(layout.index_offset, index_bytes, &layout.bytes)) {
    return GD_SIZE_OVERFLOW;
  }
  *out = layout;
  return GD_OK;
}
