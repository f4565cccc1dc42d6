#include "rebuild/plan.h"

#include "rebuild/preview.h"

static gd_status inconsistent(gd_report *report, const char *subject, uint64_t expected,
                              uint64_t found) {
  return gd_report_numbers(report, GD_MANIFEST_INCONSISTENT, GD_NO_OFFSET, subject, expected,
                           found);
}

gd_status gd_rebuild_plan_check(const gd_rebuild_plan *plan, gd_report *report) {
  const gd_expectation *train = &plan->splits[GD_REBUILD_TRAIN];
  const gd_expectation *validation = &plan->splits[GD_REBUILD_VALIDATION];
  const gd_expectation *test = &plan->splits[GD_REBUILD_TEST];
  const gd_expectation *test_full = &plan->splits[GD_REBUILD_TEST_FULL];
  for (unsigned i = 0; i < GD_N_SPLITS; i++) {
    gd_status status = gd_expectation_check(&plan->splits[i], report);
    if (status != GD_OK) {
      return status;
    }
    uint32_t is_balanced = i == GD_REBUILD_TEST_FULL ? 0 : 1;
    if (plan->splits[i].is_balanced != is_balanced) {
      return inconsistent(report, "balance of a split", is_balanced, plan->splits[i].is_balanced);
    }
  }
  if (validation->n_collection != train->n_collection) {
    return inconsistent(report, "training collection of validation", train->n_collection,
                        validation->n_collection);
  }
  if (test_full->n_collection != test->n_collection) {
    return inconsistent(report, "test collection of test-full", test->n_collection,
                        test_full->n_collection);
  }
  if (test_full->n_images != test_full->n_collection) {
    return inconsistent(report, "images of test-full", test_full->n_collection,
                        test_full->n_images);
  }
  if (plan->n_train_pool > train->n_collection) {
    return inconsistent(report, "images of the train pool", train->n_collection,
                        plan->n_train_pool);
  }
  if (plan->n_preview == 0 || plan->n_preview > train->n_images) {
    return inconsistent(report, "images of the preview", train->n_images, plan->n_preview);
  }
  return GD_OK;
}
