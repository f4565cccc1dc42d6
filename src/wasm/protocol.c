/* The engine's exports for plans, comparison and statistics: see src/wasm/engine.c for the list. */
#include "lab/compare.h"
#include "lab/plan.h"
#include "lab/statistics.h"
#include "wasm/common.h"

_Static_assert(sizeof(unsigned) == sizeof(uint32_t), "masks cross as u32");

GD_EXPORT(int32_t, plan_masks, (uint32_t plan, uint32_t order, double mask, uint32_t *out)) {
  uint32_t n = 0;
  gd_status status = gd_plan_masks(plan, order, mask, out, &n, gd_last_report());
  return status == GD_OK ? (int32_t)n : gd_result(status);
}

GD_EXPORT(int32_t, plan_order_index, (const uint8_t *order)) {
  unsigned index = 0;
  gd_status status = gd_plan_order_index(order, &index, gd_last_report());
  return status == GD_OK ? (int32_t)index : gd_result(status);
}

GD_EXPORT(int32_t, plan_grid,
          (const double *p, uint32_t n_p, const double *masks, uint32_t n_masks,
           const double *seeds, uint32_t n_seeds, double *out)) {
  /* JavaScript's rows of three numbers are the struct's. */
  _Static_assert(sizeof(gd_grid_run) == 3 * sizeof(double), "a grid's run is three doubles");
  uint32_t n = 0;
  gd_status status = gd_plan_grid(p, n_p, masks, n_masks, seeds, n_seeds, (gd_grid_run *)out, &n,
                                  gd_last_report());
  return status == GD_OK ? (int32_t)n : gd_result(status);
}

GD_EXPORT(int32_t, plan_is_nested, (const uint32_t *masks, uint32_t n)) {
  return gd_plan_is_nested(masks, n);
}

static gd_identity identities[2];

GD_EXPORT(gd_identity *, identity, (int32_t which)) {
  return &identities[which != 0];
}

GD_EXPORT(int32_t, compare_identities, (void)) {
  return gd_result(gd_compare_identities(&identities[0], &identities[1], gd_last_report()));
}

GD_EXPORT(int32_t, compare_predictions,
          (const uint8_t *labels, const uint8_t *baseline, const uint8_t *treatment, uint32_t n,
           uint8_t *outcomes, uint32_t *counts)) {
  gd_compare_predictions(labels, baseline, treatment, n, outcomes, counts);
  return gd_result(GD_OK);
}

GD_EXPORT(double, compare_mcnemar, (uint32_t n_harmed, uint32_t n_repaired)) {
  return gd_compare_mcnemar(n_harmed, n_repaired);
}

GD_EXPORT(int32_t, statistics_summarize, (const double *values, uint32_t n, gd_summary *out)) {
  gd_statistics_summarize(values, n, out);
  return gd_result(GD_OK);
}

GD_EXPORT(int32_t, statistics_pair,
          (const double *baseline, const double *treatment, uint32_t n, double *differences,
           gd_paired *out)) {
  gd_statistics_pair(baseline, treatment, n, differences, out);
  return gd_result(GD_OK);
}
