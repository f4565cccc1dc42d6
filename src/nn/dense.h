/* The affine maps of layers 1..5, whose input is taken as it is, zeros and all.
 *
 * Activations x, h, y are in batch panels [n_images / 8][width][8] with `stride` floats from a panel to
 * the next, weights in weight panels (nn/layout.h). All pointers are 16-byte aligned; no output overlaps
 * an input. Both work on the outputs begin..end-1 only, so that threads can share a layer, and the sum
 * orders of network.h hold whatever the range. */
#ifndef GD_NN_DENSE_H
#define GD_NN_DENSE_H

#include <stddef.h>
#include <stdint.h>

typedef struct gd_affine {
  float *weight; /* [ceil(n_in / 32)][n_out][32] */
  float *bias;   /* (n_out), padded to whole panels */
  uint32_t n_in;
  uint32_t n_out;
} gd_affine;

/* Panels of n_panels * 8 images. */
typedef struct gd_panels {
  float *values;
  size_t stride;
} gd_panels;

/* Classifier: y = W x + b. */
void gd_dense_forward(const gd_affine *layer, gd_panels x, gd_panels y, uint32_t n_panels,
                      uint32_t begin, uint32_t end);

/* Branch: h = ReLU(x[0:n_out] + gain (W x + b)). */
void gd_dense_forward_branch(const gd_affine *layer, gd_panels x, gd_panels h, uint32_t n_panels,
                             float gain, uint32_t begin, uint32_t end);

#endif
