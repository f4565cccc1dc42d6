/* Random streams, settings and plans: PROTOCOL's rules on randomness, limits, and plans. */
#include "lab/config.h"
#include "lab/plan.h"
#include "lab/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Randomness ---- */

/* The expected draws were made by Node 20 with
 *   a => () => { a = (a + 0x6D2B79F5) | 0; let t = Math.imul(a ^ a >>> 15, a | 1);
 *     t ^= t + Math.imul(t ^ t >>> 7, t | 61); return (t ^ t >>> 14) >>> 0; } */
static void draws_mulberry32(void **state) {
  (void)state;
  static const struct {
    uint32_t seed;
    uint32_t draws[4];
  } cases[] = {
      {0, {1144304738u, 1416247u, 958946056u, 627933444u}},
      {1, {2693262067u, 11749833u, 2265367787u, 4213581821u}},
      {201, {1884507488u, 1856675201u, 1616739982u, 3617607662u}},
      {2147483647u, {1842962257u, 546041740u, 1654754255u, 1702490205u}},
      {4294967295u, {3850105811u, 813802916u, 3073704848u, 4054706436u}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gd_random random;
    gd_random_init(&random, cases[i].seed, GD_STREAM_INITIALIZATION);
    for (int k = 0; k < 4; k++) {
      assert_int_equal(gd_random_next(&random), cases[i].draws[k]);
    }
  }
}

static void separates_the_streams(void **state) {
  (void)state;
  gd_random order;
  gd_random gates;
  gd_random_init(&order, 201, GD_STREAM_ORDER);
  gd_random_init(&gates, 201, GD_STREAM_GATES);
  assert_int_equal(gd_random_next(&order), 3772993083u); /* seed 100201, as above */
  assert_int_equal(gd_random_next(&gates), 3849339376u); /* seed 200201 */
}

static void maps_draws_to_the_unit_interval(void **state) {
  (void)state;
  assert_true(gd_random_unit(0) == 0);
  assert_true(gd_random_unit(UINT32_C(1) << 31) == 0.5);
  assert_true(gd_random_unit(UINT32_MAX) < 1);
  assert_true(gd_random_unit(UINT32_MAX) == 1 - 0x1p-32);
}

/* By the same Node line, with i from n-1 down to 1, j = floor(u (i + 1)), seed 100201. */
static void shuffles_as_the_protocol_says(void **state) {
  (void)state;
  static const uint32_t first[10] = {5, 7, 1, 0, 3, 6, 4, 9, 2, 8};
  static const uint32_t second[10] = {0, 1, 3, 8, 5, 2, 4, 7, 9, 6};
  uint32_t order[10];
  gd_random random;
  gd_random_init(&random, 201, GD_STREAM_ORDER);
  gd_random_shuffle(&random, order, 10);
  assert_memory_equal(order, first, sizeof order);
  gd_random_shuffle(&random, order, 10); /* from 0..9 again, the stream going on */
  assert_memory_equal(order, second, sizeof order);
}

/* floor(u (i + 1)) is computed in whole numbers: it must be what doubles give. */
static void shuffles_like_double_arithmetic(void **state) {
  (void)state;
  enum { N = 10000 };
  static uint32_t order[N];
  static uint32_t expected[N];
  gd_random random;
  gd_random again;
  gd_random_init(&random, 7, GD_STREAM_ORDER);
  again = random;
  gd_random_shuffle(&random, order, N);
  for (uint32_t i = 0; i < N; i++) {
    expected[i] = i;
  }
  for (uint32_t i = N - 1; i >= 1; i--) {
    double u = gd_random_unit(gd_random_next(&again));
    uint32_t j = (uint32_t)floor(u * (i + 1.0));
    uint32_t kept = expected[i];
    expected[i] = expected[j];
    expected[j] = kept;
  }
  assert_memory_equal(order, expected, sizeof order);
  assert_int_equal(random.state, again.state);
}

/* 10 epochs of 4,000 images, seed 201: by the same Node line and
 * h = Math.imul(h ^ v, 16777619) >>> 0. */
static void hashes_orders_and_draws(void **state) {
  (void)state;
  static uint32_t order[4000];
  gd_random random;
  uint32_t hash = GD_HASH_START;
  gd_random_init(&random, 201, GD_STREAM_ORDER);
  for (int epoch = 0; epoch < 10; epoch++) {
    gd_random_shuffle(&random, order, 4000);
    for (int i = 0; i < 4000; i++) {
      hash = gd_hash_add(hash, order[i]);
    }
  }
  assert_int_equal(hash, 0x9073ec43u);
  hash = GD_HASH_START;
  gd_random_init(&random, 201, GD_STREAM_GATES);
  for (int i = 0; i < 10 * 63 * 4; i++) {
    hash = gd_hash_add(hash, gd_random_next(&random));
  }
  assert_int_equal(hash, 0x7caeb007u);
}

/* ---- Settings ---- */

static void lists_the_presets(void **state) {
  (void)state;
  static const struct {
    const char *id;
    uint64_t n_parameters;
  } expected[GD_N_PRESETS] = {{"tiny", 124090},
                              {"small", 294250},
                              {"uniform", 167818},
                              {"wide", 772810},
                              {"full", 11972510}};
  for (int i = 0; i < GD_N_PRESETS; i++) {
    assert_string_equal(gd_presets[i].id, expected[i].id);
    assert_int_equal(gd_shape_n_parameters(&gd_presets[i].shape), expected[i].n_parameters);
    assert_int_equal(gd_shape_check(&gd_presets[i].shape, NULL), GD_OK);
    assert_int_equal(gd_preset_of(&gd_presets[i].shape), i);
  }
  gd_shape custom = {{784, 257, 192, 128, 96, 64, 10}};
  assert_int_equal(gd_preset_of(&custom), -1);
}

static void accepts_the_defaults(void **state) {
  (void)state;
  double values[GD_N_CONFIG_VALUES];
  gd_config config;
  gd_config_defaults(values);
  assert_int_equal(gd_config_check(values, &config, NULL), GD_OK);
  assert_int_equal(gd_preset_of(&config.shape), 1);
  assert_int_equal(config.n_train, 4000);
  assert_int_equal(config.test_set, 2000);
  assert_int_equal(config.n_epochs, 10);
  assert_int_equal(config.batch, 64);
  assert_true(config.learning_rate == 0.03);
  assert_true(config.drop_probability == 0.5);
  assert_int_equal(config.seed, 201);
}

/* Each field's numbers stand where no other field's do. */
static void gives_each_number_to_one_field(void **state) {
  (void)state;
  int owners[GD_N_CONFIG_VALUES] = {0};
  for (int f = 0; f < GD_N_FIELDS; f++) {
    for (uint32_t i = 0; i < gd_fields[f].n_values; i++) {
      owners[gd_fields[f].first + i]++;
    }
  }
  for (int i = 0; i < GD_N_CONFIG_VALUES; i++) {
    assert_int_equal(owners[i], 1);
  }
}

typedef struct refusal {
  gd_field_id field;
  double value;
  gd_status status;
  const char *expected;
  const char *found;
} refusal;

static void refuses_what_is_outside(void **state) {
  (void)state;
  static const refusal refusals[] = {
      {GD_FIELD_EPOCHS, 101, GD_FIELD_OUT_OF_RANGE, "1 to 100", "101"},
      {GD_FIELD_EPOCHS, 0, GD_FIELD_OUT_OF_RANGE, "1 to 100", "0"},
      {GD_FIELD_EPOCHS, -3, GD_FIELD_OUT_OF_RANGE, "1 to 100", "-3"},
      {GD_FIELD_EPOCHS, 2.5, GD_FIELD_NOT_INTEGER, "1 to 100", "2.5"},
      {GD_FIELD_EPOCHS, NAN, GD_FIELD_OUT_OF_RANGE, "1 to 100", "NaN"},
      {GD_FIELD_EPOCHS, INFINITY, GD_FIELD_OUT_OF_RANGE, "1 to 100", "Infinity"},
      {GD_FIELD_TRAIN_N, 4005, GD_FIELD_NOT_LISTED, "10 to 10000 in steps of 10", "4005"},
      {GD_FIELD_TRAIN_N, 0, GD_FIELD_OUT_OF_RANGE, "10 to 10000 in steps of 10", "0"},
      {GD_FIELD_TRAIN_N, 10010, GD_FIELD_OUT_OF_RANGE, "10 to 10000 in steps of 10", "10010"},
      {GD_FIELD_TEST_SET, 1000, GD_FIELD_NOT_LISTED, "2000 or 10000", "1000"},
      {GD_FIELD_BATCH, 48, GD_FIELD_NOT_LISTED, "32, 64 or 128", "48"},
      {GD_FIELD_BATCH, NAN, GD_FIELD_NOT_LISTED, "32, 64 or 128", "NaN"},
      {GD_FIELD_LR, 0.00009, GD_FIELD_OUT_OF_RANGE, "0.0001 to 0.3", "0.00009"},
      {GD_FIELD_LR, 0.31, GD_FIELD_OUT_OF_RANGE, "0.0001 to 0.3", "0.31"},
      {GD_FIELD_LR, NAN, GD_FIELD_OUT_OF_RANGE, "0.0001 to 0.3", "NaN"},
      {GD_FIELD_P, 0.3, GD_FIELD_NOT_LISTED, "0.25, 0.5 or 0.75", "0.3"},
      {GD_FIELD_MASK, 16, GD_FIELD_OUT_OF_RANGE, "0 to 15", "16"},
      {GD_FIELD_MASK, 1.5, GD_FIELD_NOT_INTEGER, "0 to 15", "1.5"},
      {GD_FIELD_SEED, -1, GD_FIELD_OUT_OF_RANGE, "0 to 2147483647", "-1"},
      {GD_FIELD_SEED, 2147483648.0, GD_FIELD_OUT_OF_RANGE, "0 to 2147483647", "2147483648"},
      {GD_FIELD_SEED, 1e300, GD_FIELD_OUT_OF_RANGE, "0 to 2147483647", "1e+300"},
  };
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    const refusal *r = &refusals[i];
    double values[GD_N_CONFIG_VALUES];
    gd_config config;
    gd_config untouched;
    gd_report report;
    memset(&config, 0x5a, sizeof config);
    untouched = config;
    gd_config_defaults(values);
    values[gd_fields[r->field].first] = r->value;
    assert_int_equal(gd_config_check(values, &config, &report), r->status);
    assert_int_equal(report.status, r->status);
    assert_string_equal(report.subject, gd_fields[r->field].id);
    assert_string_equal(report.expected, r->expected);
    assert_string_equal(report.found, r->found);
    assert_memory_equal(&config, &untouched, sizeof config);
  }
}

