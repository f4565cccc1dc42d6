#include "nn/sparse.h"

#include "nn/layout.h"
#include "nn/vector.h"

/* Vectors of a feature panel: eight accumulators. */
#define N_VECTORS (GD_FEATURE_PANEL / 4)

/* acc += x_e table[at_e] over the entries, in their order; table rows are one panel wide. */
GD_INLINE void accumulate(gd_v4 acc[N_VECTORS], const gd_entry *entry, const gd_entry *end,
                          const float *table) {
  for (; entry < end; entry++) {
    const float *row = table + (size_t)entry->at * GD_FEATURE_PANEL;
    const gd_v4 x = gd_v4_load_splat(&entry->x);
    GD_UNROLL
    for (int v = 0; v < N_VECTORS; v++) {
      acc[v] = gd_v4_madd(x, gd_v4_load(row + v * 4), acc[v]);
    }
  }
}

/* Block j of image b's list; the table begins with that block. */
GD_INLINE void accumulate_block(gd_v4 acc[N_VECTORS], const gd_lists *lists, uint32_t b, uint32_t j,
                                const float *table) {
  const uint32_t *ends = lists->ends + (size_t)b * lists->n_blocks;
  accumulate(acc, lists->entries + (j == 0 ? lists->begins[b] : ends[j - 1]),
             lists->entries + ends[j], table);
}

GD_INLINE void load_panel(gd_v4 acc[N_VECTORS], const float *from) {
  GD_UNROLL
  for (int v = 0; v < N_VECTORS; v++) {
    acc[v] = gd_v4_load(from + v * 4);
  }
}

GD_INLINE void clear_panel(gd_v4 acc[N_VECTORS]) {
  GD_UNROLL
  for (int v = 0; v < N_VECTORS; v++) {
    acc[v] = gd_v4_splat(0.0f);
  }
}

void gd_sparse_forward_features(const gd_sparse *x, const float *weight, const float *bias,
                                float *h, uint32_t n_rows, uint32_t begin, uint32_t end) {
  const uint32_t n_blocks = x->by_image.n_blocks;
  const uint32_t n_block_columns = x->by_image.n_block_columns;
  for (uint32_t q = begin; q < end; q++) {
    const float *columns = weight + (size_t)q * x->n_columns * GD_FEATURE_PANEL;
    for (uint32_t j = 0; j < n_blocks; j++) {
      const float *table = columns + (size_t)j * n_block_columns * GD_FEATURE_PANEL;
      for (uint32_t b = 0; b < x->n_images; b++) {
        float *out = h + ((size_t)q * n_rows + b) * GD_FEATURE_PANEL;
        gd_v4 acc[N_VECTORS];
        load_panel(acc, j == 0 ? bias + (size_t)q * GD_FEATURE_PANEL : out);
        accumulate_block(acc, &x->by_image, b, j, table);
        GD_UNROLL
        for (int v = 0; v < N_VECTORS; v++) {
          gd_v4_store(out + v * 4, j + 1 < n_blocks ? acc[v] : gd_v4_relu(acc[v]));
        }
      }
    }
  }
}

/* Transposes four vectors at `from` to four at `to`, rows of both a panel's width apart. */
GD_INLINE void transpose_4x4(const float *from, float *to) {
  gd_v4 rows[4];
  for (int r = 0; r < 4; r++) {
    rows[r] = gd_v4_load(from + r * GD_FEATURE_PANEL);
  }
  gd_v4_transpose(rows);
  for (int r = 0; r < 4; r++) {
    gd_v4_store(to + r * GD_FEATURE_PANEL, rows[r]);
  }
}

/* Block j of the weights to the outputs of panel q, as a table with a row for each input. */
static void transpose_block(const gd_affine *layer, uint32_t q, uint32_t j, float *table) {
  const uint32_t first_output = q * GD_FEATURE_PANEL;
  const uint32_t left = layer->n_out - first_output;
  const uint32_t n_outputs = left < GD_FEATURE_PANEL ? left : GD_FEATURE_PANEL;
  const uint32_t first_input = j * GD_FEATURE_BLOCK;
  const uint32_t end = first_input + GD_FEATURE_BLOCK;
  const uint32_t end_input = end < layer->n_in ? end : layer->n_in;
  for (uint32_t i = first_input; i < end_input; i += GD_FEATURE_PANEL) {
    const float *from = layer->weight + (size_t)i * layer->n_out + first_output * GD_FEATURE_PANEL;
    float *to = table + (size_t)(i - first_input) * GD_FEATURE_PANEL;
    uint32_t o = 0;
    for (; o + 4 <= n_outputs; o += 4) {
      for (uint32_t lane = 0; lane < GD_FEATURE_PANEL; lane += 4) {
        transpose_4x4(from + o * GD_FEATURE_PANEL + lane, to + lane * GD_FEATURE_PANEL + o);
      }
    }
    for (; o < GD_FEATURE_PANEL; o++) {
      for (uint32_t lane = 0; lane < GD_FEATURE_PANEL; lane++) {
        to[lane * GD_FEATURE_PANEL + o] = o < n_outputs ? from[o * GD_FEATURE_PANEL + lane] : 0.0f;
      }
    }
  }
}

