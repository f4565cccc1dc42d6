/* The residual MLP: its shape, its parameters, one training step, one forward pass.
 *
 *   h0      = ReLU(W0 x + b0),                     x = pixel / 255
 *   h_j     = ReLU(h_(j-1)[0:d] + gain_j (W_j h_(j-1) + b_j)),   j = 1..4, d = width of branch j's
 * output; a skipped branch gives h_j = ReLU(h_(j-1)[0:d]) and computes nothing logits  = W5 h4 + b5
 *
 * Layers are numbered 0..5: 0 the features, 1..4 the branches, 5 the classifier. Branch j is bit
 * j-1 of a mask.
 *
 * The order of every sum is part of the contract; a result depends on neither the number of threads
 * nor the engine:
 *   affine map       y[o]  = b[o], then + W[o][i] x[i] for i ascending, one product after the other
 *   input gradient   dx[i] = the bypass's dz[i] (0 where there is none), then + W[o][i] dy[o], o ascending
 *   weight gradient  g     = 0, then + dy[b][o] x[b][i] for images b ascending; bias: + dy[b][o]
 *   update           v     = momentum v + g;  w = w - learning_rate v
 * (and at the end of each epoch gd_velocities_settle)
 * "+ a b" rounds twice in the numerics mul-add, once in fused. Left out are products with an x that is zero in affine maps,
 * with a gradient dy that is zero in both gradients, and with a pixel that is zero in layer 0's. */
#ifndef GD_NN_NETWORK_H
#define GD_NN_NETWORK_H

#include "base/arena.h"
#include "base/status.h"
#include "dataset/format.h"

#include <stdint.h>

#define GD_N_BRANCHES 4
#define GD_N_LAYERS 6
#define GD_N_WIDTHS 7
#define GD_MAX_WIDTH 4096
#define GD_MAX_BATCH 128
#define GD_ALL_BRANCHES 15u

typedef struct gd_shape {
  uint32_t widths[GD_N_WIDTHS]; /* 784, the feature layer, four branches, 10 */
} gd_shape;

/* Accepts 784, then five widths 1..GD_MAX_WIDTH that do not increase, then 10; else WRONG_SHAPE,
 * whose report names the width at fault. */
gd_status gd_shape_check(const gd_shape *shape, gd_report *report);

/* Weights and biases of all six layers; the shape is a checked one. */
uint64_t gd_shape_n_parameters(const gd_shape *shape);

/* One value a parameter: weights, velocities or a checkpoint, in the kernels' own layout, padding
 * zero. The floats belong to the arena that they were taken from. */
typedef struct gd_parameters {
  gd_shape shape;
  float *values;     /* all layers, one block, 64-byte aligned */
  uint64_t n_values; /* length of the block, padding included */
} gd_parameters;

/* Takes room from the arena and clears it. OUT_OF_MEMORY where the arena has none (nothing is
 * written then). With a measuring arena only the arena's size grows. */
gd_status gd_parameters_take(gd_arena *arena, const gd_shape *shape, gd_parameters *out);

/* to = from, bit for bit; both of the same shape, not overlapping. */
void gd_parameters_copy(gd_parameters *to, const gd_parameters *from);

/* Row o of layer l's weight, (in) floats with in = widths[l]: written to, read from the caller's
 * `row`. */
void gd_parameters_write_row(gd_parameters *parameters, unsigned layer, uint32_t o,
                             const float *row);
void gd_parameters_read_row(const gd_parameters *parameters, unsigned layer, uint32_t o,
                            float *row);

/* Layer l's bias, (widths[l + 1]) floats inside `parameters`, to read and write. */
float *gd_parameters_bias(const gd_parameters *parameters, unsigned layer);

/* Activations and gradients of up to n_max_batch images; owned by the arena. */
typedef struct gd_workspace gd_workspace;

