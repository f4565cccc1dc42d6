/* Why these loops are fast. An output is one chain of dependent additions (its order is part of the contract), so speed
 * comes from many outputs at once: a tile holds 6 rows by 8 images (or 8 columns) in 12 vector accumulators. An engine
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

/* acc[r] += w[r * row_step] x for one row x of eight. */
GD_INLINE void multiply_add(int rows, gd_v4 acc[][2], const float *w, size_t row_step,
                            const float *x) {
  const gd_v4 x0 = gd_v4_load(x);
  const gd_v4 x1 = gd_v4_load(x + 4);
  GD_UNROLL
  for (int r = 0; r < rows; r++) {
    const gd_v4 weight = gd_v4_load_splat(w + (size_t)r * row_step);
    acc[r][0] = gd_v4_madd(weight, x0, acc[r][0]);
    acc[r][1] = gd_v4_madd(weight, x1, acc[r][1]);
  }
}

/* acc[r] += w[r * row_step + k * k_step] * x[k] for k = 0..n-1 ascending. */
GD_INLINE void accumulate(int rows, gd_v4 acc[][2], const float *w, size_t row_step, size_t k_step,
                          const float *x, uint32_t n) {
  uint32_t k = 0;
  for (; k + 4 <= n; k += 4) {
    GD_UNROLL
    for (int u = 0; u < 4; u++) {
      multiply_add(rows, acc, w + u * k_step, row_step, x + u * GD_BATCH_PANEL);
    }
    w += 4 * k_step;
    x += 4 * GD_BATCH_PANEL;
  }
  for (; k < n; k++) {
    multiply_add(rows, acc, w, row_step, x);
    w += k_step;
    x += GD_BATCH_PANEL;
  }
}

