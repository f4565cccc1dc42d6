/* A bump allocator over one block of the caller's: all state of a session stands in one arena,
 * whose size is known before anything is allocated. There is no freeing of single pieces: the block
 * goes as a whole. */
#ifndef GD_BASE_ARENA_H
#define GD_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

/* Every piece starts at a multiple of this many bytes (a cache line), and is a multiple of it long.
 */
#define GD_ARENA_ALIGNMENT 64

/* A block, or a measuring arena with base == NULL: takes from it return NULL and only add up
 * `used`, so that the code that lays out a structure also computes its size. */
typedef struct gd_arena {
  uint8_t *base;
  size_t used;     /* bytes taken, rounding included */
  size_t capacity; /* bytes of the block */
  int failed;      /* a take did not fit, or its size overflowed: stays set */
} gd_arena;

/* Starts an arena over `block` (capacity bytes, aligned to GD_ARENA_ALIGNMENT, owned by the
 * caller). */
void gd_arena_init(gd_arena *arena, void *block, size_t capacity);

/* Starts a measuring arena. */
void gd_arena_init_measuring(gd_arena *arena);

/* Takes n_items * item_bytes bytes, not cleared, aligned to GD_ARENA_ALIGNMENT. NULL when
 * measuring; NULL with `failed` set when it does not fit or the product overflows. */
void *gd_arena_take(gd_arena *arena, size_t n_items, size_t item_bytes);

#endif
