#include "nn/sparse.h"

#include "nn/layout.h"
#include "nn/vector.h"

/* Vectors of a feature panel. */
#define N_VECTORS (GD_FEATURE_PANEL / 4)

gd_sparse_batch *gd_sparse_take(gd_arena *arena, uint32_t n_max_batch, int training) {
  const size_t n_entries = (size_t)n_max_batch * GD_N_PIXELS;
  gd_sparse_batch *batch = gd_arena_take(arena, 1, sizeof *batch);
  gd_entry *by_image = gd_arena_take(arena, n_entries, sizeof *by_image);
  uint32_t *image_start = gd_arena_take(arena, (size_t)n_max_batch + 1, sizeof *image_start);
  gd_entry *by_pixel = NULL;
  uint32_t *pixel_start = NULL;
  uint8_t *touched = NULL;
  if (training) {
    by_pixel = gd_arena_take(arena, n_entries, sizeof *by_pixel);
    pixel_start = gd_arena_take(arena, GD_N_PIXELS + 1, sizeof *pixel_start);
    touched = gd_arena_take(arena, GD_N_PIXELS, sizeof *touched);
  }
  if (arena->failed || batch == NULL) {
    return NULL;
  }
  *batch = (gd_sparse_batch){.by_image = by_image,
                             .by_pixel = by_pixel,
                             .image_start = image_start,
                             .pixel_start = pixel_start,
                             .touched = touched};
  for (int value = 0; value < 256; value++) {
    batch->scaled[value] = (float)value / 255.0f;
  }
  if (training) {
    gd_sparse_reset(batch);
  }
  return batch;
}

void gd_sparse_reset(gd_sparse_batch *batch) {
  memset(batch->touched, 0, GD_N_PIXELS);
}

/* Appends the image's non-zero pixels, eight bytes at a look; returns the new end of the list. */
static uint32_t gather_image(const gd_sparse_batch *batch, const uint8_t *pixels, uint32_t n) {
  gd_entry *list = batch->by_image;
  for (uint32_t i = 0; i < GD_N_PIXELS; i += 8) {
    uint64_t eight = 0;
    memcpy(&eight, pixels + i, sizeof eight);
    if (eight == 0) {
      continue;
    }
    for (uint32_t k = i; k < i + 8; k++) {
      /* Written always, counted only when not zero: no branch to mispredict. */
      list[n].row = k;
      list[n].x = batch->scaled[pixels[k]];
      n += pixels[k] != 0;
    }
  }
  return n;
}

void gd_sparse_gather(gd_sparse_batch *batch, const gd_minibatch *minibatch) {
  uint32_t n = 0;
  for (uint32_t b = 0; b < minibatch->n_images; b++) {
    const uint32_t image = minibatch->order == NULL ? minibatch->first + b : minibatch->order[b];
    batch->image_start[b] = n;
    n = gather_image(batch, minibatch->pixels + (size_t)image * GD_N_PIXELS, n);
  }
  batch->image_start[minibatch->n_images] = n;
  batch->n_images = minibatch->n_images;
}

void gd_sparse_transpose(gd_sparse_batch *batch) {
  uint32_t *start = batch->pixel_start;
  const uint32_t n_entries = batch->image_start[batch->n_images];
  memset(start, 0, (GD_N_PIXELS + 1) * sizeof *start);
  for (uint32_t e = 0; e < n_entries; e++) {
    start[batch->by_image[e].row + 1]++;
  }
  for (uint32_t k = 0; k < GD_N_PIXELS; k++) {
    batch->touched[k] |= start[k + 1] != 0;
    start[k + 1] += start[k];
  }
  /* Filling moves start[k] to the end of list k, which is where list k + 1 started: shifted back
   * below. */
  for (uint32_t b = 0; b < batch->n_images; b++) {
    for (uint32_t e = batch->image_start[b]; e < batch->image_start[b + 1]; e++) {
      const gd_entry entry = batch->by_image[e];
      batch->by_pixel[start[entry.row]++] = (gd_entry){b, entry.x};
    }
  }
  memmove(start + 1, start, GD_N_PIXELS * sizeof *start);
  start[0] = 0;
}

