#include "lab/plan.h"

#include "base/text.h"

#include <string.h>

void gd_plan_order(unsigned index, uint8_t order[GD_N_BRANCHES]) {
  uint8_t left[GD_N_BRANCHES] = {0, 1, 2, 3};
  unsigned n_left = GD_N_BRANCHES;
  unsigned n_orders = GD_N_ORDERS;
  for (unsigned i = 0; i < GD_N_BRANCHES; i++) {
    n_orders /= n_left; /* orders that share their first i + 1 branches */
    unsigned chosen = index / n_orders;
    index %= n_orders;
    order[i] = left[chosen];
    n_left--;
    memmove(left + chosen, left + chosen + 1, n_left - chosen);
  }
}

gd_status gd_plan_order_index(const uint8_t order[GD_N_BRANCHES], unsigned *index,
                              gd_report *report) {
  for (unsigned i = 0; i < GD_N_ORDERS; i++) {
    uint8_t candidate[GD_N_BRANCHES];
    gd_plan_order(i, candidate);
    if (memcmp(order, candidate, sizeof candidate) == 0) {
      *index = i;
      return GD_OK;
    }
  }
  char found[64] = "";
  for (unsigned i = 0; i < GD_N_BRANCHES; i++) {
    char number[GD_TEXT_U64_BYTES];
    gd_text_u64(number, order[i]);
    gd_text_append(found, sizeof found, i == 0 ? "" : ",");
    gd_text_append(found, sizeof found, number);
  }
  return gd_report_fault(report, GD_FIELD_NOT_LISTED, GD_NO_OFFSET, "order",
                         "an order of the branches 0, 1, 2 and 3", found);
}

static gd_status report_number(const char *subject, const char *expected, unsigned found,
                               gd_report *report) {
  char number[GD_TEXT_U64_BYTES];
  gd_text_u64(number, found);
  return gd_report_fault(report, GD_FIELD_NOT_LISTED, GD_NO_OFFSET, subject, expected, number);
}

gd_status gd_plan_masks(unsigned plan, unsigned order, double mask,
                        unsigned masks[GD_MAX_PLAN_MASKS], uint32_t *n_masks, gd_report *report) {
  if (plan >= GD_N_PLANS) {
    return report_number("plan", "single, paired or sweep", plan, report);
  }
  uint32_t n = 0;
  if (plan == GD_PLAN_SWEEP) {
    if (order >= GD_N_ORDERS) {
      return report_number("order", "0 to 23", order, report);
    }
    uint8_t branches[GD_N_BRANCHES];
    gd_plan_order(order, branches);
    masks[n++] = 0;
    for (; n < GD_MAX_PLAN_MASKS; n++) {
      masks[n] = masks[n - 1] | 1u << branches[n - 1];
    }
  } else {
    gd_status status = gd_field_check(GD_FIELD_MASK, mask, report);
    if (status != GD_OK) {
      return status;
    }
    if (plan == GD_PLAN_PAIRED && mask != 0) {
      masks[n++] = 0;
    }
    masks[n++] = (unsigned)mask;
  }
  *n_masks = n;
  return GD_OK;
}

/* Checks a grid's list: each value as the setting, and none twice. */
static gd_status check_list(gd_field_id field, const double *values, uint32_t n,
                            gd_report *report) {
  for (uint32_t i = 0; i < n; i++) {
    gd_status status = gd_field_check(field, values[i], report);
    if (status != GD_OK) {
      return status;
    }
    for (uint32_t k = 0; k < i; k++) {
      if (values[k] == values[i]) {
        char found[GD_TEXT_F64_BYTES];
        gd_text_f64(found, values[i]);
        return gd_report_fault(report, GD_FIELD_REPEATED, GD_NO_OFFSET, gd_fields[field].id,
                               "different values", found);
      }
    }
  }
  return GD_OK;
}

gd_status gd_plan_grid(const double *p, uint32_t n_p, const double *masks, uint32_t n_masks,
                       const double *seeds, uint32_t n_seeds, gd_grid_run out[GD_MAX_GRID_RUNS],
                       uint32_t *n_runs, gd_report *report) {
  /* Each length is bounded before they are multiplied and before the lists are read. */
  uint64_t n = n_p > GD_MAX_GRID_RUNS || n_masks > GD_MAX_GRID_RUNS || n_seeds > GD_MAX_GRID_RUNS
                   ? UINT32_MAX
                   : (uint64_t)n_p * n_masks * n_seeds;
  if (n < 1 || n > GD_MAX_GRID_RUNS) {
    char found[GD_TEXT_U64_BYTES];
    gd_text_u64(found, n);
    return gd_report_fault(report, GD_FIELD_OUT_OF_RANGE, GD_NO_OFFSET, "runs", "1 to 100",
                           n == UINT32_MAX ? "more" : found);
  }
  gd_status status = check_list(GD_FIELD_P, p, n_p, report);
  if (status == GD_OK) {
    status = check_list(GD_FIELD_MASK, masks, n_masks, report);
  }
  if (status == GD_OK) {
    status = check_list(GD_FIELD_SEED, seeds, n_seeds, report);
  }
  if (status != GD_OK) {
    return status;
  }
  gd_grid_run *run = out;
  for (uint32_t s = 0; s < n_seeds; s++) {
    for (uint32_t i = 0; i < n_p; i++) {
      for (uint32_t m = 0; m < n_masks; m++) {
        *run++ = (gd_grid_run){p[i], masks[m], seeds[s]};
      }
    }
  }
  *n_runs = (uint32_t)n;
  return GD_OK;
}

int gd_plan_is_nested(const unsigned *masks, uint32_t n) {
  for (uint32_t i = 1; i < n; i++) {
    if ((masks[i - 1] & ~masks[i]) != 0 || masks[i - 1] == masks[i]) {
      return 0;
    }
  }
  return 1;
}
