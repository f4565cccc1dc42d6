/* The dense kernels: affine map, input gradient, weight gradient with its update, for layers 1..5.
 *
 * Shapes are those of layout.h: x, h, dy, dz in batch panels [n_images / 8][width][8] with
 * `..._stride` floats from a panel to the next; weights in rows of `stride` floats. All pointers
 * are 16-byte aligned; no output overlaps an input. Every kernel works on the rows begin..end-1
 * only, so that threads can share a layer, and the sum orders of network.h hold whatever the range.
 */
#ifndef GD_NN_DENSE_H
#define GD_NN_DENSE_H

#include <stddef.h>
#include <stdint.h>

typedef struct gd_affine {
  float *weight; /* (n_out, n_in), rows `stride` floats apart */
  float *bias;   /* (n_out) */
  size_t stride;
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

/* dz = dx where h > 0, else 0; dx = dz_above (its first n_bypass rows; the bypass) + W^T dy.
 * h and dz are (n_in) wide: the activations below this layer and their gradient. begin..end are rows of
 * dz. W is read up to 7 floats past the end of a row. */
void gd_dense_input_gradient(const gd_affine *layer, gd_panels dy, gd_panels dz_above,
                             uint32_t n_bypass, gd_panels h, gd_panels dz, uint32_t n_panels,
                             uint32_t begin, uint32_t end);

/* Gradients of weight and bias over n_images images, each taken into v = momentum v + g, w = w -
 * learning_rate v at once. x in feature panels [ceil(n_in / 32)][n_rows][32]; velocity: same layout
 * as the layer. begin..end: rows of W. */
void gd_dense_update(const gd_affine *layer, const gd_affine *velocity, const float *x,
                     uint32_t n_rows, gd_panels dy, uint32_t n_images, float learning_rate,
                     float momentum, uint32_t begin, uint32_t end);

#endif
