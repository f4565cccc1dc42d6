/* The engine's way of hashing a split that arrives: on the pool's second thread, where there is one, while the first goes
 * on decompressing. The hash runs behind; gd_split_finish does what is left of it. */
#include "nn/pool.h"
#include "wasm/model.h"

/* Less than this is not worth waking a thread for. */
#define LEAST_BYTES (64 * 1024)

/* What the other thread was given last. One split at a time: another one's bytes wait until it has nothing to do. */
static gd_split *hashed;
static uint32_t end;

static void hash(void *context, const gd_share *share) {
  (void)context;
  if (share->index == 1) {
    gd_split_hash(hashed, end);
  }
}

void gd_hash_settle(void) {
  gd_pool_end(gd_engine_pool());
}

void gd_hash_arrived(gd_split *split) {
  gd_pool *pool = gd_engine_pool();
  if (gd_pool_n_threads(pool) < 2) {
    gd_split_hash(split, split->n_bytes);
    return;
  }
  if (gd_pool_is_busy(pool)) {
    return;
  }
  gd_hash_settle();
  if (split->n_bytes - split->n_hashed >= LEAST_BYTES) {
    hashed = split;
    end = split->n_bytes;
    gd_pool_begin(pool, hash, NULL);
  }
}
