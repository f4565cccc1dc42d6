/* A pool is one barrier. Its workers wait at it for the next work, and wait at it again when theirs is done; the caller does
 * the same from its side. The last to arrive turns the phase, which frees the others. Whoever waits looks at the phase for a
 * while, because the parts of a training step end within microseconds of each other, and then sleeps, because the
 * next step may be long in coming. */
#include "nn/pool.h"

#include <stddef.h>

#ifdef GD_THREADS

#include "nn/thread.h"

#include <stdatomic.h>

/* Looks before a worker sleeps: some tens of microseconds. */
#define N_SPINS 20000

struct gd_pool {
  unsigned n_started;    /* threads beside the caller that run */
  atomic_uint n_threads; /* that take part: the barrier's width. Changes while it turns, so that
                            nobody is under way in it */
  unsigned n_next;       /* n_threads after the next turn */
  void (*work)(void *context, const gd_share *share); /* NULL: go home */
  void *context;
  unsigned job; /* number of the work that was begun last */
  int is_begun; /* and whether it has not been ended */
  atomic_uint n_arrived;
  atomic_uint phase;
  atomic_uint n_asleep; /* at the barrier */
  gd_share shares[GD_MAX_THREADS];
};

static void arrive(gd_pool *pool) {
  const unsigned phase = atomic_load_explicit(&pool->phase, memory_order_relaxed);
  const unsigned n_threads = atomic_load_explicit(&pool->n_threads, memory_order_relaxed);
  if (atomic_fetch_add_explicit(&pool->n_arrived, 1, memory_order_acq_rel) + 1 == n_threads) {
    atomic_store_explicit(&pool->n_arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->n_threads, pool->n_next, memory_order_relaxed);
    /* Sequentially consistent, as is the sleeper's count: either the sleeper sees the new phase, or it is seen here. */
    atomic_store(&pool->phase, phase + 1);
    if (atomic_load(&pool->n_asleep) != 0) {
      gd_thread_wake(&pool->phase);
    }
    return;
  }
  for (int spin = 0; spin < N_SPINS; spin++) {
    if (atomic_load_explicit(&pool->phase, memory_order_acquire) != phase) {
      return;
    }
  }
  atomic_fetch_add(&pool->n_asleep, 1);
  while (atomic_load(&pool->phase) == phase) {
    gd_thread_sleep(&pool->phase, phase);
  }
  atomic_fetch_sub(&pool->n_asleep, 1);
}

/* Sleeps while the worker does not take part. */
static void sit_out(gd_pool *pool, unsigned index) {
  for (unsigned n; (n = atomic_load(&pool->n_threads)) <= index;) {
    gd_thread_sleep(&pool->n_threads, n);
  }
}

static void serve(void *argument) {
  const gd_share *share = argument;
  gd_pool *pool = share->pool;
  for (;;) {
    sit_out(pool, share->index);
    arrive(pool);
    if (pool->work == NULL) {
      return;
    }
    pool->work(pool->context, share);
    arrive(pool);
  }
}

gd_status gd_pool_start(gd_arena *arena, unsigned n_threads, gd_pool **out) {
  *out = NULL;
  if (n_threads < 1 || n_threads > GD_MAX_THREADS) {
    return GD_WRONG_STATE;
  }
  gd_pool *pool = gd_arena_take(arena, 1, sizeof *pool);
  if (arena->failed) {
    return GD_OUT_OF_MEMORY;
  }
  if (pool == NULL) {
    return GD_OK;
  }
  /* The threads sit out until all have started. */
  *pool = (gd_pool){.n_threads = 1, .n_next = 1};
  for (unsigned i = 0; i < n_threads; i++) {
    pool->shares[i] = (gd_share){pool, i, 1};
  }
  for (unsigned i = 1; i < n_threads; i++) {
    if (gd_thread_start(i, serve, &pool->shares[i]) != GD_OK) {
      gd_pool_stop(pool);
      return GD_OUT_OF_MEMORY;
    }
    pool->n_started++;
  }
  gd_pool_use(pool, n_threads);
  *out = pool;
  return GD_OK;
}

void gd_pool_stop(gd_pool *pool) {
  if (pool == NULL) {
    return;
  }
  gd_pool_use(pool, 1 + pool->n_started);
  pool->work = NULL;
  arrive(pool);
  for (unsigned i = 1; i <= pool->n_started; i++) {
    gd_thread_join(i);
  }
}

/* Work that does nothing but let the barrier at its end turn to another width. */
static void change_width(void *context, const gd_share *share) {
  if (share->index == 0) {
    share->pool->n_next = *(const unsigned *)context;
  }
}

void gd_pool_use(gd_pool *pool, unsigned n) {
  gd_pool_run(pool, change_width, &n);
  for (unsigned i = 0; i <= pool->n_started; i++) {
    pool->shares[i].count = n;
  }
  gd_thread_wake(&pool->n_threads);
}

unsigned gd_pool_n_threads(const gd_pool *pool) {
  return pool == NULL ? 1 : pool->shares[0].count;
}

void gd_pool_run(gd_pool *pool, void (*work)(void *context, const gd_share *share), void *context) {
  if (pool == NULL) {
    const gd_share alone = {NULL, 0, 1};
    work(context, &alone);
    return;
  }
  gd_pool_begin(pool, work, context);
  work(context, &pool->shares[0]);
  gd_pool_end(pool);
}

unsigned gd_pool_begin(gd_pool *pool, void (*work)(void *context, const gd_share *share),
                       void *context) {
  gd_pool_end(pool);
  pool->work = work;
  pool->context = context;
  pool->is_begun = 1;
  arrive(pool);
  return ++pool->job;
}

void gd_pool_end(gd_pool *pool) {
  if (pool != NULL && pool->is_begun) {
    arrive(pool);
    pool->is_begun = 0;
  }
}

int gd_pool_is_done(const gd_pool *pool, unsigned job) {
  return !gd_pool_is_busy(pool) || job != pool->job;
}

int gd_pool_is_busy(const gd_pool *pool) {
  return pool != NULL && pool->is_begun &&
         atomic_load_explicit(&pool->n_arrived, memory_order_acquire) + 1 < pool->shares[0].count;
}

void gd_share_barrier(const gd_share *share) {
  if (share->count > 1) {
    arrive(share->pool);
  }
}

#else

gd_status gd_pool_start(gd_arena *arena, unsigned n_threads, gd_pool **out) {
  (void)arena;
  *out = NULL;
  return n_threads == 1 ? GD_OK : GD_WRONG_STATE;
}

void gd_pool_stop(gd_pool *pool) {
  (void)pool;
}

void gd_pool_use(gd_pool *pool, unsigned n) {
  (void)pool;
  (void)n;
}

unsigned gd_pool_n_threads(const gd_pool *pool) {
  (void)pool;
  return 1;
}

void gd_pool_run(gd_pool *pool, void (*work)(void *context, const gd_share *share), void *context) {
  const gd_share alone = {pool, 0, 1};
  work(context, &alone);
}

unsigned gd_pool_begin(gd_pool *pool, void (*work)(void *context, const gd_share *share),
                       void *context) {
  (void)pool;
  (void)work;
  (void)context;
  return 0;
}

void gd_pool_end(gd_pool *pool) {
  (void)pool;
}

int gd_pool_is_done(const gd_pool *pool, unsigned job) {
  (void)pool;
  (void)job;
  return 1;
}

int gd_pool_is_busy(const gd_pool *pool) {
  (void)pool;
  return 0;
}

void gd_share_barrier(const gd_share *share) {
  (void)share;
}

#endif
