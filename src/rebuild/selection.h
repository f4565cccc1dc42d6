/* Which images of a pool make a split. */
#ifndef GD_REBUILD_SELECTION_H
#define GD_REBUILD_SELECTION_H

#include "base/status.h"

#include <stdint.h>

/* Chooses the first n_per_digit images of each digit in the pool's order, interleaved 0..9, into
 * out (10 * n_per_digit): out[10 k + d] is the k-th image of digit d. Any prefix whose length is a
 * multiple of 10 is then balanced.
 *   labels  of the whole collection, each 0..9
 *   pool    (n_pool) places in the collection; NULL stands for 0..n_pool-1
 * TOO_FEW_OF_A_DIGIT names the digit. */
gd_status gd_select_balanced(const uint8_t *labels, const uint32_t *pool, uint32_t n_pool,
                             uint32_t n_per_digit, uint32_t *out, gd_report *report);

#endif
