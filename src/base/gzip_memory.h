/* zlib's allocator on an arena: for gzip_inflate.c and gzip_deflate.c only. */
#ifndef GD_BASE_GZIP_MEMORY_H
#define GD_BASE_GZIP_MEMORY_H

#include "base/arena.h"

#define ZLIB_CONST
#include <zlib.h>

/* 15: the window of 32 kB that gzip files use; + 16: gzip's header and trailer, not zlib's. */
#define GD_GZIP_WINDOW_BITS (15 + 16)

static inline voidpf gd_gzip_take(voidpf arena, uInt n_items, uInt item_bytes) {
  return gd_arena_take(arena, n_items, item_bytes);
}

/* The arena goes as a whole. */
static inline void gd_gzip_give_back(voidpf arena, voidpf piece) {
  (void)arena;
  (void)piece;
}

#endif
