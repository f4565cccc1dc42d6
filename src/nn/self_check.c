#include "nn/self_check.h"

#include "base/text.h"
#include "nn/reference.h"

#include <string.h>

/* No width is a multiple of a tile or a panel, and the minibatch does not fill its last panel. */
static const gd_shape odd_shape = {{GD_N_PIXELS, 35, 23, 14, 13, 7, GD_N_CLASSES}};

/* At start nothing is compiled well yet, and a step takes five times as long as later: there are no more than it takes
 * to call every kernel, with velocities and without. Other masks, gains and shapes are the tests'. */
enum { N_IMAGES = 11, N_STEPS = 2 };

/* A linear congruential generator (Numerical Recipes' constants): any fixed sequence serves. */
static uint32_t draw(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void fill(gd_parameters *fast, float *canonical, float *row) {
  uint32_t state = 1;
  for (unsigned l = 0; l < GD_N_LAYERS; l++) {
    const uint32_t n_in = odd_shape.widths[l];
    for (uint32_t o = 0; o < odd_shape.widths[l + 1]; o++) {
      for (uint32_t i = 0; i < n_in; i++) {
        row[i] = ((float)draw(&state) / 8388608.0f - 1.0f) * 0.25f;
        *canonical++ = row[i];
      }
      gd_parameters_write_row(fast, l, o, row);
    }
    for (uint32_t o = 0; o < odd_shape.widths[l + 1]; o++) {
      const float bias = (float)draw(&state) / 8388608.0f - 1.0f;
      gd_parameters_bias(fast, l)[o] = bias;
      *canonical++ = bias;
    }
  }
}

static void draw_images(uint8_t *pixels, uint8_t *labels) {
  uint32_t state = 2;
  for (uint32_t k = 0; k < N_IMAGES * GD_N_PIXELS; k++) {
    const uint32_t bits = draw(&state);
    pixels[k] = (uint8_t)((bits >> 16 & 3u) == 0 ? bits & 255u : 0u);
  }
  for (uint32_t b = 0; b < N_IMAGES; b++) {
    labels[b] = (uint8_t)(draw(&state) >> 8) % GD_N_CLASSES;
  }
}

/* Both values' bits in hex, most significant byte first. */
static gd_status report_bits(gd_report *report, const char *subject, const void *expected,
                             const void *found, size_t n) {
  const void *values[2] = {expected, found};
  char hex[2][2 * sizeof(double) + 1];
  for (int k = 0; k < 2; k++) {
    uint8_t bytes[sizeof(double)];
    uint64_t bits = 0;
    memcpy(&bits, values[k], n);
    for (size_t i = 0; i < n; i++) {
      bytes[i] = (uint8_t)(bits >> (8 * (n - 1 - i)));
    }
    gd_text_hex(hex[k], bytes, n);
  }
  return gd_report_fault(report, GD_KERNEL_MISMATCH, GD_NO_OFFSET, subject, hex[0], hex[1]);
}

static gd_status compare(const gd_parameters *fast, const float *canonical, const char *tensor,
                         float *row, gd_report *report) {
  for (unsigned l = 0; l < GD_N_LAYERS; l++) {
    const uint32_t n_in = odd_shape.widths[l];
    const uint32_t n_out = odd_shape.widths[l + 1];
    for (uint32_t o = 0; o <= n_out; o++) {
      const float *found = row;
      const uint32_t n = o < n_out ? n_in : n_out;
      if (o < n_out) {
        gd_parameters_read_row(fast, l, o, row);
      } else {
        found = gd_parameters_bias(fast, l);
      }
      const int is_same = memcmp(found, canonical, n * sizeof(float)) == 0;
      for (uint32_t i = 0; !is_same && i < n; i++) {
        if (memcmp(&found[i], &canonical[i], sizeof(float)) != 0) {
          return report_bits(report, tensor, &canonical[i], &found[i], sizeof(float));
        }
      }
      canonical += n;
    }
  }
  return GD_OK;
}

gd_status gd_self_check(gd_arena *arena, gd_pool *pool, gd_report *report) {
  const size_t n_parameters = (size_t)gd_shape_n_parameters(&odd_shape);
  gd_parameters weights = {0};
  gd_parameters velocities = {0};
  gd_workspace *workspace = NULL;
  gd_parameters_take(arena, &odd_shape, &weights);
  gd_parameters_take(arena, &odd_shape, &velocities);
  gd_workspace_take(arena, &odd_shape, N_IMAGES, 1, &workspace);
  float *canonical = gd_arena_take(arena, n_parameters, sizeof *canonical);
  float *canonical_velocities = gd_arena_take(arena, n_parameters, sizeof *canonical_velocities);
  float *scratch =
      gd_arena_take(arena, gd_reference_scratch(&odd_shape, N_IMAGES), sizeof *scratch);
  float *row = gd_arena_take(arena, GD_N_PIXELS, sizeof *row);
  uint8_t *pixels = gd_arena_take(arena, N_IMAGES, GD_N_PIXELS);
  uint8_t *labels = gd_arena_take(arena, N_IMAGES, 1);
  if (arena->failed) {
    return gd_report_fault(report, GD_OUT_OF_MEMORY, GD_NO_OFFSET, "self-check", NULL, NULL);
  }
  if (arena->base == NULL) {
    return GD_OK;
  }
  fill(&weights, canonical, row);
  memset(canonical_velocities, 0, n_parameters * sizeof *canonical_velocities);
  draw_images(pixels, labels);
  /* All branches, then two neighbours skipped; a gain that is 1 and one that rounds. */
  static const unsigned skipped[N_STEPS] = {0u, 6u};
  for (uint32_t s = 0; s < N_STEPS; s++) {
    const gd_minibatch minibatch = {pixels, labels, NULL, s, N_IMAGES - s};
    const gd_step step = {skipped[s], {2.0f, 1.0f, 1.0f / 0.75f, 4.0f}, 0.03f, 0.9f};
    const double loss = gd_network_step(&weights, &velocities, workspace, pool, &minibatch, &step);
    const double expected =
        gd_reference_step(&odd_shape, canonical, canonical_velocities, &minibatch, &step, scratch);
    if (memcmp(&loss, &expected, sizeof loss) != 0) {
      return report_bits(report, "loss", &expected, &loss, sizeof loss);
    }
    gd_status status = compare(&weights, canonical, "parameters", row, report);
    if (status == GD_OK) {
      status = compare(&velocities, canonical_velocities, "velocities", row, report);
    }
    if (status != GD_OK) {
      return status;
    }
  }
  return GD_OK;
}
