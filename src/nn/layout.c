#include "nn/layout.h"

#include "base/text.h"

#include <string.h>

gd_status gd_shape_check(const gd_shape *shape, gd_report *report) {
  const uint32_t *w = shape->widths;
  if (w[0] != GD_N_PIXELS) {
    return gd_report_numbers(report, GD_WRONG_SHAPE, GD_NO_OFFSET, "widths[0]", GD_N_PIXELS, w[0]);
  }
  for (unsigned l = 1; l < GD_N_LAYERS; l++) {
    const uint32_t largest = l == 1 ? GD_MAX_WIDTH : w[l - 1];
    if (w[l] < 1 || w[l] > largest) {
      char subject[] = "widths[0]";
      char expected[32] = "1 to ";
      char digits[GD_TEXT_U64_BYTES];
      char found[GD_TEXT_U64_BYTES];
      subject[7] = (char)('0' + l);
      gd_text_u64(digits, largest);
      gd_text_append(expected, sizeof expected, digits);
      gd_text_u64(found, w[l]);
      return gd_report_fault(report, GD_WRONG_SHAPE, GD_NO_OFFSET, subject, expected, found);
    }
  }
  if (w[GD_N_LAYERS] != GD_N_CLASSES) {
    return gd_report_numbers(report, GD_WRONG_SHAPE, GD_NO_OFFSET, "widths[6]", GD_N_CLASSES,
                             w[GD_N_LAYERS]);
  }
  return GD_OK;
}

uint64_t gd_shape_n_parameters(const gd_shape *shape) {
  uint64_t n = 0;
  for (unsigned l = 0; l < GD_N_LAYERS; l++) {
    n += ((uint64_t)shape->widths[l] + 1) * shape->widths[l + 1];
  }
  return n;
}

/* What lies across a layer's weight panels, and along them. */
static uint32_t n_lanes(const gd_shape *shape, unsigned layer) {
  return shape->widths[layer == 0 ? 1 : layer];
}

static uint32_t n_columns(const gd_shape *shape, unsigned layer) {
  return layer == 0 ? GD_N_PIXELS : shape->widths[layer + 1];
}

/* A layer's weight, then its bias, each in whole panels. */
static size_t weight_floats(const gd_shape *shape, unsigned layer) {
  return (size_t)gd_round_up(n_lanes(shape, layer), GD_FEATURE_PANEL) * n_columns(shape, layer);
}

static size_t bias_floats(const gd_shape *shape, unsigned layer) {
  return gd_round_up(shape->widths[layer + 1], GD_FEATURE_PANEL);
}

static size_t layer_start(const gd_shape *shape, unsigned layer) {
  size_t start = 0;
  for (unsigned l = 0; l < layer; l++) {
    start += weight_floats(shape, l) + bias_floats(shape, l);
  }
  return start;
}

gd_status gd_parameters_take(gd_arena *arena, const gd_shape *shape, gd_parameters *out) {
  const size_t n_values = layer_start(shape, GD_N_LAYERS);
  float *values = gd_arena_take(arena, n_values, sizeof *values);
  if (arena->failed) {
    return GD_OUT_OF_MEMORY;
  }
  if (values != NULL) {
    memset(values, 0, n_values * sizeof *values);
  }
  *out = (gd_parameters){*shape, values, n_values};
  return GD_OK;
}

void gd_parameters_copy(gd_parameters *to, const gd_parameters *from) {
  memcpy(to->values, from->values, (size_t)from->n_values * sizeof *from->values);
}

float *gd_parameters_weight(const gd_parameters *parameters, unsigned layer) {
  return parameters->values + layer_start(&parameters->shape, layer);
}

float *gd_parameters_bias(const gd_parameters *parameters, unsigned layer) {
  return gd_parameters_weight(parameters, layer) + weight_floats(&parameters->shape, layer);
}

/* Where the weight from input i to output o is. */
static float *place_of(const gd_parameters *parameters, unsigned layer, uint32_t o, uint32_t i) {
  const uint32_t lane = layer == 0 ? o : i;
  const uint32_t column = layer == 0 ? i : o;
  const size_t row =
      (size_t)(lane / GD_FEATURE_PANEL) * n_columns(&parameters->shape, layer) + column;
  return gd_parameters_weight(parameters, layer) + row * GD_FEATURE_PANEL + lane % GD_FEATURE_PANEL;
}

/* Inputs i.. of output o that lie side by side. */
static uint32_t n_adjacent(const gd_parameters *parameters, unsigned layer, uint32_t i) {
  const uint32_t left = parameters->shape.widths[layer] - i;
  const uint32_t most = layer == 0 ? 1 : GD_FEATURE_PANEL;
  return left < most ? left : most;
}

void gd_parameters_write_row(gd_parameters *parameters, unsigned layer, uint32_t o,
                             const float *row) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < parameters->shape.widths[layer]; i += n) {
    n = n_adjacent(parameters, layer, i);
    memcpy(place_of(parameters, layer, o, i), row + i, n * sizeof *row);
  }
}

void gd_parameters_read_row(const gd_parameters *parameters, unsigned layer, uint32_t o,
                            float *row) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < parameters->shape.widths[layer]; i += n) {
    n = n_adjacent(parameters, layer, i);
    memcpy(row + i, place_of(parameters, layer, o, i), n * sizeof *row);
  }
}

void gd_panel_clear_beyond(float *panel, uint32_t n_images, uint32_t n_features) {
  for (uint32_t b = 0; b < n_images; b++) {
    for (uint32_t lane = n_features; lane < GD_FEATURE_PANEL; lane++) {
      panel[b * GD_FEATURE_PANEL + lane] = 0.0f;
    }
  }
}
