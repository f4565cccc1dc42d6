/* Writes a GDMNIST1 file. */
#ifndef GD_REBUILD_WRITER_H
#define GD_REBUILD_WRITER_H

#include "dataset/format.h"

#include <stdint.h>

/* Writes the file of layout->n_images images: image i is image order[i] of the collection (order
 * == NULL: image i), and that number is its original index.
 *   images  (collection, 784), labels (collection): not overlapping `out`
 *   out     (layout->bytes), written from the first byte to the last */
void gd_write_split(const gd_layout *layout, const uint8_t *images, const uint8_t *labels,
                    const uint32_t *order, uint8_t *out);

#endif
