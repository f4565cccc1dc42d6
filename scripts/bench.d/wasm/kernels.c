/* The engine's kernels one by one, on one layer of any shape, 64 images: linked with the library that
 * the engine is made of. Kernels are called through pointers that the compilers cannot see through,
 * so that they stay the functions that they are. */
#include "base/arena.h"
#include "nn/dense.h"
#include "nn/layout.h"
#include "nn/sparse.h"

#include <stddef.h>
#include <stdint.h>

#define EXPORT(type, name, parameters)                                                             \
  __attribute__((export_name(#name))) type name parameters;                                        \
  type name parameters

enum { N_IMAGES = 64, N_BATCH_PANELS = N_IMAGES / GD_BATCH_PANEL, MEMORY_BYTES = 96 << 20 };

/* Small, so that thousands of updates change no weight much. */
static const float LEARNING_RATE = 1e-7f;
static const float MOMENTUM = 0.9f;

static _Alignas(GD_ARENA_ALIGNMENT) uint8_t memory[MEMORY_BYTES];
static uint8_t pixels[N_IMAGES * GD_N_PIXELS];

static gd_affine layer, velocity;
static gd_panels x, y, dx, dy; /* batch panels of the input, the output, their gradients */
static float *x_features;      /* input in feature panels */
static float *y_features;      /* output, or its gradient, in feature panels */
static gd_sparse_batch *sparse;

static float next_random(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return (float)(state >> 8) / 16777216.0f - 0.4f;
}

static float *take(gd_arena *arena, size_t n) {
  float *values = gd_arena_take(arena, n, sizeof *values);
  for (size_t i = 0; values != NULL && i < n; i++) {
    values[i] = next_random();
  }
  return values;
}

static gd_panels take_panels(gd_arena *arena, uint32_t width) {
  const size_t stride = (size_t)width * GD_BATCH_PANEL;
  return (gd_panels){take(arena, N_BATCH_PANELS * stride), stride};
}

static float *take_features(gd_arena *arena, uint32_t width) {
  return take(arena, (size_t)gd_round_up(width, GD_FEATURE_PANEL) * N_IMAGES);
}

static gd_affine take_layer(gd_arena *arena, uint32_t n_in, uint32_t n_out, int is_first) {
  const size_t stride = gd_round_up(n_in, 8);
  const size_t n_rows = is_first ? gd_round_up(n_out, GD_FEATURE_PANEL) : n_out;
  return (gd_affine){take(arena, n_rows * stride), take(arena, n_rows), stride, n_in, n_out};
}

static void (*volatile dense_forward)(const gd_affine *, gd_panels, gd_panels, uint32_t, float,
                                      uint32_t, uint32_t) = gd_dense_forward_branch;
static void (*volatile dense_input_gradient)(const gd_affine *, gd_panels, gd_panels, uint32_t,
                                             gd_panels, gd_panels, uint32_t, uint32_t,
                                             uint32_t) = gd_dense_input_gradient;
static void (*volatile dense_update)(const gd_affine *, const gd_affine *, const float *, uint32_t,
                                     gd_panels, uint32_t, float, float, uint32_t,
                                     uint32_t) = gd_dense_update;
static void (*volatile sparse_gather)(gd_sparse_batch *, const gd_minibatch *) = gd_sparse_gather;
static void (*volatile sparse_transpose)(gd_sparse_batch *) = gd_sparse_transpose;
static void (*volatile sparse_forward)(const gd_sparse_batch *, const float *, const float *,
                                       float *, uint32_t, uint32_t, uint32_t) = gd_sparse_forward;
static void (*volatile sparse_update)(const gd_sparse_batch *, float *, float *, float *, float *,
                                      const float *, uint32_t, float, float, uint32_t,
                                      uint32_t) = gd_sparse_update;

static uint32_t n_output_panels(void) {
  return gd_n_panels(layer.n_out, GD_FEATURE_PANEL);
}

static void gather(void) {
  sparse_gather(sparse, &(gd_minibatch){.pixels = pixels, .n_images = N_IMAGES});
}

static void forward(void) {
  dense_forward(&layer, x, y, N_BATCH_PANELS, 1.0f, 0, layer.n_out);
}

static void input_gradient(void) {
  dense_input_gradient(&layer, dy, dy, layer.n_out, x, dx, N_BATCH_PANELS, 0, layer.n_in);
}

static void weight_gradient(void) {
  dense_update(&layer, &velocity, x_features, N_IMAGES, dy, N_IMAGES, LEARNING_RATE, MOMENTUM, 0,
               layer.n_out);
}

/* With what it takes to find the pixels that are not zero. */
static void first_forward(void) {
  gather();
  sparse_forward(sparse, layer.weight, layer.bias, y_features, N_IMAGES, 0, n_output_panels());
}

/* With sorting them by pixel. */
static void first_weight_gradient(void) {
  sparse_transpose(sparse);
  sparse_update(sparse, layer.weight, velocity.weight, layer.bias, velocity.bias, y_features,
                N_IMAGES, LEARNING_RATE, MOMENTUM, 0, n_output_panels());
}

/* The numbers by which JavaScript calls them. */
static void (*const runners[])(void) = {forward, input_gradient, weight_gradient, first_forward,
                                        first_weight_gradient};

/* (64, 784) to be filled with images. */
EXPORT(uint8_t *, kernels_pixels, (void)) {
  return pixels;
}

/* Makes ready for a layer; 0 if there is no room for it. */
EXPORT(int, kernels_open, (uint32_t n_in, uint32_t n_out, int is_first)) {
  gd_arena arena;
  gd_arena_init(&arena, memory, sizeof memory);
  layer = take_layer(&arena, n_in, n_out, is_first);
  velocity = take_layer(&arena, n_in, n_out, is_first);
  y_features = take_features(&arena, n_out);
  if (is_first) {
    sparse = gd_sparse_take(&arena, N_IMAGES, 1);
  } else {
    x = take_panels(&arena, n_in);
    dx = take_panels(&arena, n_in);
    y = take_panels(&arena, n_out);
    dy = take_panels(&arena, n_out);
    x_features = take_features(&arena, n_in);
  }
  if (arena.failed) {
    return 0;
  }
  if (is_first) {
    gd_sparse_reset(sparse);
    gather();
  }
  return 1;
}

EXPORT(void, kernels_run, (int kernel, int times)) {
  for (int i = 0; i < times; i++) {
    runners[kernel]();
  }
}