/* acc += x_e table[row_e] over the entries, in their order; table rows are one panel wide. */
GD_INLINE void accumulate(gd_v4 acc[N_VECTORS], const gd_entry *entry, const gd_entry *end,
                          const float *table) {
  for (; entry < end; entry++) {
    const float *row = table + (size_t)entry->row * GD_FEATURE_PANEL;
    const gd_v4 x = gd_v4_load_splat(&entry->x);
    GD_UNROLL
    for (int v = 0; v < N_VECTORS; v++) {
      acc[v] = gd_v4_madd(x, gd_v4_load(row + v * 4), acc[v]);
    }
  }
}

void gd_sparse_forward(const gd_sparse_batch *batch, const float *weight, const float *bias,
                       float *h, uint32_t n_rows, uint32_t begin, uint32_t end) {
  for (uint32_t q = begin; q < end; q++) {
    const float *table = weight + (size_t)q * GD_N_PIXELS * GD_FEATURE_PANEL;
    for (uint32_t b = 0; b < batch->n_images; b++) {
      gd_v4 acc[N_VECTORS];
      GD_UNROLL
      for (int v = 0; v < N_VECTORS; v++) {
        acc[v] = gd_v4_load(bias + q * GD_FEATURE_PANEL + v * 4);
      }
      accumulate(acc, batch->by_image + batch->image_start[b],
                 batch->by_image + batch->image_start[b + 1], table);
      float *out = h + ((size_t)q * n_rows + b) * GD_FEATURE_PANEL;
      GD_UNROLL
      for (int v = 0; v < N_VECTORS; v++) {
        gd_v4_store(out + v * 4, gd_v4_relu(acc[v]));
      }
    }
  }
}

/* v = momentum v + g, w = w - learning_rate v for one panel row. */
GD_INLINE void update_row(const gd_v4 gradient[N_VECTORS], float *weight, float *velocity,
                          gd_v4 descent, gd_v4 decay) {
  GD_UNROLL
  for (int v = 0; v < N_VECTORS; v++) {
    const gd_v4 moved = gd_v4_madd(decay, gd_v4_load(velocity + v * 4), gradient[v]);
    gd_v4_store(velocity + v * 4, moved);
    gd_v4_store(weight + v * 4, gd_v4_madd(descent, moved, gd_v4_load(weight + v * 4)));
  }
}

void gd_sparse_update(const gd_sparse_batch *batch, float *weight, float *weight_velocity,
                      float *bias, float *bias_velocity, const float *dy, uint32_t n_rows,
                      float learning_rate, float momentum, uint32_t begin, uint32_t end) {
  const gd_v4 descent = gd_v4_splat(-learning_rate);
  const gd_v4 decay = gd_v4_splat(momentum);
  for (uint32_t q = begin; q < end; q++) {
    const float *gradients = dy + (size_t)q * n_rows * GD_FEATURE_PANEL;
    gd_v4 acc[N_VECTORS];
    for (uint32_t k = 0; k < GD_N_PIXELS; k++) {
      if (!batch->touched[k]) {
        continue;
      }
      GD_UNROLL
      for (int v = 0; v < N_VECTORS; v++) {
        acc[v] = gd_v4_splat(0.0f);
      }
      accumulate(acc, batch->by_pixel + batch->pixel_start[k],
                 batch->by_pixel + batch->pixel_start[k + 1], gradients);
      const size_t at = ((size_t)q * GD_N_PIXELS + k) * GD_FEATURE_PANEL;
      update_row(acc, weight + at, weight_velocity + at, descent, decay);
    }
    GD_UNROLL
    for (int v = 0; v < N_VECTORS; v++) {
      acc[v] = gd_v4_splat(0.0f);
    }
    for (uint32_t b = 0; b < batch->n_images; b++) {
      GD_UNROLL
      for (int v = 0; v < N_VECTORS; v++) {
        acc[v] = gd_v4_add(acc[v], gd_v4_load(gradients + b * GD_FEATURE_PANEL + v * 4));
      }
    }
    update_row(acc, bias + q * GD_FEATURE_PANEL, bias_velocity + q * GD_FEATURE_PANEL, descent,
               decay);
  }
}
