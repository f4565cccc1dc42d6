/* Where the kernels keep things. Three layouts, each chosen so that a kernel's inner loop reads
 * forward:
 *
 * batch panels    activations h of layers 0..4      [n_images / 8][feature][8 images]
 *                 a dense affine map broadcasts a weight against 8 images
 * feature panels  h, and all gradients by image     [features / 32][image][32 features]
 *                 a value that is not zero is broadcast against 32 features of its image
 * weight panels   all weights                       [lanes / 32][column][32 lanes]
 *                 the same against 32 weights: lanes and columns are outputs and pixels in layer 0, whose input
 *                 is listed by what is not zero, and inputs and outputs in the others, whose gradient is
 *
 * Images beyond the minibatch are never read into a result. Features and lanes beyond the width are zero
 * in gradients, weights and velocities, and stay zero. */
#ifndef GD_NN_LAYOUT_H
#define GD_NN_LAYOUT_H

#include "nn/network.h"

#include <stddef.h>

#define GD_BATCH_PANEL 8
#define GD_FEATURE_PANEL 32

static inline uint32_t gd_round_up(uint32_t n, uint32_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

static inline uint32_t gd_n_panels(uint32_t n, uint32_t panel) {
  return (n + panel - 1) / panel;
}

/* Layer l's weight inside a parameter block. */
float *gd_parameters_weight(const gd_parameters *parameters, unsigned layer);

/* Copies batch panels to feature panels, feature_panels [ceil(n_features / 32)][n_rows][32]:
 *   batch_panels   [ceil(n_images / 8)][...][8], panel_stride floats from a panel to the next
 *   n_rows         images that a feature panel has room for, a multiple of 8 and >= n_images
 * Works on the feature panels begin..end-1. Features beyond n_features are written as zero. */
void gd_batch_to_feature_panels(const float *batch_panels, size_t panel_stride,
                                float *feature_panels, uint32_t n_rows, uint32_t n_features,
                                uint32_t n_images, uint32_t begin, uint32_t end);

/* The reverse, from the feature panels begin..end-1; features beyond n_features are not written. */
void gd_feature_to_batch_panels(const float *feature_panels, uint32_t n_rows, float *batch_panels,
                                size_t panel_stride, uint32_t n_features, uint32_t n_images,
                                uint32_t begin, uint32_t end);

#endif