static void accepts_the_edges(void **state) {
  (void)state;
  static const struct {
    gd_field_id field;
    double values[3];
  } cases[] = {
      {GD_FIELD_EPOCHS, {1, 50, 100}},      {GD_FIELD_TRAIN_N, {10, 7770, 10000}},
      {GD_FIELD_LR, {0.0001, 0.0123, 0.3}}, {GD_FIELD_SEED, {0, 12345, 2147483647}},
      {GD_FIELD_MASK, {0, 9, 15}},          {GD_FIELD_BATCH, {32, 64, 128}},
      {GD_FIELD_P, {0.25, 0.5, 0.75}},      {GD_FIELD_TEST_SET, {2000, 10000, 2000}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int k = 0; k < 3; k++) {
      assert_int_equal(gd_field_check(cases[i].field, cases[i].values[k], NULL), GD_OK);
    }
  }
}

static void checks_custom_widths(void **state) {
  (void)state;
  static const struct {
    double widths[GD_N_WIDTHS];
    gd_status status;
  } cases[] = {
      {{784, 64, 64, 32, 32, 16, 10}, GD_OK},
      {{784, 4096, 1, 1, 1, 1, 10}, GD_OK},
      {{784, 64, 65, 32, 32, 16, 10}, GD_WRONG_SHAPE},
      {{783, 64, 64, 32, 32, 16, 10}, GD_WRONG_SHAPE},
      {{784, 64, 64, 32, 32, 16, 9}, GD_WRONG_SHAPE},
      {{784, 4097, 64, 32, 32, 16, 10}, GD_FIELD_OUT_OF_RANGE},
      {{784, 64, 0, 32, 32, 16, 10}, GD_FIELD_OUT_OF_RANGE},
      {{784, 64.5, 64, 32, 32, 16, 10}, GD_FIELD_NOT_INTEGER},
      {{784, NAN, 64, 32, 32, 16, 10}, GD_FIELD_OUT_OF_RANGE},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double values[GD_N_CONFIG_VALUES];
    gd_config config;
    gd_config_defaults(values);
    memcpy(values, cases[i].widths, sizeof cases[i].widths);
    assert_int_equal(gd_config_check(values, &config, NULL), cases[i].status);
  }
}

