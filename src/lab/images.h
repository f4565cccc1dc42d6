/* A view of a verified split, or of the first part of one. */
#ifndef GD_LAB_IMAGES_H
#define GD_LAB_IMAGES_H

#include <stdint.h>

/* Borrowed: the split must stay open as long as anything looks at it through the view. */
typedef struct gd_images {
  const uint8_t *pixels; /* (n_images, 784) row-major */
  const uint8_t *labels; /* (n_images), each 0..9 */
  uint32_t n_images;
} gd_images;

#endif
