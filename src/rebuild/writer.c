#include "rebuild/writer.h"

#include "base/bytes.h"

#include <string.h>

static void write_header(const gd_layout *layout, uint8_t *out) {
  memcpy(out, GD_MAGIC, GD_MAGIC_BYTES);
  gd_store_u32_le(out + GD_AT_COUNT, layout->n_images);
  gd_store_u32_le(out + GD_AT_ROWS, GD_N_ROWS);
  gd_store_u32_le(out + GD_AT_COLUMNS, GD_N_COLUMNS);
  gd_store_u32_le(out + GD_AT_PIXEL_OFFSET, layout->pixel_offset);
  gd_store_u32_le(out + GD_AT_LABEL_OFFSET, layout->label_offset);
  gd_store_u32_le(out + GD_AT_INDEX_OFFSET, layout->index_offset);
}

void gd_write_split(const gd_layout *layout, const uint8_t *images, const uint8_t *labels,
                    const uint32_t *order, uint8_t *out) {
  write_header(layout, out);
  for (uint32_t i = 0; i < layout->n_images; i++) {
    uint32_t image = order == NULL ? i : order[i];
    memcpy(out + layout->pixel_offset + (size_t)GD_N_PIXELS * i,
           images + (size_t)GD_N_PIXELS * image, GD_N_PIXELS);
    out[layout->label_offset + i] = labels[image];
    gd_store_u32_le(out + layout->index_offset + (size_t)4 * i, image);
  }
  memset(out + layout->padding_offset, 0, layout->index_offset - layout->padding_offset);
}
