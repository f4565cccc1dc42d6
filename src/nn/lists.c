/* Lists are made without a branch for each value: whether one is zero is nothing that a processor could foresee. Behind a
 * ReLU four values are looked at together: those that are not zero move to the front by a table of all sixteen cases. Pixels, of which four in five are zero, are marked
 * sixteen at a time by a bit each; lists by image follow the marks' rows, lists by column the marks turned round. */
#include "nn/lists.h"

#include "nn/layout.h"
#include "nn/vector.h"

/* Words with a bit for each pixel. */
#define N_MARKS ((GD_N_PIXELS + 63) / 64)

_Static_assert(GD_FEATURE_BLOCK % GD_FEATURE_PANEL == 0, "a block ends where a panel does");
_Static_assert(GD_PIXEL_BLOCK % 64 == 0, "a block ends where a word of marks does");
_Static_assert(GD_FEATURE_BLOCK <= GD_PIXEL_BLOCK, "there is room for the ends of more blocks");
_Static_assert(GD_N_PIXELS % 16 == 0, "no mark stands for what is no pixel");

/* Entries from the start of a list to the start of the next, where lists of up to n_most are filled side by
 * side. Eight entries are a cache line: at an odd number of lines the lists' heads do not compete for the
 * same places of a cache. */
static uint32_t room_for(uint32_t n_most) {
  return (gd_n_panels(n_most, 8) | 1u) * 8;
}

static void take_lists(gd_arena *arena, uint32_t n_lists, uint32_t n_most, gd_lists *out) {
  const uint32_t n_blocks = gd_n_panels(n_most, GD_FEATURE_BLOCK);
  *out =
      (gd_lists){gd_arena_take(arena, (size_t)n_lists * room_for(n_most), sizeof(gd_entry)),
                 gd_arena_take(arena, n_lists, sizeof(uint32_t)),
                 gd_arena_take(arena, (size_t)n_lists * n_blocks, sizeof(uint32_t)), n_blocks, 0};
}

void gd_lists_take(gd_arena *arena, uint32_t n_max_images, uint32_t n_max_columns, int by_columns,
                   gd_sparse *out) {
  /* Four entries are written at a time: room for those of the last panel's zeros. */
  const uint32_t n_most = gd_round_up(n_max_columns, GD_FEATURE_PANEL);
  *out = (gd_sparse){0};
  take_lists(arena, n_max_images, n_most, &out->by_image);
  if (by_columns) {
    take_lists(arena, n_most, n_max_images, &out->by_column);
  }
}

static void resize(gd_sparse *matrix, uint32_t n_images, uint32_t n_columns,
                   uint32_t n_block_columns) {
  matrix->n_images = n_images;
  matrix->n_columns = n_columns;
  matrix->by_image.n_blocks = gd_n_panels(n_columns, n_block_columns);
  matrix->by_image.n_block_columns = n_block_columns;
}

void gd_lists_resize(gd_sparse *matrix, uint32_t n_images, uint32_t n_columns) {
  resize(matrix, n_images, n_columns, GD_FEATURE_BLOCK);
}

/* A minibatch's pixels: where each image's are, and in bit k of marks[b][w] whether pixel 64 w + k of image b is not zero. */
typedef struct marked_pixels {
  const uint8_t *images[GD_MAX_BATCH];
  uint64_t marks[GD_MAX_BATCH][N_MARKS];
  const float *scaled;
} marked_pixels;

static void mark_pixels(const gd_minibatch *minibatch, marked_pixels *to) {
  for (uint32_t b = 0; b < minibatch->n_images; b++) {
    const uint32_t image = minibatch->order == NULL ? minibatch->first + b : minibatch->order[b];
    const uint8_t *pixels = minibatch->pixels + (size_t)image * GD_N_PIXELS;
    to->images[b] = pixels;
    for (uint32_t w = 0; w < N_MARKS; w++) {
      uint64_t word = 0;
      for (uint32_t k = 0; k < 64 && w * 64 + k < GD_N_PIXELS; k += 16) {
        word |= (uint64_t)gd_bytes_not_zero(pixels + w * 64 + k) << k;
      }
      to->marks[b][w] = word;
    }
  }
}

