#include "lab/beside.h"

#include <string.h>

/* A copy of more weights than this is not little: 4 MB. */
#define MOST_PARAMETERS (UINT64_C(1) << 20)

gd_status gd_beside_take(gd_arena *arena, const gd_shape *shape, uint32_t n_images,
                         gd_beside *out) {
  memset(out, 0, sizeof *out);
#ifdef GD_THREADS
  if (gd_shape_n_parameters(shape) > MOST_PARAMETERS) {
    return GD_OK;
  }
  gd_status status = gd_evaluation_take(arena, n_images, &out->evaluation);
  if (status == GD_OK) {
    status = gd_parameters_take(arena, shape, &out->weights);
  }
  if (status == GD_OK) {
    status = gd_workspace_take(arena, shape, GD_EVALUATION_CHUNK, 0, &out->workspace);
  }
  return status;
#else
  (void)arena;
  (void)shape;
  (void)n_images;
  return GD_OK;
#endif
}

int gd_beside_is_possible(const gd_beside *beside, const gd_pool *pool) {
  return beside->weights.values != NULL && gd_pool_n_threads(pool) > 1;
}

static void evaluate(void *context, const gd_share *share) {
  gd_beside *beside = context;
  if (share->index != 1) {
    return;
  }
  uint32_t n_left = 1;
  while (n_left > 0 && !atomic_load_explicit(&beside->is_given_up, memory_order_relaxed)) {
    n_left = gd_evaluation_step(&beside->evaluation, beside->workspace, NULL);
  }
}

void gd_beside_start(gd_beside *beside, gd_pool *pool, const gd_parameters *weights,
                     const gd_images *images) {
  gd_parameters_copy(&beside->weights, weights);
  gd_evaluation_start(&beside->evaluation, &beside->weights, images, GD_ALL_BRANCHES);
  beside->is_under_way = 1;
  beside->job = gd_pool_begin(pool, evaluate, beside);
}

int gd_beside_is_done(const gd_beside *beside, const gd_pool *pool) {
  return gd_pool_is_done(pool, beside->job);
}

void gd_beside_end(gd_beside *beside, gd_pool *pool) {
  if (!gd_beside_is_done(beside, pool)) {
    gd_pool_end(pool);
  }
  beside->is_under_way = 0;
}

void gd_beside_give_up(gd_beside *beside) {
  atomic_store_explicit(&beside->is_given_up, 1, memory_order_relaxed);
}