/* Takes a workspace for minibatches of 1..n_max_batch images (at most GD_MAX_BATCH); `training` !=
 * 0 makes room for gradients too. OUT_OF_MEMORY where the arena has no room; with a measuring arena
 * *out is NULL and only the size grows. */
gd_status gd_workspace_take(gd_arena *arena, const gd_shape *shape, uint32_t n_max_batch,
                            int training, gd_workspace **out);

/* The images of a minibatch: image k of it is image order[k] of a split (order == NULL: image first
 * + k). */
typedef struct gd_minibatch {
  const uint8_t *pixels; /* (split, 784) row-major, the whole split */
  const uint8_t *labels; /* (split); may be NULL for gd_network_forward */
  const uint32_t *order; /* (n_images) or NULL */
  uint32_t first;
  uint32_t n_images; /* 1..n_max_batch */
} gd_minibatch;

/* What one training step needs beside the images. */
typedef struct gd_step {
  unsigned skipped;          /* mask of the branches left out in this step */
  float gain[GD_N_BRANCHES]; /* of each branch that is not skipped */
  float learning_rate;
  float momentum;
} gd_step;

/* Threads that share a step's work; NULL stands for the caller alone. */
typedef struct gd_pool gd_pool;

/* One minibatch: forward, softmax cross-entropy, backward, update of parameters and velocities.
 * Skipped branches' weights and velocities keep their bits. Returns the mean cross-entropy of the
 * minibatch, before the update, summed in double over the images ascending; a value that is not
 * finite says that training has diverged. */
double gd_network_step(gd_parameters *parameters, gd_parameters *velocities,
                       gd_workspace *workspace, gd_pool *pool, const gd_minibatch *minibatch,
                       const gd_step *step);

/* The same step for a caller who must not be away for long: one call for each part 0, 1, ..,
 * GD_N_STEP_PARTS - 1, in this order and with the same arguments, leaves the same bits as
 * gd_network_step; the last call returns the loss. Between two parts the parameters are neither the
 * old ones nor the new, and the workspace is in use. */
#define GD_N_STEP_PARTS 15
double gd_network_step_part(gd_parameters *parameters, gd_parameters *velocities,
                            gd_workspace *workspace, gd_pool *pool, const gd_minibatch *minibatch,
                            const gd_step *step, unsigned part);

/* Sets every velocity with |v| < 2^-72 to 0: to be called at the end of each epoch.
 *
 * A weight whose gradient has become 0 (a pixel seen once, a unit that no longer fires) keeps a
 * velocity that shrinks by a tenth each step. It would end among the subnormal numbers and never
 * leave them (0.9 of the smallest rounds to itself), and processors take a hundred cycles for each
 * of these. From 2^-72 an epoch of up to 350 minibatches leads to no subnormal number: 0.9^350 >
 * 2^-54. What is left out moves a weight by less than 2^-70 in all. */
void gd_velocities_settle(gd_parameters *velocities);

/* The forward pass with gain 1 and the branches in `active` (GD_ALL_BRANCHES: full depth).
 * logits: (n_images, 10) row-major, the caller's. */
void gd_network_forward(const gd_parameters *parameters, gd_workspace *workspace, gd_pool *pool,
                        const gd_minibatch *minibatch, unsigned active, float *logits);

/* After a forward pass: h_layer (0..4) of image k of that minibatch, (widths[layer + 1]) floats
 * into the caller's `out`. */
void gd_workspace_read_activation(const gd_workspace *workspace, unsigned layer, uint32_t k,
                                  float *out);

/* Softmax and cross-entropy of one image's ten logits, exp and log in double (nn/elementary.h).
 * Writes ten probabilities rounded to float; returns -log(probability of `label`). */
double gd_softmax_cross_entropy(const float logits[GD_N_CLASSES], uint8_t label,
                                float probabilities[GD_N_CLASSES]);

/* "mul-add" or "fused": how this build rounds. */
const char *gd_network_numerics(void);

#endif
