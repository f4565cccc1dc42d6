/* The first layer on sparse uint8 pixels. Four pixels of five are zero, so a minibatch is walked by
 * its pixels that are not: once by image (for the forward pass) and once by pixel (for the weight
 * gradient). Leaving a zero out changes no bit: the sum would gain +0 or -0 only. */
#ifndef GD_NN_SPARSE_H
#define GD_NN_SPARSE_H

#include "nn/network.h"

/* A pixel that is not zero: `row` is the pixel's number in an image's list, the image's number in a
 * pixel's list. */
typedef struct gd_entry {
  uint32_t row;
  float x; /* pixel / 255 */
} gd_entry;

/* A minibatch's non-zero pixels, both ways; room for GD_MAX_BATCH images. */
typedef struct gd_sparse_batch {
  gd_entry *by_image;    /* image after image, pixels ascending */
  gd_entry *by_pixel;    /* pixel after pixel, images ascending */
  uint32_t *image_start; /* (n_images + 1) into by_image */
  uint32_t *pixel_start; /* (784 + 1) into by_pixel */
  uint8_t *touched;      /* (784) this pixel has been non-zero in some step so far */
  float scaled[256];     /* value / 255 */
  uint32_t n_images;
} gd_sparse_batch;

/* Takes a batch for up to n_max_batch images; by_pixel and touched only when training. Check
 * arena->failed. */
gd_sparse_batch *gd_sparse_take(gd_arena *arena, uint32_t n_max_batch, int training);

/* Forgets which pixels have been non-zero. Only right when every velocity of layer 0 is zero. */
void gd_sparse_reset(gd_sparse_batch *batch);

/* Collects the minibatch's images. */
void gd_sparse_gather(gd_sparse_batch *batch, const gd_minibatch *minibatch);

/* Sorts what was gathered by pixel, and marks the pixels as touched. */
void gd_sparse_transpose(gd_sparse_batch *batch);

/* h0 = ReLU(W0 x + b0), for the feature panels begin..end-1:
 * weight [panel][784][32], bias (padded to whole panels), h [panel][n_rows][32]. */
void gd_sparse_forward(const gd_sparse_batch *batch, const float *weight, const float *bias,
                       float *h, uint32_t n_rows, uint32_t begin, uint32_t end);

/* Weight gradient sum over images of dy x, and the update of network.h, for the panels
 * begin..end-1; dy [panel][n_rows][32]. A pixel that was never non-zero has zero gradient and zero
 * velocity: its update would change nothing and is left out. */
void gd_sparse_update(const gd_sparse_batch *batch, float *weight, float *weight_velocity,
                      float *bias, float *bias_velocity, const float *dy, uint32_t n_rows,
                      float learning_rate, float momentum, uint32_t begin, uint32_t end);

#endif
