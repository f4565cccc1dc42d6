#include "base/arena.h"

void gd_arena_init(gd_arena *arena, void *block, size_t capacity) {
  arena->base = block;
  arena->used = 0;
  arena->capacity = capacity;
  arena->failed = 0;
}

void gd_arena_init_measuring(gd_arena *arena) {
  gd_arena_init(arena, NULL, SIZE_MAX);
}

void *gd_arena_take(gd_arena *arena, size_t n_items, size_t item_bytes) {
  size_t wanted = 0;
  size_t end = 0;
  if (arena->failed || __builtin_mul_overflow(n_items, item_bytes, &wanted) ||
      __builtin_add_overflow(wanted, (size_t)GD_ARENA_ALIGNMENT - 1, &wanted)) {
    arena->failed = 1;
    return NULL;
  }
  wanted -= wanted % GD_ARENA_ALIGNMENT;
  if (__builtin_add_overflow(arena->used, wanted, &end) || end > arena->capacity) {
    arena->failed = 1;
    return NULL;
  }
  void *piece = arena->base == NULL ? NULL : arena->base + arena->used;
  arena->used = end;
  return piece;
}