void gd_sparse_forward_affine(const gd_sparse *x, const gd_affine *layer, const float *bypass,
                              float gain, float *table, float *out, uint32_t n_rows, uint32_t begin,
                              uint32_t end) {
  const uint32_t n_blocks = x->by_image.n_blocks;
  const gd_v4 gains = gd_v4_splat(gain);
  for (uint32_t q = begin; q < end; q++) {
    const size_t panel = (size_t)q * n_rows * GD_FEATURE_PANEL;
    for (uint32_t j = 0; j < n_blocks; j++) {
      transpose_block(layer, q, j, table);
      for (uint32_t b = 0; b < x->n_images; b++) {
        const size_t at = panel + (size_t)b * GD_FEATURE_PANEL;
        gd_v4 acc[N_VECTORS];
        load_panel(acc, j == 0 ? layer->bias + (size_t)q * GD_FEATURE_PANEL : out + at);
        accumulate_block(acc, &x->by_image, b, j, table);
        GD_UNROLL
        for (int v = 0; v < N_VECTORS; v++) {
          gd_v4 y = acc[v];
          if (bypass != NULL && j + 1 == n_blocks) {
            y = gd_v4_relu(gd_v4_add(gd_v4_load(bypass + at + v * 4), gd_v4_mul(gains, y)));
          }
          gd_v4_store(out + at + v * 4, y);
        }
      }
    }
    gd_panel_clear_beyond(out + panel, x->n_images, layer->n_out - q * GD_FEATURE_PANEL);
  }
}

void gd_sparse_input_gradient(const gd_sparse *dy, const float *weight, const float *dz_above,
                              uint32_t n_bypass, const float *h, float *dz, uint32_t n_rows,
                              uint32_t begin, uint32_t end) {
  const uint32_t n_blocks = dy->by_image.n_blocks;
  const uint32_t n_block_columns = dy->by_image.n_block_columns;
  const uint32_t n_bypass_panels = gd_n_panels(n_bypass, GD_FEATURE_PANEL);
  for (uint32_t q = begin; q < end; q++) {
    const float *columns = weight + (size_t)q * dy->n_columns * GD_FEATURE_PANEL;
    for (uint32_t j = 0; j < n_blocks; j++) {
      const float *table = columns + (size_t)j * n_block_columns * GD_FEATURE_PANEL;
      for (uint32_t b = 0; b < dy->n_images; b++) {
        const size_t at = ((size_t)q * n_rows + b) * GD_FEATURE_PANEL;
        gd_v4 acc[N_VECTORS];
        if (j > 0) {
          load_panel(acc, dz + at);
        } else if (q < n_bypass_panels) { /* zero beyond n_bypass, as all padding is */
          load_panel(acc, dz_above + at);
        } else {
          clear_panel(acc);
        }
        accumulate_block(acc, &dy->by_image, b, j, table);
        GD_UNROLL
        for (int v = 0; v < N_VECTORS; v++) {
          const gd_v4 gate = gd_v4_load(h + at + v * 4);
          gd_v4_store(dz + at + v * 4,
                      j + 1 < n_blocks ? acc[v] : gd_v4_where_positive(gate, acc[v]));
        }
      }
    }
  }
}

/* v = momentum v + g, w = w - learning_rate v for one panel row. */
GD_INLINE void update_row(const gd_v4 gradient[N_VECTORS], float *weight, float *velocity,
                          gd_v4 momentum, gd_v4 minus_rate) {
  GD_UNROLL
  for (int v = 0; v < N_VECTORS; v++) {
    const gd_v4 moved = gd_v4_madd(momentum, gd_v4_load(velocity + v * 4), gradient[v]);
    gd_v4_store(velocity + v * 4, moved);
    gd_v4_store(weight + v * 4, gd_v4_madd(minus_rate, moved, gd_v4_load(weight + v * 4)));
  }
}

void gd_sparse_update(const gd_sparse *listed, const float *other, uint32_t n_rows,
                      const uint8_t *seen, float *weight, float *velocity, gd_descent descent,
                      gd_weight_range range) {
  const gd_lists *lists = &listed->by_column;
  const gd_v4 momentum = gd_v4_splat(descent.momentum);
  const gd_v4 minus_rate = gd_v4_splat(-descent.learning_rate);
  for (uint32_t q = range.first_panel; q < range.end_panel; q++) {
    const float *table = other + (size_t)q * n_rows * GD_FEATURE_PANEL;
    for (uint32_t k = range.first_column; k < range.end_column; k++) {
      if (seen != NULL && !seen[k]) {
        continue;
      }
      const size_t at = ((size_t)q * listed->n_columns + k) * GD_FEATURE_PANEL;
      gd_v4 acc[N_VECTORS];
      clear_panel(acc);
      accumulate(acc, lists->entries + lists->begins[k], lists->entries + lists->ends[k], table);
      update_row(acc, weight + at, velocity + at, momentum, minus_rate);
    }
  }
}

void gd_sparse_update_bias(const float *dz, uint32_t n_rows, uint32_t n_images, float gain,
                           float *bias, float *velocity, gd_descent descent, uint32_t begin,
                           uint32_t end) {
  const gd_v4 gains = gd_v4_splat(gain);
  for (uint32_t q = begin; q < end; q++) {
    const float *rows = dz + (size_t)q * n_rows * GD_FEATURE_PANEL;
    gd_v4 acc[N_VECTORS];
    clear_panel(acc);
    for (uint32_t b = 0; b < n_images; b++) {
      GD_UNROLL
      for (int v = 0; v < N_VECTORS; v++) {
        const gd_v4 dy = gd_v4_mul(gains, gd_v4_load(rows + b * GD_FEATURE_PANEL + v * 4));
        acc[v] = gd_v4_add(acc[v], dy);
      }
    }
    update_row(acc, bias + (size_t)q * GD_FEATURE_PANEL, velocity + (size_t)q * GD_FEATURE_PANEL,
               gd_v4_splat(descent.momentum), gd_v4_splat(-descent.learning_rate));
  }
}