static void list_marked_images(gd_sparse *matrix, const marked_pixels *from) {
  const gd_lists *lists = &matrix->by_image;
  uint32_t n = 0;
  for (uint32_t b = 0; b < matrix->n_images; b++) {
    lists->begins[b] = n;
    for (uint32_t w = 0; w < N_MARKS; w++) {
      const uint32_t block = w * 64 / GD_PIXEL_BLOCK;
      const uint32_t first = w * 64 % GD_PIXEL_BLOCK;
      const uint8_t *pixels = from->images[b] + (size_t)w * 64;
      for (uint64_t left = from->marks[b][w]; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctzll(left);
        lists->entries[n++] = (gd_entry){first + k, from->scaled[pixels[k]]};
      }
      lists->ends[b * lists->n_blocks + block] = n; /* so far */
    }
  }
}

/* Bit k of word r becomes bit r of word k: halves change places, then halves of halves. */
static void transpose_bits(uint64_t words[64]) {
  uint64_t low = 0x00000000ffffffffu;
  for (uint32_t distance = 32; distance > 0; distance /= 2) {
    for (uint32_t r = 0; r < 64; r = (r + distance + 1) & ~distance) {
      const uint64_t changed = (words[r] >> distance ^ words[r + distance]) & low;
      words[r] ^= changed << distance;
      words[r + distance] ^= changed;
    }
    low ^= low << distance / 2;
  }
}

static void list_marked_columns(gd_sparse *matrix, const marked_pixels *from, uint8_t *seen) {
  const gd_lists *lists = &matrix->by_column;
  const uint32_t n_groups = gd_n_panels(matrix->n_images, 64);
  uint64_t columns[GD_MAX_BATCH / 64][64];
  uint32_t n = 0;
  for (uint32_t w = 0; w < N_MARKS; w++) {
    for (uint32_t g = 0; g < n_groups; g++) {
      for (uint32_t r = 0; r < 64; r++) {
        columns[g][r] = g * 64 + r < matrix->n_images ? from->marks[g * 64 + r][w] : 0;
      }
      transpose_bits(columns[g]);
    }
    for (uint32_t k = w * 64; k < (w + 1) * 64 && k < GD_N_PIXELS; k++) {
      lists->begins[k] = n;
      for (uint32_t g = 0; g < n_groups; g++) {
        for (uint64_t left = columns[g][k % 64]; left != 0; left &= left - 1) {
          const uint32_t b = g * 64 + (uint32_t)__builtin_ctzll(left);
          lists->entries[n++] = (gd_entry){b, from->scaled[from->images[b][k]]};
        }
      }
      lists->ends[k] = n;
      seen[k] |= n != lists->begins[k];
    }
  }
}

void gd_lists_write_pixels(gd_sparse *matrix, const gd_minibatch *minibatch,
                           const float scaled[256], uint8_t *seen) {
  marked_pixels marked;
  marked.scaled = scaled;
  resize(matrix, minibatch->n_images, GD_N_PIXELS, GD_PIXEL_BLOCK);
  mark_pixels(minibatch, &marked);
  list_marked_images(matrix, &marked);
  if (seen != NULL) {
    list_marked_columns(matrix, &marked, seen);
  }
}

/* The lanes whose bits are set in a mask, lowest first; what follows them does not matter. */
#define LANE_0 0, 1, 2, 3
#define LANE_1 4, 5, 6, 7
#define LANE_2 8, 9, 10, 11
#define LANE_3 12, 13, 14, 15
static _Alignas(16) const uint8_t set_lanes[16][16] = {
    {LANE_0, LANE_1, LANE_2, LANE_3}, {LANE_0, LANE_1, LANE_2, LANE_3},
    {LANE_1, LANE_0, LANE_2, LANE_3}, {LANE_0, LANE_1, LANE_2, LANE_3},
    {LANE_2, LANE_0, LANE_1, LANE_3}, {LANE_0, LANE_2, LANE_1, LANE_3},
    {LANE_1, LANE_2, LANE_0, LANE_3}, {LANE_0, LANE_1, LANE_2, LANE_3},
    {LANE_3, LANE_0, LANE_1, LANE_2}, {LANE_0, LANE_3, LANE_1, LANE_2},
    {LANE_1, LANE_3, LANE_0, LANE_2}, {LANE_0, LANE_1, LANE_3, LANE_2},
    {LANE_2, LANE_3, LANE_0, LANE_1}, {LANE_0, LANE_2, LANE_3, LANE_1},
    {LANE_1, LANE_2, LANE_3, LANE_0}, {LANE_0, LANE_1, LANE_2, LANE_3},
};

