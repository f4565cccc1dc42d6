#include "nn/sparse.h"

#include "nn/layout.h"
#include "nn/vector.h"

/* Vectors of a feature panel: eight accumulators. */
#define N_VECTORS (GD_FEATURE_PANEL / 4)

_Static_assert(GD_LIST_BLOCK % GD_FEATURE_PANEL == 0 && GD_LIST_BLOCK % 8 == 0,
               "a block ends where a panel and eight pixels do");

/* Entries from the start of a list to the start of the next, where lists of up to n_most are filled side by
 * side. Eight entries are a cache line: at an odd number of lines the lists' heads do not compete for the
 * same places of a cache. */
static uint32_t room_for(uint32_t n_most) {
  return (gd_n_panels(n_most, 8) | 1u) * 8;
}

static void take_lists(gd_arena *arena, uint32_t n_lists, uint32_t n_most, gd_lists *out) {
  const uint32_t n_blocks = gd_n_panels(n_most, GD_LIST_BLOCK);
  *out = (gd_lists){gd_arena_take(arena, (size_t)n_lists * room_for(n_most), sizeof(gd_entry)),
                    gd_arena_take(arena, n_lists, sizeof(uint32_t)),
                    gd_arena_take(arena, (size_t)n_lists * n_blocks, sizeof(uint32_t)), n_blocks};
}

void gd_sparse_take(gd_arena *arena, uint32_t n_max_images, uint32_t n_max_columns, int by_columns,
                    gd_sparse *out) {
  /* Every value is written, and counted if it is not zero: room for the zeros of the last panel. */
  const uint32_t n_most = gd_round_up(n_max_columns, GD_FEATURE_PANEL);
  *out = (gd_sparse){0};
  take_lists(arena, n_max_images, n_most, &out->by_image);
  if (by_columns) {
    take_lists(arena, n_most, n_max_images, &out->by_column);
  }
}

void gd_sparse_resize(gd_sparse *matrix, uint32_t n_images, uint32_t n_columns) {
  matrix->n_images = n_images;
  matrix->n_columns = n_columns;
  matrix->by_image.n_blocks = gd_n_panels(n_columns, GD_LIST_BLOCK);
}

/* Writes the non-zero pixels first..end-1 at entries[n], eight bytes at a look; returns where they end. */
static uint32_t append_pixels(gd_entry *entries, uint32_t n, const uint8_t *pixels, uint32_t first,
                              uint32_t end, const float scaled[256]) {
  for (uint32_t i = first; i < end; i += 8) {
    uint64_t eight = 0;
    memcpy(&eight, pixels + i, sizeof eight);
    if (eight == 0) {
      continue;
    }
    for (uint32_t k = i; k < i + 8; k++) {
      /* Written always, counted only when not zero: no branch to mispredict. */
      entries[n].at = k;
      entries[n].x = scaled[pixels[k]];
      n += pixels[k] != 0;
    }
  }
  return n;
}

/* Sorts the n entries of all images, which lie one after the other, by column: a counting sort. */
static void sort_by_column(gd_sparse *matrix, uint32_t n, uint8_t *seen) {
  const gd_entry *entries = matrix->by_image.entries;
  const gd_lists *to = &matrix->by_column;
  uint32_t n_before = 0;
  memset(to->ends, 0, matrix->n_columns * sizeof *to->ends);
  for (uint32_t e = 0; e < n; e++) {
    to->ends[entries[e].at]++;
  }
  for (uint32_t k = 0; k < matrix->n_columns; k++) {
    const uint32_t n_own = to->ends[k];
    seen[k] |= n_own != 0;
    to->begins[k] = to->ends[k] = n_before;
    n_before += n_own;
  }
  for (uint32_t b = 0; b < matrix->n_images; b++) {
    const uint32_t end = matrix->by_image.ends[(b + 1) * matrix->by_image.n_blocks - 1];
    for (uint32_t e = matrix->by_image.begins[b]; e < end; e++) {
      to->entries[to->ends[entries[e].at]++] = (gd_entry){b, entries[e].x};
    }
  }
}

