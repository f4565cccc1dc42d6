/* Validation of an epoch's weights by another thread, from a copy, while the caller trains the next epoch. Only a network whose
 * copy is small has one: the largest preset holds nothing of its size beyond weights, velocities and the selected checkpoint. */
#ifndef GD_LAB_BESIDE_H
#define GD_LAB_BESIDE_H

#include "base/arena.h"
#include "base/status.h"
#include "lab/evaluation.h"
#include "lab/images.h"
#include "nn/network.h"
#include "nn/pool.h"

#include <stdatomic.h>

typedef struct gd_beside {
  gd_parameters weights;    /* the copy; values NULL: this network has none */
  gd_evaluation evaluation; /* of it */
  gd_workspace *workspace;  /* the other thread's own */
  atomic_int is_given_up;
  unsigned job; /* of the pool */
  int is_under_way;
} gd_beside;

/* Takes room for a network of this shape and n_images images; none where it is large or this build has no threads.
 * OUT_OF_MEMORY where the arena has none; with a measuring arena only the size grows. */
gd_status gd_beside_take(gd_arena *arena, const gd_shape *shape, uint32_t n_images, gd_beside *out);

/* Whether gd_beside_start can be called: there is a copy, and the pool (NULL: the caller alone) has another worker. */
int gd_beside_is_possible(const gd_beside *beside, const gd_pool *pool);

/* Copies the weights and has them evaluated on all images. Until gd_beside_end the rest of the pool belongs to this: whatever
 * else asks for it waits. */
void gd_beside_start(gd_beside *beside, gd_pool *pool, const gd_parameters *weights,
                     const gd_images *images);

/* Whether gd_beside_end would return at once. */
int gd_beside_is_done(const gd_beside *beside, const gd_pool *pool);

/* Waits for the end; the evaluation is complete then. */
void gd_beside_end(gd_beside *beside, gd_pool *pool);

/* The evaluation's figures will not be wanted: it ends after its next chunk. The pool's next user, or gd_pool_end, waits for
 * that. */
void gd_beside_give_up(gd_beside *beside);

#endif
