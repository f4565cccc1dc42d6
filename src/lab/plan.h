/* Plans: which masks are run together, and which of their points a line may join. */
#ifndef GD_LAB_PLAN_H
#define GD_LAB_PLAN_H

#include "base/status.h"
#include "lab/config.h"
#include "nn/network.h"

#include <stdint.h>

/* GD_PLANS(X): X(NAME, id). */
#define GD_PLANS(X)                                                                                \
  X(SINGLE, "single") /* [mask] */                                                                 \
  X(PAIRED, "paired") /* [0, mask]; one run if mask = 0 */                                         \
  X(SWEEP, "sweep")   /* the five prefix masks of an order, from none to all */

typedef enum gd_plan {
#define GD_PLAN_ENUM(name, id) GD_PLAN_##name,
  GD_PLANS(GD_PLAN_ENUM)
#undef GD_PLAN_ENUM
      GD_N_PLANS
} gd_plan;

#define GD_N_ORDERS 24u
#define GD_MAX_PLAN_MASKS 5u
#define GD_MAX_GRID_RUNS 100u

/* Order number `index` (0..23) of the branches 0..3 (bits of a mask), in lexicographic order. */
void gd_plan_order(unsigned index, uint8_t order[GD_N_BRANCHES]);

/* The number of an order; FIELD_NOT_LISTED ("order") where it is no permutation of 0..3. */
gd_status gd_plan_order_index(const uint8_t order[GD_N_BRANCHES], unsigned *index,
                              gd_report *report);

/* The plan's masks, in the sequence in which they are run. `mask` counts for single and paired,
 * `order` (a number, 0..23) for a sweep. FIELD_NOT_LISTED ("plan", "order") or mask's own fault. */
gd_status gd_plan_masks(unsigned plan, unsigned order, double mask,
                        unsigned masks[GD_MAX_PLAN_MASKS], uint32_t *n_masks, gd_report *report);

/* One run of a grid. */
typedef struct gd_grid_run {
  double p;
  double mask;
  double seed;
} gd_grid_run;

/* The grid of all p x masks x seeds, seeds outermost, then p, then masks, so that whole comparisons
 * are finished early. Every value is checked as a setting is; FIELD_REPEATED: one occurs twice in
 * its list; FIELD_OUT_OF_RANGE ("runs"): none, or more than GD_MAX_GRID_RUNS. */
gd_status gd_plan_grid(const double *p, uint32_t n_p, const double *masks, uint32_t n_masks,
                       const double *seeds, uint32_t n_seeds, gd_grid_run out[GD_MAX_GRID_RUNS],
                       uint32_t *n_runs, gd_report *report);

/* Whether each mask holds all branches of the one before it: n masks, by their number of branches
 * ascending, every one with more than the last. */
int gd_plan_is_nested(const unsigned *masks, uint32_t n);

#endif