GD_INLINE void forward_tile(int rows, uint32_t first, const gd_affine *layer, gd_panels x,
                            gd_panels h, uint32_t n_panels, int is_branch, float gain) {
  const float *weight = layer->weight + first * layer->stride;
  for (uint32_t p = 0; p < n_panels; p++) {
    const float *x_panel = x.values + p * x.stride;
    gd_v4 acc[GD_TILE_ROWS][2];
    GD_UNROLL
    for (int r = 0; r < rows; r++) {
      acc[r][0] = acc[r][1] = gd_v4_splat(layer->bias[first + (uint32_t)r]);
    }
    accumulate(rows, acc, weight, layer->stride, 1, x_panel, layer->n_in);
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

/* The rows o_begin..o_end-1 of W that an input gradient takes in at a time: in a wide layer each row is in another page, and
 * the cache lines of this many stay near while the tiles walk over the columns that they hold. */
#define BLOCK_ROWS 256
#define PACKED_COLUMNS 8

typedef struct gradient_block {
  uint32_t begin;
  uint32_t end;
} gradient_block;

/* Eight columns of the block, row after row, for every batch panel to read forward. */
GD_INLINE void pack_columns(const gd_affine *layer, gradient_block block, uint32_t first,
                            float *packed) {
  const float *from = layer->weight + block.begin * layer->stride + first;
  for (uint32_t o = block.begin; o < block.end; o++) {
    gd_v4_store(packed, gd_v4_load(from));
    gd_v4_store(packed + 4, gd_v4_load(from + 4));
    from += layer->stride;
    packed += PACKED_COLUMNS;
  }
}

GD_INLINE void input_gradient_tile(int rows, uint32_t first, const gd_affine *layer,
                                   gradient_block block, gd_panels dy, gd_panels dz_above,
                                   uint32_t n_bypass, gd_panels h, gd_panels dz,
                                   uint32_t n_panels) {
  float packed[BLOCK_ROWS * PACKED_COLUMNS];
  pack_columns(layer, block, first, packed);
  for (uint32_t p = 0; p < n_panels; p++) {
    const size_t at = (size_t)first * GD_BATCH_PANEL;
    const float *above = dz_above.values + p * dz_above.stride + at;
    const float *gate = h.values + p * h.stride + at;
    float *out = dz.values + p * dz.stride + at;
    gd_v4 acc[GD_TILE_ROWS][2];
    GD_UNROLL
    for (int r = 0; r < rows; r++) {
      const int has_bypass = first + (uint32_t)r < n_bypass;
      GD_UNROLL
      for (int v = 0; v < 2; v++) {
        const int lane = r * GD_BATCH_PANEL + v * 4;
        if (block.begin > 0) {
          acc[r][v] = gd_v4_load(out + lane);
        } else {
          acc[r][v] = has_bypass ? gd_v4_load(above + lane) : gd_v4_splat(0.0f);
        }
      }
    }
    accumulate(rows, acc, packed, 1, PACKED_COLUMNS,
               dy.values + p * dy.stride + (size_t)block.begin * GD_BATCH_PANEL,
               block.end - block.begin);
    GD_UNROLL
    for (int r = 0; r < rows; r++) {
      GD_UNROLL
      for (int v = 0; v < 2; v++) {
        const int lane = r * GD_BATCH_PANEL + v * 4;
        if (block.end == layer->n_out) {
          acc[r][v] = gd_v4_where_positive(gd_v4_load(gate + lane), acc[r][v]);
        }
        gd_v4_store(out + lane, acc[r][v]);
      }
    }
  }
}

void gd_dense_input_gradient(const gd_affine *layer, gd_panels dy, gd_panels dz_above,
                             uint32_t n_bypass, gd_panels h, gd_panels dz, uint32_t n_panels,
                             uint32_t begin, uint32_t end) {
#define TILE(rows, first)                                                                          \
  input_gradient_tile(rows, first, layer, block, dy, dz_above, n_bypass, h, dz, n_panels)
  gradient_block block = {0, 0};
  while (block.end < layer->n_out) {
    const uint32_t left = layer->n_out - block.end;
    block.begin = block.end;
    block.end += left < BLOCK_ROWS ? left : BLOCK_ROWS;
    FOR_EACH_TILE(begin, end, TILE);
  }
#undef TILE
}

/* acc[r] += dy[r][image] x[image] for one image. */
GD_INLINE void multiply_add_image(int rows, gd_v4 acc[][2], const float *dy, const float *x) {
  const gd_v4 x0 = gd_v4_load(x);
  const gd_v4 x1 = gd_v4_load(x + 4);
  GD_UNROLL
  for (int r = 0; r < rows; r++) {
    const gd_v4 gradient = gd_v4_load_splat(dy + r * GD_BATCH_PANEL);
    acc[r][0] = gd_v4_madd(gradient, x0, acc[r][0]);
    acc[r][1] = gd_v4_madd(gradient, x1, acc[r][1]);
  }
}

/* The images of all panels, then the n_left of the last one. */
GD_INLINE void accumulate_images(int rows, gd_v4 acc[][2], const float *dy, size_t dy_stride,
                                 const float *x, uint32_t n_images) {
  uint32_t b = 0;
  for (; b + GD_BATCH_PANEL <= n_images; b += GD_BATCH_PANEL) {
    GD_NO_UNROLL
    for (int lane = 0; lane < GD_BATCH_PANEL; lane++) {
      multiply_add_image(rows, acc, dy + lane, x + lane * GD_FEATURE_PANEL);
    }
    dy += dy_stride;
    x += GD_BATCH_PANEL * GD_FEATURE_PANEL;
  }
  GD_NO_UNROLL
  for (; b < n_images; b++) {
    multiply_add_image(rows, acc, dy, x);
    dy += 1;
    x += GD_FEATURE_PANEL;
  }
}

GD_INLINE void update_tile(int rows, uint32_t first, const gd_affine *layer,
                           const gd_affine *velocity, const float *x, uint32_t n_rows, gd_panels dy,
                           uint32_t n_images, float learning_rate, float momentum) {
  const gd_v4 descent = gd_v4_splat(-learning_rate);
  const gd_v4 decay = gd_v4_splat(momentum);
  const float *dy_rows = dy.values + (size_t)first * GD_BATCH_PANEL;
  const size_t stride = layer->stride;
  const uint32_t n_in = layer->n_in;
  float *w = layer->weight + first * stride;
  float *v = velocity->weight + first * stride;
  for (uint32_t i = 0; i < n_in; i += 8) {
    const float *x_rows =
        x + (size_t)(i / GD_FEATURE_PANEL) * n_rows * GD_FEATURE_PANEL + i % GD_FEATURE_PANEL;
    gd_v4 acc[GD_TILE_ROWS][2];
    GD_UNROLL
    for (int r = 0; r < rows; r++) {
      acc[r][0] = acc[r][1] = gd_v4_splat(0.0f);
    }
    accumulate_images(rows, acc, dy_rows, dy.stride, x_rows, n_images);
    GD_UNROLL
    for (int r = 0; r < rows; r++) {
      float *w_row = w + (size_t)r * stride;
      float *v_row = v + (size_t)r * stride;
      GD_UNROLL
      for (int half = 0; half < 8; half += 4) {
        const gd_v4 moved = gd_v4_madd(decay, gd_v4_load(v_row + half), acc[r][half / 4]);
        gd_v4_store(v_row + half, moved);
        gd_v4_store(w_row + half, gd_v4_madd(descent, moved, gd_v4_load(w_row + half)));
      }
    }
    w += 8;
    v += 8;
  }
}

/* Up to four rows at a time: their sums over the images are independent chains. */
static void update_bias(const gd_affine *layer, const gd_affine *velocity, gd_panels dy,
                        uint32_t n_images, float learning_rate, float momentum, uint32_t begin,
                        uint32_t end) {
  for (uint32_t first = begin; first < end; first += 4) {
    const uint32_t n = end - first < 4 ? end - first : 4;
    float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (uint32_t b = 0; b < n_images; b++) {
      const float *column = dy.values + b / GD_BATCH_PANEL * dy.stride + b % GD_BATCH_PANEL;
      for (uint32_t r = 0; r < n; r++) {
        sums[r] += column[(size_t)(first + r) * GD_BATCH_PANEL];
      }
    }
    for (uint32_t r = 0; r < n; r++) {
      float *v = velocity->bias + first + r;
      *v = gd_scalar_madd(momentum, *v, sums[r]);
      layer->bias[first + r] = gd_scalar_madd(-learning_rate, *v, layer->bias[first + r]);
    }
  }
}

void gd_dense_update(const gd_affine *layer, const gd_affine *velocity, const float *x,
                     uint32_t n_rows, gd_panels dy, uint32_t n_images, float learning_rate,
                     float momentum, uint32_t begin, uint32_t end) {
#define TILE(rows, first)                                                                          \
  update_tile(rows, first, layer, velocity, x, n_rows, dy, n_images, learning_rate, momentum)
  FOR_EACH_TILE(begin, end, TILE);
#undef TILE
  update_bias(layer, velocity, dy, n_images, learning_rate, momentum, begin, end);
}
