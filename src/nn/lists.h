/* What is not zero in a minibatch's pixels, activations and gradients: the lists that the kernels (nn/sparse.h) walk along. */
#ifndef GD_NN_LISTS_H
#define GD_NN_LISTS_H

#include "nn/network.h"

/* A value that is not zero: of an image's list, where in its block its column is; of a column's, its image. */
typedef struct gd_entry {
  uint32_t at;
  float x;
} gd_entry;

/* Lists of entries, ascending, by blocks of columns. List k starts at entries[begins[k]]; its block j ends at
 * entries[ends[k * n_blocks + j]], and the next one starts there. */
typedef struct gd_lists {
  gd_entry *entries;
  uint32_t *begins; /* (n_lists) */
  uint32_t *ends;   /* (n_lists, n_blocks) */
  uint32_t n_blocks;
  uint32_t n_block_columns;
} gd_lists;

/* Columns of a block: so many weight rows of 32 floats stay in a first-level cache while all images pass. They are 36 kB; of
 * pixels 57 kB less the rows that are zero in every image. Multiples of a panel's width; of pixels of 64 too. */
#define GD_FEATURE_BLOCK 288u
#define GD_PIXEL_BLOCK 448u

/* A minibatch's matrix (n_images, n_columns) by what is not zero in it, both ways. */
typedef struct gd_sparse {
  gd_lists by_image;
  gd_lists by_column;
  uint32_t n_images;
  uint32_t n_columns;
} gd_sparse;

/* Takes lists for up to n_max_images x n_max_columns; by column only if `by_columns`. Check
 * arena->failed. */
void gd_lists_take(gd_arena *arena, uint32_t n_max_images, uint32_t n_max_columns, int by_columns,
                   gd_sparse *out);

/* Sets the size of the activations or gradients that are listed next, at most what was taken. */
void gd_lists_resize(gd_sparse *matrix, uint32_t n_images, uint32_t n_columns);

/* Lists a minibatch's pixels, scaled[value] = value / 255 of each, by image; by column too unless `seen`
 * is NULL, and marks in seen (784) the pixels that are not zero in some image. */
void gd_lists_write_pixels(gd_sparse *matrix, const gd_minibatch *minibatch,
                           const float scaled[256], uint8_t *seen);

/* Lists gain times the values (activations, or gradients dz) by image, for the images begin..end-1, or by column, for
 * the columns begin..end-1, begin a multiple of 4. values: feature panels [ceil(n_columns / 32)][n_rows][32], zero beyond
 * n_columns; n_rows a multiple of 4. */
void gd_lists_write_images(const gd_sparse *matrix, const float *values, uint32_t n_rows,
                           float gain, uint32_t begin, uint32_t end);
void gd_lists_write_columns(const gd_sparse *matrix, const float *values, uint32_t n_rows,
                            float gain, uint32_t begin, uint32_t end);

#endif
