/* Where the kernels keep things. Two layouts, each chosen so that a kernel's inner loop reads forward:
 *
 * feature panels  activations, and all gradients by image   [features / 32][image][32 features]
 * weight panels   all weights                               [lanes / 32][column][32 lanes]
 *                 A value that is not zero is broadcast against 32 features of its image, or 32 weights. Lanes and
 *                 columns are outputs and pixels in layer 0, inputs and outputs in the others, as their input gradient
 *                 and update want it; their forward pass turns blocks of them round as it goes.
 *
 * Features and lanes beyond the width are zero, and stay zero. */
#ifndef GD_NN_LAYOUT_H
#define GD_NN_LAYOUT_H

#include "nn/network.h"

#include <stddef.h>

#define GD_FEATURE_PANEL 32

static inline uint32_t gd_round_up(uint32_t n, uint32_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

static inline uint32_t gd_n_panels(uint32_t n, uint32_t panel) {
  return (n + panel - 1) / panel;
}

/* Clears the features n_features.. of a feature panel's n_images rows; nothing if there are none. */
void gd_panel_clear_beyond(float *panel, uint32_t n_images, uint32_t n_features);

/* Layer l's weight inside a parameter block. */
float *gd_parameters_weight(const gd_parameters *parameters, unsigned layer);

#endif
