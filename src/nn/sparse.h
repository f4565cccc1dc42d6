/* The kernels that leave zeros out. Four of five pixels are zero, and so is every gradient behind a ReLU
 * that does not fire: half of them at first, two of three later. Only the affine maps of layers 1..5
 * see their input as it is (nn/dense.h); everything else walks over lists of what is not zero.
 *
 * Values are in feature panels and weights in weight panels (nn/layout.h), 16-byte aligned; no output
 * overlaps an input. Leaving out a product with zero is part of the sum orders of network.h. */
#ifndef GD_NN_SPARSE_H
#define GD_NN_SPARSE_H

#include "nn/network.h"

/* A value that is not zero: of an image's list, where its column is; of a column's, its image. */
typedef struct gd_entry {
  uint32_t at;
  float x;
} gd_entry;

/* Lists of entries, `at` ascending. List k starts at entries[begins[k]]; its entries with at < (j + 1) *
 * GD_LIST_BLOCK end at entries[ends[k * n_blocks + j]]. */
typedef struct gd_lists {
  gd_entry *entries;
  uint32_t *begins; /* (n_lists) */
  uint32_t *ends;   /* (n_lists, n_blocks) */
  uint32_t n_blocks;
} gd_lists;

/* Weight rows that stay in a first-level cache while all images pass: 32 floats each, 52 kB less the
 * rows that are zero in every image. A multiple of both panels' widths. */
#define GD_LIST_BLOCK 416u

/* A minibatch's matrix (n_images, n_columns) by what is not zero in it, both ways. */
typedef struct gd_sparse {
  gd_lists by_image;
  gd_lists by_column;
  uint32_t n_images;
  uint32_t n_columns;
} gd_sparse;

/* Takes lists for up to n_max_images x n_max_columns; by column only if `by_columns`. Check
 * arena->failed. */
void gd_sparse_take(gd_arena *arena, uint32_t n_max_images, uint32_t n_max_columns, int by_columns,
                    gd_sparse *out);

/* Sets the size of the matrix that is listed next, at most what was taken. */
void gd_sparse_resize(gd_sparse *matrix, uint32_t n_images, uint32_t n_columns);

/* Lists a minibatch's pixels, scaled[value] = value / 255 of each, by image; by column too unless `seen`
 * is NULL, and marks in seen (784) the pixels that are not zero in some image. */
void gd_sparse_list_pixels(gd_sparse *matrix, const gd_minibatch *minibatch,
                           const float scaled[256], uint8_t *seen);

/* Lists dy = gain dz by image, for the images begin..end-1, or by column, for the columns begin..end-1.
 * dz: feature panels [ceil(n_columns / 32)][n_rows][32], zero beyond n_columns. */
void gd_sparse_list_images(gd_sparse *matrix, const float *dz, uint32_t n_rows, float gain,
                           uint32_t begin, uint32_t end);
void gd_sparse_list_columns(gd_sparse *matrix, const float *dz, uint32_t n_rows, float gain,
                            uint32_t begin, uint32_t end);

/* h = ReLU(W x + b) of the listed x, for the feature panels begin..end-1: weight panels [panel][n_columns][32],
 * bias padded to whole panels, h feature panels [panel][n_rows][32]. */
void gd_sparse_forward(const gd_sparse *x, const float *weight, const float *bias, float *h,
                       uint32_t n_rows, uint32_t begin, uint32_t end);

/* dz = dx where h > 0, else 0; dx = dz_above (its n_bypass columns; the bypass) + W^T dy, for the
 * feature panels begin..end-1 of dz. Weight panels [panel][n_columns of dy][32]; h, dz and dz_above in
 * feature panels, all with n_rows. */
void gd_sparse_input_gradient(const gd_sparse *dy, const float *weight, const float *dz_above,
                              uint32_t n_bypass, const float *h, float *dz, uint32_t n_rows,
                              uint32_t begin, uint32_t end);

/* How a weight moves: v = momentum v + g, w = w - learning_rate v. */
typedef struct gd_descent {
  float learning_rate;
  float momentum;
} gd_descent;

/* Part of a weight: columns of its panels. */
typedef struct gd_weight_range {
  uint32_t first_panel, end_panel;
  uint32_t first_column, end_column;
} gd_weight_range;

/* g[column][i] = sum over images of listed[column] other[i], and the update of weight and velocity
 * [panel][n_columns][32] with it. `other`: feature panels with n_rows. A column with seen[column] == 0
 * has never been listed; its gradient and its velocity are zero, and it is left out (NULL: all have been). */
void gd_sparse_update(const gd_sparse *listed, const float *other, uint32_t n_rows,
                      const uint8_t *seen, float *weight, float *velocity, gd_descent descent,
                      gd_weight_range range);

/* g = sum over n_images images of gain dz, and the update of a bias with it, for the feature panels
 * begin..end-1 of dz. */
void gd_sparse_update_bias(const float *dz, uint32_t n_rows, uint32_t n_images, float gain,
                           float *bias, float *velocity, gd_descent descent, uint32_t begin,
                           uint32_t end);

#endif
