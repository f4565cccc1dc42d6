/* A look at start whether this engine computes what it should. */
#ifndef GD_NN_SELF_CHECK_H
#define GD_NN_SELF_CHECK_H

#include "base/arena.h"
#include "base/status.h"
#include "nn/network.h"

/* Trains a small odd-shaped network for a few steps with every kernel, and again with the
 * references: all parameters, velocities and losses must agree bit for bit. In fused builds this
 * proves that relaxed multiply-add rounds once. KERNEL_MISMATCH (the report names step, tensor and
 * the two values' bits), OUT_OF_MEMORY where the arena is too small; a measuring arena only counts.
 */
gd_status gd_self_check(gd_arena *arena, gd_pool *pool, gd_report *report);

#endif
