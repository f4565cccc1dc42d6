/* Threads that work through one function together. The work is cut by place, never by who comes
 * first, so results do not depend on the number of threads. Builds without threads (no GD_THREADS)
 * have the same interface and one worker. */
#ifndef GD_NN_POOL_H
#define GD_NN_POOL_H

#include "base/arena.h"
#include "base/status.h"
#include "nn/thread.h"

#include <stdint.h>

typedef struct gd_pool gd_pool;

/* One worker's part in a joint function: worker `index` of `count`. */
typedef struct gd_share {
  gd_pool *pool;
  unsigned index;
  unsigned count;
} gd_share;

/* Starts n_threads - 1 threads beside the caller (1..GD_MAX_THREADS). WRONG_STATE where this build
 * has no threads and n_threads > 1; OUT_OF_MEMORY where the arena has no room or a thread does not
 * start. The pool lives in the arena: stop it before the arena goes. There is one pool at a time, for its threads are
 * those of nn/thread.h. */
gd_status gd_pool_start(gd_arena *arena, unsigned n_threads, gd_pool **out);

/* Ends the threads. NULL is fine. */
void gd_pool_stop(gd_pool *pool);

/* Workers that take part, the caller included; 1 for NULL. */
unsigned gd_pool_n_threads(const gd_pool *pool);

/* From now on the first n workers take part (1..n_threads as the pool was started); the others
 * sleep until more are wanted. Only the thread that started the pool may call it. */
void gd_pool_use(gd_pool *pool, unsigned n);

/* Calls work(context, share) on every worker at once, the caller included, and returns when all
 * have returned. NULL: the caller alone. Only the thread that started the pool may call it, and not
 * from inside `work`. */
void gd_pool_run(gd_pool *pool, void (*work)(void *context, const gd_share *share), void *context);

/* The same in two halves, without the caller: the other workers are at work between them, and the caller does as it
 * likes. What begins next (gd_pool_run and gd_pool_use too) ends it first, and so waits for it. Returns its number, by which
 * gd_pool_is_done knows it. With one worker nothing is done: ask gd_pool_n_threads first. */
unsigned gd_pool_begin(gd_pool *pool, void (*work)(void *context, const gd_share *share),
                       void *context);

/* Returns when the work that was begun last has ended; at once if nothing is under way. What it wrote is visible then.
 * NULL is fine. */
void gd_pool_end(gd_pool *pool);

/* Whether this work has ended: all workers are through with it, or something else has begun since. NULL is fine, here and below.
 */
int gd_pool_is_done(const gd_pool *pool, unsigned job);

/* Whether gd_pool_end would wait for any. */
int gd_pool_is_busy(const gd_pool *pool);

/* Inside `work`: returns when every worker has come here; what they wrote before is visible after.
 */
void gd_share_barrier(const gd_share *share);

/* This worker's part begin..end-1 of 0..n-1, cut at multiples of `unit`; the parts cover 0..n-1
 * once. */
static inline void gd_share_range(const gd_share *share, uint32_t n, uint32_t unit, uint32_t *begin,
                                  uint32_t *end) {
  const uint32_t n_units = (n + unit - 1) / unit;
  const uint32_t from = n_units * share->index / share->count * unit;
  const uint32_t to = n_units * (share->index + 1) / share->count * unit;
  *begin = from < n ? from : n;
  *end = to < n ? to : n;
}

#endif