/* ---- Plans ---- */

static void lists_orders_lexicographically(void **state) {
  (void)state;
  uint8_t last[GD_N_BRANCHES] = {0};
  for (unsigned i = 0; i < GD_N_ORDERS; i++) {
    uint8_t order[GD_N_BRANCHES];
    unsigned members = 0;
    unsigned index = GD_N_ORDERS;
    gd_plan_order(i, order);
    for (unsigned k = 0; k < GD_N_BRANCHES; k++) {
      members |= 1u << order[k];
    }
    assert_int_equal(members, GD_ALL_BRANCHES);
    assert_true(i == 0 || memcmp(order, last, sizeof order) > 0);
    assert_int_equal(gd_plan_order_index(order, &index, NULL), GD_OK);
    assert_int_equal(index, i);
    memcpy(last, order, sizeof last);
  }
  static const uint8_t no_order[GD_N_BRANCHES] = {0, 1, 1, 3};
  gd_report report;
  unsigned index = 0;
  assert_int_equal(gd_plan_order_index(no_order, &index, &report), GD_FIELD_NOT_LISTED);
  assert_string_equal(report.subject, "order");
  assert_string_equal(report.found, "0,1,1,3");
}

static void plans_single_and_paired(void **state) {
  (void)state;
  unsigned masks[GD_MAX_PLAN_MASKS];
  uint32_t n = 0;
  assert_int_equal(gd_plan_masks(GD_PLAN_SINGLE, 0, 5, masks, &n, NULL), GD_OK);
  assert_int_equal(n, 1);
  assert_int_equal(masks[0], 5);
  assert_int_equal(gd_plan_masks(GD_PLAN_PAIRED, 0, 5, masks, &n, NULL), GD_OK);
  assert_int_equal(n, 2);
  assert_int_equal(masks[0], 0);
  assert_int_equal(masks[1], 5);
  assert_int_equal(gd_plan_masks(GD_PLAN_PAIRED, 0, 0, masks, &n, NULL), GD_OK);
  assert_int_equal(n, 1);
  assert_int_equal(masks[0], 0);
  assert_int_equal(gd_plan_masks(GD_PLAN_SINGLE, 0, 16, masks, &n, NULL), GD_FIELD_OUT_OF_RANGE);
  assert_int_equal(gd_plan_masks(GD_N_PLANS, 0, 0, masks, &n, NULL), GD_FIELD_NOT_LISTED);
}

