/* The GDMNIST1 file: a header of 32 bytes, then pixels, labels, padding, original indices.
 *
 *   byte  0  "GDMNIST1"
 *         8  number of images         all fields: unsigned, 32 bits, least significant byte first
 *        12  rows (28)
 *        16  columns (28)
 *        20  offset of the pixels (32)
 *        24  offset of the labels
 *        28  offset of the original indices
 *   pixels    (n_images, 784) uint8, row-major; 0 black, 255 white
 *   labels    (n_images) uint8, 0..9
 *   padding   0 to 3 zero bytes, up to a multiple of 4
 *   indices   (n_images) uint32: each image's place in its source collection, from 0 */
#ifndef GD_DATASET_FORMAT_H
#define GD_DATASET_FORMAT_H

#include "base/status.h"

#include <stdint.h>

#define GD_N_ROWS 28
#define GD_N_COLUMNS 28
#define GD_N_PIXELS 784
#define GD_N_CLASSES 10

#define GD_MAGIC "GDMNIST1"
#define GD_MAGIC_BYTES 8
#define GD_HEADER_BYTES 32

/* Where each header field stands. */
enum {
  GD_AT_COUNT = 8,
  GD_AT_ROWS = 12,
  GD_AT_COLUMNS = 16,
  GD_AT_PIXEL_OFFSET = 20,
  GD_AT_LABEL_OFFSET = 24,
  GD_AT_INDEX_OFFSET = 28
};

/* Where each part of a file of n_images stands. */
typedef struct gd_layout {
  uint32_t n_images;
  uint32_t pixel_offset;   /* GD_HEADER_BYTES */
  uint32_t label_offset;   /* pixel_offset + 784 n_images */
  uint32_t padding_offset; /* label_offset + n_images */
  uint32_t index_offset;   /* padding_offset rounded up to a multiple of 4 */
  uint32_t bytes;          /* index_offset + 4 n_images: the whole file */
} gd_layout;

/* Computes the layout of n_images (0 too). SIZE_OVERFLOW where the file would not fit into 32-bit
 * offsets; nothing is written then. */
gd_status gd_layout_of(uint32_t n_images, gd_layout *out);

#endif
