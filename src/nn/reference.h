/* The readable reference: one scalar loop per kernel, plain row-major arrays, the sum orders of
 * network.h. The fast kernels must give the same bits (tests, and gd_self_check at start in every
 * engine). */
#ifndef GD_NN_REFERENCE_H
#define GD_NN_REFERENCE_H

#include "nn/network.h"

#include <stddef.h>

/* y (batch, out) = x (batch, in) W^T + b, W (out, in). An x that is zero is left out. */
void gd_reference_affine(const float *x, const float *weight, const float *bias, float *y,
                         uint32_t n_batch, uint32_t n_in, uint32_t n_out);

/* h (batch, out) = ReLU(x[:, 0:out] + gain y), y (batch, out), x (batch, in), out <= in. */
void gd_reference_bypass(const float *x, const float *y, float gain, float *h, uint32_t n_batch,
                         uint32_t n_in, uint32_t n_out);

/* dx (batch, in) = dz (batch, n_bypass) in its first n_bypass columns, 0 elsewhere, + dy (batch,
 * out) W, then 0 where h (batch, in) <= 0. A dy that is zero is left out, here and in the update. */
void gd_reference_input_gradient(const float *dy, const float *dz, uint32_t n_bypass,
                                 const float *weight, const float *h, float *dx, uint32_t n_batch,
                                 uint32_t n_in, uint32_t n_out);

/* g = dy^T x (out, in), for the bias the sum of dy; v = momentum v + g, w = w - learning_rate v. */
void gd_reference_update(const float *x, const float *dy, float *weight, float *bias,
                         float *weight_velocity, float *bias_velocity, float learning_rate,
                         float momentum, uint32_t n_batch, uint32_t n_in, uint32_t n_out);

/* x (batch, 784) = pixels / 255. */
void gd_reference_scale(const uint8_t *pixels, float *x, size_t n);

/* Floats of scratch memory that gd_reference_step needs. */
size_t gd_reference_scratch(const gd_shape *shape, uint32_t n_batch);

/* gd_network_step out of the kernels above. parameters and velocities are canonical: layer 0's
 * weight (out, in), its bias, layer 1's weight, ... Returns the mean cross-entropy. */
double gd_reference_step(const gd_shape *shape, float *parameters, float *velocities,
                         const gd_minibatch *minibatch, const gd_step *step, float *scratch);

#endif
