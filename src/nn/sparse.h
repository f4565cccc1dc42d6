/* The kernels: all of them leave zeros out. Four of five pixels are zero, and so is what comes from a ReLU that does not fire
 * and every gradient behind it: a third of them at first, two of three later. So everything walks over lists of what
 * is not zero.
 *
 * Values are in feature panels and weights in weight panels (nn/layout.h), 16-byte aligned; no output
 * overlaps an input. Leaving out a product with zero is part of the sum orders of network.h. */
#ifndef GD_NN_SPARSE_H
#define GD_NN_SPARSE_H

#include "nn/lists.h"

/* h = ReLU(W x + b) of the listed x, for the feature panels begin..end-1: weight panels [panel][n_columns][32],
 * bias padded to whole panels, h feature panels [panel][n_rows][32]. */
void gd_sparse_forward_features(const gd_sparse *x, const float *weight, const float *bias,
                                float *h, uint32_t n_rows, uint32_t begin, uint32_t end);

/* The affine map of a layer 1..5. */
typedef struct gd_affine {
  float *weight; /* weight panels [ceil(n_in / 32)][n_out][32] */
  float *bias;   /* (n_out), padded to whole panels */
  uint32_t n_in;
  uint32_t n_out;
} gd_affine;

/* Floats of the table in which gd_sparse_forward_affine turns weights round. */
#define GD_TABLE_FLOATS ((size_t)GD_FEATURE_BLOCK * GD_FEATURE_PANEL)

/* out = W x + b of the listed x, or, with a bypass, ReLU(bypass + gain (W x + b)), for the feature panels
 * begin..end-1 of out. bypass and out: feature panels with n_rows; out is zero beyond n_out, the bypass need not be.
 * table: GD_TABLE_FLOATS of the caller's, whose content is lost. */
void gd_sparse_forward_affine(const gd_sparse *x, const gd_affine *layer, const float *bypass,
                              float gain, float *table, float *out, uint32_t n_rows, uint32_t begin,
                              uint32_t end);

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
