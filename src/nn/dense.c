/* Why these loops are fast. An output is one chain of dependent additions (its order is part of the contract), so speed
 * comes from many outputs at once: a tile holds 6 rows by 8 images in 12 vector accumulators. An engine
 * offers 15 vector registers on x86-64: the tile, 2 operands and 1 broadcast fill them exactly. Each broadcast serves two
 * products and each operand six: 8 loads for 12 multiply-adds, fewer than a core can do beside them.
 * Rows that do not fill the last tile are spread (128 rows: 18 tiles of 6, 4 of 5), since a tile with few rows has too
 * few chains to hide the latency of an addition.
 * How far a loop is unrolled matters as much: where an engine places an unrolled loop's loads first, the operands of all
 * steps must be kept at once and the tile falls out of the registers. */
#include "nn/dense.h"

#include "nn/layout.h"
#include "nn/vector.h"

#define GD_TILE_ROWS 6

/* Calls tile(rows, first row) over begin..end with rows a compile-time constant in every call. */
#define FOR_EACH_TILE(begin, end, TILE)                                                            \
  do {                                                                                             \
    const uint32_t n_tile_rows = (end) - (begin);                                                  \
    const uint32_t n_tiles = (n_tile_rows + GD_TILE_ROWS - 1) / GD_TILE_ROWS;                      \
    uint32_t first = (begin);                                                                      \
    for (uint32_t t = 0; t < n_tiles; t++) {                                                       \
      const uint32_t rows = n_tile_rows / n_tiles + (t < n_tile_rows % n_tiles);                   \
      switch (rows) {                                                                              \
      case 1:                                                                                      \
        TILE(1, first);                                                                            \
        break;                                                                                     \
      case 2:                                                                                      \
        TILE(2, first);                                                                            \
        break;                                                                                     \
      case 3:                                                                                      \
        TILE(3, first);                                                                            \
        break;                                                                                     \
      case 4:                                                                                      \
        TILE(4, first);                                                                            \
        break;                                                                                     \
      case 5:                                                                                      \
        TILE(5, first);                                                                            \
        break;                                                                                     \
      default:                                                                                     \
        TILE(GD_TILE_ROWS, first);                                                                 \
        break;                                                                                     \
      }                                                                                            \
      first += rows;                                                                               \
    }                                                                                              \
  } while (0)

/* acc[r] += w[r] x for one row x of eight; rows of w are a panel's width apart. */
GD_INLINE void multiply_add(int rows, gd_v4 acc[][2], const float *w, const float *x) {
  const gd_v4 x0 = gd_v4_load(x);
  const gd_v4 x1 = gd_v4_load(x + 4);
  GD_UNROLL
  for (int r = 0; r < rows; r++) {
    const gd_v4 weight = gd_v4_load_splat(w + (size_t)r * GD_FEATURE_PANEL);
    acc[r][0] = gd_v4_madd(weight, x0, acc[r][0]);
    acc[r][1] = gd_v4_madd(weight, x1, acc[r][1]);
  }
}

/* acc[r] += w[r][k] x[k] for k = 0..n-1 ascending. */
GD_INLINE void accumulate(int rows, gd_v4 acc[][2], const float *w, const float *x, uint32_t n) {
  uint32_t k = 0;
  for (; k + 4 <= n; k += 4) {
    GD_UNROLL
    for (int u = 0; u < 4; u++) {
      multiply_add(rows, acc, w + u, x + u * GD_BATCH_PANEL);
    }
    w += 4;
    x += 4 * GD_BATCH_PANEL;
  }
  for (; k < n; k++) {
    multiply_add(rows, acc, w, x);
    w += 1;
    x += GD_BATCH_PANEL;
  }
}

GD_INLINE void forward_tile(int rows, uint32_t first, const gd_affine *layer, gd_panels x,
                            gd_panels h, uint32_t n_panels, int is_branch, float gain) {
  const size_t panel_stride = (size_t)layer->n_out * GD_FEATURE_PANEL;
  for (uint32_t p = 0; p < n_panels; p++) {
    const float *x_panel = x.values + p * x.stride;
    gd_v4 acc[GD_TILE_ROWS][2];
    GD_UNROLL
    for (int r = 0; r < rows; r++) {
      acc[r][0] = acc[r][1] = gd_v4_splat(layer->bias[first + (uint32_t)r]);
    }
    const float *weight = layer->weight + (size_t)first * GD_FEATURE_PANEL;
    for (uint32_t i = 0; i < layer->n_in; i += GD_FEATURE_PANEL) {
      const uint32_t left = layer->n_in - i;
      accumulate(rows, acc, weight, x_panel + (size_t)i * GD_BATCH_PANEL,
                 left < GD_FEATURE_PANEL ? left : GD_FEATURE_PANEL);
      weight += panel_stride;
    }
    float *out = h.values + p * h.stride + (size_t)first * GD_BATCH_PANEL;
    const float *bypass = x_panel + (size_t)first * GD_BATCH_PANEL;
    const gd_v4 gains = gd_v4_splat(gain);
    GD_UNROLL
    for (int r = 0; r < rows; r++) {
      GD_UNROLL
      for (int v = 0; v < 2; v++) {
        const int at = r * GD_BATCH_PANEL + v * 4;
        gd_v4 y = acc[r][v];
        if (is_branch) {
          y = gd_v4_relu(gd_v4_add(gd_v4_load(bypass + at), gd_v4_mul(gains, y)));
        }
        gd_v4_store(out + at, y);
      }
    }
  }
}

void gd_dense_forward(const gd_affine *layer, gd_panels x, gd_panels y, uint32_t n_panels,
                      uint32_t begin, uint32_t end) {
#define TILE(rows, first) forward_tile(rows, first, layer, x, y, n_panels, 0, 1.0f)
  FOR_EACH_TILE(begin, end, TILE);
#undef TILE
}

void gd_dense_forward_branch(const gd_affine *layer, gd_panels x, gd_panels h, uint32_t n_panels,
                             float gain, uint32_t begin, uint32_t end) {
#define TILE(rows, first) forward_tile(rows, first, layer, x, h, n_panels, 1, gain)
  FOR_EACH_TILE(begin, end, TILE);
#undef TILE
}