/* Writes entries for the lanes of x whose bits are set in `mask`, at first, first + 1, ...; returns how many. Four are written,
 * whatever the mask. */
GD_INLINE uint32_t append(gd_entry *to, uint32_t first, gd_v4 x, uint32_t mask) {
  const gd_v4 at = gd_v4_permute(gd_v4_count_from(first), set_lanes[mask]);
  const gd_v4 packed = gd_v4_permute(x, set_lanes[mask]);
  gd_v4_store((float *)to, GD_V4_SHUFFLE(at, packed, 0, 4, 1, 5));
  gd_v4_store((float *)(to + 2), GD_V4_SHUFFLE(at, packed, 2, 6, 3, 7));
  return (uint32_t)__builtin_popcount(mask);
}

void gd_lists_write_images(const gd_sparse *matrix, const float *values, uint32_t n_rows,
                           float gain, uint32_t begin, uint32_t end) {
  const gd_lists *lists = &matrix->by_image;
  const uint32_t n_panels = gd_n_panels(matrix->n_columns, GD_FEATURE_PANEL);
  const uint32_t room = room_for(n_panels * GD_FEATURE_PANEL);
  const gd_v4 gains = gd_v4_splat(gain);
  for (uint32_t b = begin; b < end; b++) {
    uint32_t n = b * room;
    lists->begins[b] = n;
    for (uint32_t q = 0; q < n_panels; q++) {
      const float *row = values + ((size_t)q * n_rows + b) * GD_FEATURE_PANEL;
      const uint32_t block = q * GD_FEATURE_PANEL / GD_FEATURE_BLOCK;
      const uint32_t first = q * GD_FEATURE_PANEL % GD_FEATURE_BLOCK;
      for (uint32_t lane = 0; lane < GD_FEATURE_PANEL; lane += 4) {
        const gd_v4 x = gd_v4_mul(gains, gd_v4_load(row + lane));
        n += append(lists->entries + n, first + lane, x, gd_v4_not_zero(x));
      }
      lists->ends[b * lists->n_blocks + block] = n; /* so far */
    }
  }
}

void gd_lists_write_columns(const gd_sparse *matrix, const float *values, uint32_t n_rows,
                            float gain, uint32_t begin, uint32_t end) {
  const gd_lists *lists = &matrix->by_column;
  const uint32_t room = room_for(matrix->n_images);
  const gd_v4 gains = gd_v4_splat(gain);
  for (uint32_t column = begin; column < end; column += 4) {
    const uint32_t lane = column % GD_FEATURE_PANEL;
    const float *panel = values + (size_t)(column - lane) * n_rows + lane;
    uint32_t n[4];
    for (uint32_t k = 0; k < 4; k++) {
      lists->begins[column + k] = n[k] = (column + k) * room;
    }
    for (uint32_t b = 0; b < matrix->n_images; b += 4) {
      const uint32_t left = matrix->n_images - b;
      const uint32_t wanted = left < 4 ? (1u << left) - 1 : 15u;
      gd_v4 x[4]; /* of four images; then of four columns */
      for (uint32_t k = 0; k < 4; k++) {
        x[k] = gd_v4_mul(gains, gd_v4_load(panel + (size_t)(b + k) * GD_FEATURE_PANEL));
      }
      gd_v4_transpose(x);
      for (uint32_t k = 0; k < 4; k++) {
        n[k] += append(lists->entries + n[k], b, x[k], gd_v4_not_zero(x[k]) & wanted);
      }
    }
    for (uint32_t k = 0; k < 4; k++) {
      lists->ends[column + k] = n[k];
    }
  }
}