static void plans_a_sweep_of_prefixes(void **state) {
  (void)state;
  for (unsigned i = 0; i < GD_N_ORDERS; i++) {
    unsigned masks[GD_MAX_PLAN_MASKS];
    uint8_t order[GD_N_BRANCHES];
    uint32_t n = 0;
    gd_plan_order(i, order);
    assert_int_equal(gd_plan_masks(GD_PLAN_SWEEP, i, 0, masks, &n, NULL), GD_OK);
    assert_int_equal(n, 5);
    assert_int_equal(masks[0], 0);
    for (unsigned k = 0; k < GD_N_BRANCHES; k++) {
      assert_int_equal(masks[k + 1], masks[k] + (1u << order[k]));
    }
    assert_int_equal(masks[4], GD_ALL_BRANCHES);
    assert_true(gd_plan_is_nested(masks, n));
  }
  unsigned masks[GD_MAX_PLAN_MASKS];
  uint32_t n = 0;
  assert_int_equal(gd_plan_masks(GD_PLAN_SWEEP, 24, 0, masks, &n, NULL), GD_FIELD_NOT_LISTED);
}

static void joins_only_nested_masks(void **state) {
  (void)state;
  static const unsigned nested[] = {0, 4, 6, 15};
  static const unsigned crossed[] = {0, 1, 6, 15};
  static const unsigned repeated[] = {0, 1, 1};
  static const unsigned falling[] = {3, 1};
  assert_true(gd_plan_is_nested(nested, 4));
  assert_true(gd_plan_is_nested(nested, 1));
  assert_false(gd_plan_is_nested(crossed, 4));
  assert_false(gd_plan_is_nested(repeated, 3));
  assert_false(gd_plan_is_nested(falling, 2));
}

