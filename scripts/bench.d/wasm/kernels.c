/* The engine's kernels one by one, on one layer of any shape, 64 images: linked with the library that
 * the engine is made of. Kernels are called through pointers that the compilers cannot see through,
 * so that they stay the functions that they are. */
#include "base/arena.h"
#include "nn/layout.h"
#include "nn/lists.h"
#include "nn/sparse.h"

#include <stddef.h>
#include <stdint.h>

#define EXPORT(type, name, parameters)                                                             \
  __attribute__((export_name(#name))) type name parameters;                                        \
  type name parameters

enum { N_IMAGES = 64, MEMORY_BYTES = 96 << 20 };

/* Small, so that thousands of updates change no weight much. */
static const float LEARNING_RATE = 1e-7f;
static const float MOMENTUM = 0.9f;

static _Alignas(GD_ARENA_ALIGNMENT) uint8_t memory[MEMORY_BYTES];
static uint8_t pixels[N_IMAGES * GD_N_PIXELS];

static gd_affine layer, velocity;
static float *x, *dx; /* input and its gradient, in feature panels as all */
static float *y;      /* output, of a layer as of the first */
static float *dy;     /* output's gradient */
static float *table;
/* The pixels of the first layer; of another its input and its gradients dy in turn. */
static gd_sparse listed;
static float scaled[256];
static uint8_t seen[GD_N_PIXELS];

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

static float *take_features(gd_arena *arena, uint32_t width) {
  return take(arena, (size_t)gd_round_up(width, GD_FEATURE_PANEL) * N_IMAGES);
}

static gd_affine take_layer(gd_arena *arena, uint32_t n_in, uint32_t n_out, int is_first) {
  const uint32_t n_lanes = gd_round_up(is_first ? n_out : n_in, GD_FEATURE_PANEL);
  const uint32_t n_columns = is_first ? n_in : n_out;
  return (gd_affine){take(arena, (size_t)n_lanes * n_columns),
                     take(arena, gd_round_up(n_out, GD_FEATURE_PANEL)), n_in, n_out};
}

/* As behind a ReLU: every second value is zero, on average. */
static float *take_with_zeros(gd_arena *arena, uint32_t width) {
  float *values = take_features(arena, width);
  const size_t n_rows = (size_t)gd_n_panels(width, GD_FEATURE_PANEL) * N_IMAGES;
  for (size_t i = 0; values != NULL && i < n_rows * GD_FEATURE_PANEL; i++) {
    const size_t feature =
        i / (N_IMAGES * GD_FEATURE_PANEL) * GD_FEATURE_PANEL + i % GD_FEATURE_PANEL;
    values[i] = values[i] > 0.1f && feature < width ? values[i] : 0.0f;
  }
  return values;
}

static void (*volatile write_images)(const gd_sparse *, const float *, uint32_t, float, uint32_t,
                                     uint32_t) = gd_lists_write_images;
static void (*volatile write_columns)(const gd_sparse *, const float *, uint32_t, float, uint32_t,
                                      uint32_t) = gd_lists_write_columns;
static void (*volatile write_pixels)(gd_sparse *, const gd_minibatch *, const float *,
                                     uint8_t *) = gd_lists_write_pixels;
static void (*volatile forward_affine)(const gd_sparse *, const gd_affine *, const float *, float,
                                       float *, float *, uint32_t, uint32_t,
                                       uint32_t) = gd_sparse_forward_affine;
static void (*volatile forward_features)(const gd_sparse *, const float *, const float *, float *,
                                         uint32_t, uint32_t, uint32_t) = gd_sparse_forward_features;
static void (*volatile input_gradients)(const gd_sparse *, const float *, const float *, uint32_t,
                                        const float *, float *, uint32_t, uint32_t,
                                        uint32_t) = gd_sparse_input_gradient;
static void (*volatile update)(const gd_sparse *, const float *, uint32_t, const uint8_t *, float *,
                               float *, gd_descent, gd_weight_range) = gd_sparse_update;

static const gd_descent descent = {LEARNING_RATE, MOMENTUM};

/* Each with what it takes to find what is not zero. */
static void forward(void) {
  gd_lists_resize(&listed, N_IMAGES, layer.n_in);
  write_images(&listed, x, N_IMAGES, 1.0f, 0, N_IMAGES);
  forward_affine(&listed, &layer, x, 1.0f, table, y, N_IMAGES, 0,
                 gd_n_panels(layer.n_out, GD_FEATURE_PANEL));
}

static void input_gradient(void) {
  gd_lists_resize(&listed, N_IMAGES, layer.n_out);
  write_images(&listed, dy, N_IMAGES, 1.0f, 0, N_IMAGES);
  input_gradients(&listed, layer.weight, dy, layer.n_out, x, dx, N_IMAGES, 0,
                  gd_n_panels(layer.n_in, GD_FEATURE_PANEL));
}

static void weight_gradient(void) {
  const gd_weight_range all = {0, gd_n_panels(layer.n_in, GD_FEATURE_PANEL), 0, layer.n_out};
  gd_lists_resize(&listed, N_IMAGES, layer.n_out);
  write_columns(&listed, dy, N_IMAGES, 1.0f, 0, layer.n_out);
  update(&listed, x, N_IMAGES, NULL, layer.weight, velocity.weight, descent, all);
}

/* With the lists of both ways, which the pixels' weight gradient finds there. */
static void first_forward(void) {
  write_pixels(&listed, &(gd_minibatch){.pixels = pixels, .n_images = N_IMAGES}, scaled, seen);
  forward_features(&listed, layer.weight, layer.bias, y, N_IMAGES, 0,
                   gd_n_panels(layer.n_out, GD_FEATURE_PANEL));
}

static void first_weight_gradient(void) {
  const gd_weight_range all = {0, gd_n_panels(layer.n_out, GD_FEATURE_PANEL), 0, layer.n_in};
  update(&listed, dy, N_IMAGES, seen, layer.weight, velocity.weight, descent, all);
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
  y = take_features(&arena, n_out);
  dy = take_with_zeros(&arena, n_out);
  gd_lists_take(&arena, N_IMAGES, n_in, 1, &listed);
  if (!is_first) {
    x = take_with_zeros(&arena, n_in);
    dx = take_features(&arena, n_in);
    table = take(&arena, GD_TABLE_FLOATS);
  }
  if (arena.failed) {
    return 0;
  }
  for (int value = 0; value < 256; value++) {
    scaled[value] = (float)value / 255.0f;
  }
  if (is_first) {
    first_forward();
  }
  return 1;
}

EXPORT(void, kernels_run, (int kernel, int times)) {
  for (int i = 0; i < times; i++) {
    runners[kernel]();
  }
}
