/* Comparison of two runs: whether it is fair, who won where, and whether chance would do. */
#ifndef GD_LAB_COMPARE_H
#define GD_LAB_COMPARE_H

#include "base/sha256.h"
#include "base/status.h"
#include "lab/config.h"

#include <stdint.h>

/* What a run's figures depend on. */
typedef struct gd_identity {
  double values[GD_N_CONFIG_VALUES]; /* the configuration's numbers */
  uint32_t is_fused;                 /* numerics: 0 mul-add, 1 fused */
  uint8_t initialization_sha256[GD_SHA256_BYTES];
} gd_identity;

/* OK if the two agree in all but the mask; NOT_COMPARABLE names the first field that differs
 * ("widths", "trainN", "testSet", "epochs", "batch", "lr", "p", "seed", "numerics",
 * "initializationSHA256"), the baseline's value as expected, the treatment's as found. */
gd_status gd_compare_identities(const gd_identity *baseline, const gd_identity *treatment,
                                gd_report *report);

/* GD_OUTCOMES(X): X(NAME, id). What became of an image under two models. */
#define GD_OUTCOMES(X)                                                                             \
  X(BOTH_RIGHT, "bothRight")                                                                       \
  X(BOTH_WRONG, "bothWrong")                                                                       \
  X(HARMED, "harmed")     /* right in the baseline, wrong in the treatment */                      \
  X(REPAIRED, "repaired") /* the reverse */

typedef enum gd_outcome {
#define GD_OUTCOME_ENUM(name, id) GD_OUTCOME_##name,
  GD_OUTCOMES(GD_OUTCOME_ENUM)
#undef GD_OUTCOME_ENUM
      GD_N_OUTCOMES
} gd_outcome;

/* Writes each image's outcome into `outcomes` (n) and their numbers into `counts`. */
void gd_compare_predictions(const uint8_t *labels, const uint8_t *baseline,
                            const uint8_t *treatment, uint32_t n, uint8_t *outcomes,
                            uint32_t counts[GD_N_OUTCOMES]);

/* McNemar's test in its exact form, two-sided: the chance that n_harmed + n_repaired fair coin
 * tosses split at least as unevenly, min(1, 2 P(X <= min)). No discordant image: 1.
 * Q. McNemar, Note on the sampling error of the difference between correlated proportions or
 * percentages, Psychometrika 12 (1947) 153-157; exact binomial form: Fleiss, Levin, Paik,
 * Statistical Methods for Rates and Proportions, 3rd ed. (2003), section 13.1. */
double gd_compare_mcnemar(uint32_t n_harmed, uint32_t n_repaired);

#endif