static void plans_a_grid(void **state) {
  (void)state;
  static const double p[] = {0.25, 0.75};
  static const double masks[] = {0, 1, 15};
  static const double seeds[] = {201, 5};
  gd_grid_run runs[GD_MAX_GRID_RUNS];
  uint32_t n = 0;
  assert_int_equal(gd_plan_grid(p, 2, masks, 3, seeds, 2, runs, &n, NULL), GD_OK);
  assert_int_equal(n, 12);
  for (uint32_t i = 0; i < n; i++) {
    assert_true(runs[i].seed == seeds[i / 6]);
    assert_true(runs[i].p == p[i / 3 % 2]);
    assert_true(runs[i].mask == masks[i % 3]);
  }
}

static void bounds_a_grid(void **state) {
  (void)state;
  double seeds[101];
  static const double p[] = {0.5, 0.5};
  static const double masks[] = {0, 17};
  static const double two_masks[] = {0, 15};
  gd_grid_run runs[GD_MAX_GRID_RUNS];
  gd_report report;
  uint32_t n = 0;
  for (int i = 0; i < 101; i++) {
    seeds[i] = i;
  }
  assert_int_equal(gd_plan_grid(p, 1, masks, 1, seeds, 100, runs, &n, &report), GD_OK);
  assert_int_equal(n, 100);
  assert_int_equal(gd_plan_grid(p, 1, masks, 1, seeds, 101, runs, &n, &report),
                   GD_FIELD_OUT_OF_RANGE);
  assert_string_equal(report.subject, "runs");
  assert_string_equal(report.expected, "1 to 100");
  assert_int_equal(gd_plan_grid(p, 1, two_masks, 2, seeds, 51, runs, &n, &report),
                   GD_FIELD_OUT_OF_RANGE);
  assert_string_equal(report.found, "102");
  assert_int_equal(gd_plan_grid(p, 1, masks, 0, seeds, 1, runs, &n, &report),
                   GD_FIELD_OUT_OF_RANGE);
  assert_int_equal(
      gd_plan_grid(p, UINT32_MAX, masks, UINT32_MAX, seeds, UINT32_MAX, runs, &n, &report),
      GD_FIELD_OUT_OF_RANGE);
  assert_int_equal(gd_plan_grid(p, 2, masks, 1, seeds, 1, runs, &n, &report), GD_FIELD_REPEATED);
  assert_string_equal(report.subject, "p");
  assert_int_equal(gd_plan_grid(p, 1, masks, 2, seeds, 1, runs, &n, &report),
                   GD_FIELD_OUT_OF_RANGE);
  assert_string_equal(report.subject, "mask");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(draws_mulberry32),
      cmocka_unit_test(separates_the_streams),
      cmocka_unit_test(maps_draws_to_the_unit_interval),
      cmocka_unit_test(shuffles_as_the_protocol_says),
      cmocka_unit_test(shuffles_like_double_arithmetic),
      cmocka_unit_test(hashes_orders_and_draws),
      cmocka_unit_test(lists_the_presets),
      cmocka_unit_test(accepts_the_defaults),
      cmocka_unit_test(gives_each_number_to_one_field),
      cmocka_unit_test(refuses_what_is_outside),
      cmocka_unit_test(accepts_the_edges),
      cmocka_unit_test(checks_custom_widths),
      cmocka_unit_test(lists_orders_lexicographically),
      cmocka_unit_test(plans_single_and_paired),
      cmocka_unit_test(plans_a_sweep_of_prefixes),
      cmocka_unit_test(joins_only_nested_masks),
      cmocka_unit_test(plans_a_grid),
      cmocka_unit_test(bounds_a_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
