#include "nn/pool.h"

#include <stddef.h>

unsigned gd_pool_n_threads(const gd_pool *pool) {
  (void)pool;
  return 1;
}

gd_status gd_pool_start(gd_arena *arena, unsigned n_threads, gd_pool **out) {
  (void)arena;
  *out = NULL;
  return n_threads == 1 ? GD_OK : GD_WRONG_STATE;
}

void gd_pool_stop(gd_pool *pool) {
  (void)pool;
}

void gd_pool_run(gd_pool *pool, void (*work)(void *context, const gd_share *share), void *context) {
  const gd_share alone = {pool, 0, 1};
  work(context, &alone);
}

void gd_share_barrier(const gd_share *share) {
  (void)share;
}
