/* Comparison of runs and the statistics over their figures. */
#include "lab/compare.h"
#include "lab/statistics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_close(double value, double expected, double relative) {
  if (!(fabs(value - expected) <= relative * fabs(expected))) {
    print_message("%.17g is not %.17g within %g\n", value, expected, relative);
    fail();
  }
}

/* ---- Comparison ---- */

static gd_identity default_identity(void) {
  gd_identity identity;
  memset(&identity, 0, sizeof identity);
  gd_config_defaults(identity.values);
  return identity;
}

static void compares_runs_that_differ_in_their_mask(void **state) {
  (void)state;
  gd_identity a = default_identity();
  gd_identity b = default_identity();
  b.values[gd_fields[GD_FIELD_MASK].first] = 7;
  assert_int_equal(gd_compare_identities(&a, &b, NULL), GD_OK);
}

static void names_what_else_differs(void **state) {
  (void)state;
  static const struct {
    gd_field_id field;
    double value;
    const char *expected;
    const char *found;
  } cases[] = {
      {GD_FIELD_TRAIN_N, 1000, "4000", "1000"}, {GD_FIELD_TEST_SET, 10000, "2000", "10000"},
      {GD_FIELD_EPOCHS, 9, "10", "9"},          {GD_FIELD_BATCH, 32, "64", "32"},
      {GD_FIELD_LR, 0.01, "0.03", "0.01"},      {GD_FIELD_P, 0.25, "0.5", "0.25"},
      {GD_FIELD_SEED, 202, "201", "202"},       {GD_FIELD_WIDTHS, 783, "784", "783"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gd_identity a = default_identity();
    gd_identity b = default_identity();
    gd_report report;
    b.values[gd_fields[cases[i].field].first] = cases[i].value;
    assert_int_equal(gd_compare_identities(&a, &b, &report), GD_NOT_COMPARABLE);
    assert_string_equal(report.subject, gd_fields[cases[i].field].id);
    assert_string_equal(report.expected, cases[i].expected);
    assert_string_equal(report.found, cases[i].found);
  }
}

static void looks_at_every_width(void **state) {
  (void)state;
  for (int i = 0; i < GD_N_WIDTHS; i++) {
    gd_identity a = default_identity();
    gd_identity b = default_identity();
    b.values[i] += 1;
    assert_int_equal(gd_compare_identities(&a, &b, NULL), GD_NOT_COMPARABLE);
  }
}

static void names_other_numerics_and_other_starts(void **state) {
  (void)state;
  gd_identity a = default_identity();
  gd_identity b = default_identity();
  gd_report report;
  b.is_fused = 1;
  assert_int_equal(gd_compare_identities(&a, &b, &report), GD_NOT_COMPARABLE);
  assert_string_equal(report.subject, "numerics");
  assert_string_equal(report.found, "fused");
  b.is_fused = 0;
  b.initialization_sha256[31] = 1;
  assert_int_equal(gd_compare_identities(&a, &b, &report), GD_NOT_COMPARABLE);
  assert_string_equal(report.subject, "initializationSHA256");
}

static void sorts_images_by_outcome(void **state) {
  (void)state;
  static const uint8_t labels[6] = {1, 2, 3, 4, 5, 6};
  static const uint8_t baseline[6] = {1, 2, 0, 0, 5, 0};
  static const uint8_t treatment[6] = {1, 0, 3, 1, 0, 6};
  static const uint8_t expected[6] = {GD_OUTCOME_BOTH_RIGHT, GD_OUTCOME_HARMED,
                                      GD_OUTCOME_REPAIRED,   GD_OUTCOME_BOTH_WRONG,
                                      GD_OUTCOME_HARMED,     GD_OUTCOME_REPAIRED};
  uint8_t outcomes[6];
  uint32_t counts[GD_N_OUTCOMES];
  gd_compare_predictions(labels, baseline, treatment, 6, outcomes, counts);
  assert_memory_equal(outcomes, expected, sizeof outcomes);
  assert_int_equal(counts[GD_OUTCOME_BOTH_RIGHT], 1);
  assert_int_equal(counts[GD_OUTCOME_BOTH_WRONG], 1);
  assert_int_equal(counts[GD_OUTCOME_HARMED], 2);
  assert_int_equal(counts[GD_OUTCOME_REPAIRED], 2);
}

/* Expected values by Python's whole numbers:
 *   min(1, Fraction(2 * sum(comb(n, i) for i in range(min(a, b) + 1)), 2**n)) */
static void tests_after_mcnemar(void **state) {
  (void)state;
  static const struct {
    uint32_t harmed;
    uint32_t repaired;
    double p;
  } cases[] = {
      {0, 0, 1},
      {1, 0, 1},
      {0, 5, 0.0625},
      {5, 5, 1},
      {4, 6, 0.75390625},
      {1, 9, 0.021484375},
      {10, 25, 0.01667384780012071},
      {25, 10, 0.01667384780012071},
      {100, 140, 0.011664092317677663},
      {0, 60, 1.734723475976807e-18},
      {900, 1100, 8.457089535503927e-06},
      {4000, 4400, 1.3353978213570428e-05},
      {0, 2000, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    /* The stated bound: each of some n factors and terms rounds a few times. */
    double n = cases[i].harmed + cases[i].repaired;
    double p = gd_compare_mcnemar(cases[i].harmed, cases[i].repaired);
    assert_close(p, cases[i].p, n * 0x1p-51);
  }
}

/* ---- Statistics ---- */

static void summarizes(void **state) {
  (void)state;
  static const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
  gd_summary summary;
  gd_statistics_summarize(values, 8, &summary);
  assert_true(summary.n == 8);
  assert_true(summary.mean == 5);
  assert_close(summary.standard_deviation, sqrt(32.0 / 7), 0x1p-51);
  /* t(0.975, 7) = 2.365 in the table below. */
  assert_close(summary.half_width, 2.364624 * sqrt(32.0 / 7 / 8), 1e-6);
  assert_true(summary.low == 5 - summary.half_width);
  assert_true(summary.high == 5 + summary.half_width);
}

static void says_nothing_of_too_few(void **state) {
  (void)state;
  static const double one[] = {0.9};
  gd_summary summary;
  gd_statistics_summarize(one, 1, &summary);
  assert_true(summary.n == 1 && summary.mean == 0.9);
  assert_true(isnan(summary.standard_deviation) && isnan(summary.low) && isnan(summary.high));
  gd_statistics_summarize(NULL, 0, &summary);
  assert_true(summary.n == 0 && isnan(summary.mean));
}

static void gives_equal_values_no_width(void **state) {
  (void)state;
  static const double values[] = {0.5, 0.5, 0.5};
  gd_summary summary;
  gd_statistics_summarize(values, 3, &summary);
  assert_true(summary.standard_deviation == 0);
  assert_true(summary.low == 0.5 && summary.high == 0.5);
}

/* Abramowitz and Stegun, Table 26.10: two-sided 0.95 and 0.99, printed to three decimals. */
static void finds_the_published_quantiles(void **state) {
  (void)state;
  static const struct {
    uint32_t df;
    double t95;
    double t99;
  } table[] = {{1, 12.706, 63.657}, {2, 4.303, 9.925},  {3, 3.182, 5.841},  {4, 2.776, 4.604},
               {5, 2.571, 4.032},   {6, 2.447, 3.707},  {7, 2.365, 3.499},  {8, 2.306, 3.355},
               {9, 2.262, 3.250},   {10, 2.228, 3.169}, {15, 2.131, 2.947}, {20, 2.086, 2.845},
               {30, 2.042, 2.750},  {60, 2.000, 2.660}, {120, 1.980, 2.617}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    double t95 = gd_statistics_t_quantile(0.05, table[i].df);
    double t99 = gd_statistics_t_quantile(0.01, table[i].df);
    assert_true(fabs(t95 - table[i].t95) <= 0.0005);
    assert_true(fabs(t99 - table[i].t99) <= 0.0005);
  }
  /* Closed forms: one degree of freedom is Cauchy's distribution, two have an algebraic one. */
  assert_close(gd_statistics_t_quantile(0.05, 1), 12.706204736174696, 1e-13);
  assert_close(gd_statistics_t_quantile(0.05, 2), 4.302652729749463, 1e-13);
}

/* P(|T| < t) by the finite series 26.7.3 (odd) and 26.7.4 (even): no continued fraction. */
static double inner_by_series(double t, unsigned df) {
  double sine = t / sqrt(df + t * t);
  double cosine_2 = df / (df + t * t);
  double term = df % 2 == 1 ? sqrt(cosine_2) : 1;
  double sum = 0;
  for (unsigned k = df % 2 == 1 ? 1 : 0; k + 2 <= df; k += 2) {
    sum += term;
    term *= cosine_2 * (k + 1) / (k + 2);
  }
  if (df % 2 == 0) {
    return sine * sum;
  }
  return 2 / acos(-1) * (atan(t / sqrt(df)) + sine * sum);
}

static void agrees_with_the_finite_series(void **state) {
  (void)state;
  for (unsigned df = 1; df <= 150; df++) {
    for (double t = 0; t < 20; t += 0.37) {
      /* Both add some df numbers below 1; 1e-13 is 150 such roundings, with room. */
      double tails = gd_statistics_t_tails(t, df);
      assert_true(fabs(tails - (1 - inner_by_series(t, df))) < 1e-13);
      assert_true(gd_statistics_t_tails(-t, df) == tails);
    }
  }
  assert_true(gd_statistics_t_tails(0, 5) == 1);
  assert_true(gd_statistics_t_tails(INFINITY, 5) == 0);
  assert_true(isnan(gd_statistics_t_tails(NAN, 5)));
}

/* Far tails keep relative accuracy: df = 2 has P(|T| >= t) = 1 - t/sqrt(2 + t^2) =
 * 2/(2 + t^2 + t sqrt(2 + t^2)). */
static void keeps_far_tails(void **state) {
  (void)state;
  for (double t = 1; t < 1e8; t *= 7) {
    double root = sqrt(2 + t * t);
    assert_close(gd_statistics_t_tails(t, 2), 2 / (root * (root + t)), 1e-13);
  }
}

static void pairs_by_seed(void **state) {
  (void)state;
  static const double baseline[] = {0.90, 0.91, 0.92, 0.93, 0.94};
  static const double treatment[] = {0.91, 0.93, 0.92, 0.92, 0.97};
  double differences[5];
  gd_paired paired;
  gd_statistics_pair(baseline, treatment, 5, differences, &paired);
  assert_true(paired.n_positive == 3 && paired.n_negative == 1 && paired.n_zero == 1);
  assert_true(paired.sign_p == 0.625); /* 2 (1 + 4)/16 */
  assert_close(paired.difference.mean, 0.01, 1e-12);
  double sd = sqrt((0.0 + 0.0001 + 0.0001 + 0.0004 + 0.0004) / 4);
  assert_close(paired.difference.standard_deviation, sd, 1e-12);
  assert_close(paired.t, 0.01 / (sd / sqrt(5)), 1e-12);
  assert_close(paired.t_p, 1 - inner_by_series(paired.t, 4), 1e-12);
  for (int i = 0; i < 5; i++) {
    assert_true(differences[i] == treatment[i] - baseline[i]);
  }
}

static void gives_no_t_without_spread(void **state) {
  (void)state;
  static const double baseline[] = {0.5, 0.5, 0.5};
  static const double treatment[] = {0.75, 0.75, 0.75};
  double differences[3];
  gd_paired paired;
  gd_statistics_pair(baseline, treatment, 3, differences, &paired);
  assert_true(isnan(paired.t) && isnan(paired.t_p));
  assert_true(paired.sign_p == 0.25);
  gd_statistics_pair(baseline, treatment, 1, differences, &paired);
  assert_true(isnan(paired.t) && paired.sign_p == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compares_runs_that_differ_in_their_mask),
      cmocka_unit_test(names_what_else_differs),
      cmocka_unit_test(looks_at_every_width),
      cmocka_unit_test(names_other_numerics_and_other_starts),
      cmocka_unit_test(sorts_images_by_outcome),
      cmocka_unit_test(tests_after_mcnemar),
      cmocka_unit_test(summarizes),
      cmocka_unit_test(says_nothing_of_too_few),
      cmocka_unit_test(gives_equal_values_no_width),
      cmocka_unit_test(finds_the_published_quantiles),
      cmocka_unit_test(agrees_with_the_finite_series),
      cmocka_unit_test(keeps_far_tails),
      cmocka_unit_test(pairs_by_seed),
      cmocka_unit_test(gives_no_t_without_spread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