void gd_sparse_list_pixels(gd_sparse *matrix, const gd_minibatch *minibatch,
                           const float scaled[256], uint8_t *seen) {
  const gd_lists *by_image = &matrix->by_image;
  uint32_t n = 0;
  gd_sparse_resize(matrix, minibatch->n_images, GD_N_PIXELS);
  for (uint32_t b = 0; b < minibatch->n_images; b++) {
    const uint32_t image = minibatch->order == NULL ? minibatch->first + b : minibatch->order[b];
    const uint8_t *pixels = minibatch->pixels + (size_t)image * GD_N_PIXELS;
    by_image->begins[b] = n;
    for (uint32_t j = 0; j < by_image->n_blocks; j++) {
      const uint32_t end = (j + 1) * GD_LIST_BLOCK;
      n = append_pixels(by_image->entries, n, pixels, j * GD_LIST_BLOCK,
                        end < GD_N_PIXELS ? end : GD_N_PIXELS, scaled);
      by_image->ends[b * by_image->n_blocks + j] = n;
    }
  }
  if (seen != NULL) {
    sort_by_column(matrix, n, seen);
  }
}

void gd_sparse_list_images(gd_sparse *matrix, const float *dz, uint32_t n_rows, float gain,
                           uint32_t begin, uint32_t end) {
  const gd_lists *lists = &matrix->by_image;
  const uint32_t n_panels = gd_n_panels(matrix->n_columns, GD_FEATURE_PANEL);
  const uint32_t room = room_for(n_panels * GD_FEATURE_PANEL);
  for (uint32_t b = begin; b < end; b++) {
    uint32_t n = b * room;
    lists->begins[b] = n;
    for (uint32_t q = 0; q < n_panels; q++) {
      const float *row = dz + ((size_t)q * n_rows + b) * GD_FEATURE_PANEL;
      for (uint32_t lane = 0; lane < GD_FEATURE_PANEL; lane++) {
        const float x = gain * row[lane];
        lists->entries[n].at = q * GD_FEATURE_PANEL + lane;
        lists->entries[n].x = x;
        n += x != 0.0f;
      }
      /* Whichever block the panel is in ends here so far. */
      lists->ends[b * lists->n_blocks + q * GD_FEATURE_PANEL / GD_LIST_BLOCK] = n;
    }
  }
}

void gd_sparse_list_columns(gd_sparse *matrix, const float *dz, uint32_t n_rows, float gain,
                            uint32_t begin, uint32_t end) {
  const gd_lists *lists = &matrix->by_column;
  const uint32_t room = room_for(matrix->n_images);
  for (uint32_t first = begin; first < end;) {
    const uint32_t lane = first % GD_FEATURE_PANEL;
    const uint32_t left = GD_FEATURE_PANEL - lane;
    const uint32_t n_lanes = left < end - first ? left : end - first;
    const float *panel = dz + (size_t)(first - lane) * n_rows + lane;
    uint32_t *ends = lists->ends + first;
    for (uint32_t k = 0; k < n_lanes; k++) {
      lists->begins[first + k] = ends[k] = (first + k) * room;
    }
    for (uint32_t b = 0; b < matrix->n_images; b++) {
      for (uint32_t k = 0; k < n_lanes; k++) {
        const float x = gain * panel[(size_t)b * GD_FEATURE_PANEL + k];
        lists->entries[ends[k]] = (gd_entry){b, x};
        ends[k] += x != 0.0f;
      }
    }
    first += n_lanes;
  }
}

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

/* Block j of image b's list. */
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

void gd_sparse_forward(const gd_sparse *x, const float *weight, const float *bias, float *h,
                       uint32_t n_rows, uint32_t begin, uint32_t end) {
  const uint32_t n_blocks = x->by_image.n_blocks;
  for (uint32_t q = begin; q < end; q++) {
    const float *table = weight + (size_t)q * x->n_columns * GD_FEATURE_PANEL;
    for (uint32_t j = 0; j < n_blocks; j++) {
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

void gd_sparse_input_gradient(const gd_sparse *dy, const float *weight, const float *dz_above,
                              uint32_t n_bypass, const float *h, float *dz, uint32_t n_rows,
                              uint32_t begin, uint32_t end) {
  const uint32_t n_blocks = dy->by_image.n_blocks;
  const uint32_t n_bypass_panels = gd_n_panels(n_bypass, GD_FEATURE_PANEL);
  for (uint32_t q = begin; q < end; q++) {
    const float *table = weight + (size_t)q * dy->n_columns * GD_FEATURE_PANEL;
    for (uint32_t j = 0; j < n_blocks; j++) {
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
