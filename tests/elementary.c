/* exp and log: against the C library in long double on dense sweeps, and the same bits in every
 * build. */
#include "nn/elementary.h"

#include "harness.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define EXPECTED_EXP_HASH 0xdf8322046c4484c9u
#define EXPECTED_LOG_HASH 0xdf382cba06103a37u

#if LDBL_MANT_DIG > DBL_MANT_DIG && !defined(__wasm__)
#define HAS_WIDER_REFERENCE 1
/* Distance from the long double value in units of the last place of the correctly rounded double.
 */
static double ulps(double found, long double exact) {
  const double rounded = (double)exact;
  const double unit = nextafter(fabs(rounded), INFINITY) - fabs(rounded);
  return (double)(fabsl((long double)found - exact) / unit);
}

static void exp_is_within_one_ulp(void **state) {
  (void)state;
  double worst = 0.0;
  for (int i = -740000; i <= 709000; i++) {
    const double x = i * 1e-3 + i * 1e-12;
    const double error = ulps(gd_exp(x), expl(x));
    worst = error > worst ? error : worst;
  }
  print_message("exp: at most %.4f ulp from the exact value\n", worst);
  assert_true(worst <= 1.0);
}

static void log_is_within_one_ulp(void **state) {
  (void)state;
  double worst = 0.0;
  for (int i = 1; i <= 400000; i++) {
    const double points[] = {i * 2.5e-5, 1.0 + (i - 200000) * 1e-8,
                             ldexp(1.0 + i * 1e-6, i % 2000 - 1000)};
    for (int k = 0; k < 3; k++) {
      if (points[k] == 1.0) {
        continue;
      }
      const double error = ulps(gd_log(points[k]), logl(points[k]));
      worst = error > worst ? error : worst;
    }
  }
  print_message("log: at most %.4f ulp from the exact value\n", worst);
  assert_true(worst <= 1.0);
}

#endif

static uint64_t hash(uint64_t h, double value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return (h ^ bits) * 0x100000001b3u;
}

/* The literals were printed by this test on x86-64; every other build must print the same. */
static void every_build_gives_the_same_bits(void **state) {
  (void)state;
  uint64_t exp_hash = 0xcbf29ce484222325u;
  uint64_t log_hash = 0xcbf29ce484222325u;
  for (int i = -74600; i <= 71000; i++) {
    exp_hash = hash(exp_hash, gd_exp(i * 0.01 + i * 1e-9));
    log_hash = hash(log_hash, gd_log((i + 74601) * 1.7e-3));
  }
  print_message("exp %016llx, log %016llx\n", (unsigned long long)exp_hash,
                (unsigned long long)log_hash);
  assert_true(exp_hash == EXPECTED_EXP_HASH);
  assert_true(log_hash == EXPECTED_LOG_HASH);
}

static void exp_ends_are_right(void **state) {
  (void)state;
  assert_true(gd_exp(0.0) == 1.0);
  assert_true(gd_exp(-0.0) == 1.0);
  assert_true(isinf(gd_exp(709.79)) && gd_exp(709.79) > 0);
  assert_true(isinf(gd_exp(INFINITY)));
  assert_true(gd_exp(-745.2) == 0.0);
  assert_true(gd_exp(-INFINITY) == 0.0);
  assert_true(isnan(gd_exp(NAN)));
  assert_true(gd_exp(-745.0) == 0x1p-1074);
  assert_true(fabs(gd_exp(709.78) / exp(709.78) - 1.0) < 4 * DBL_EPSILON);
}

static void log_ends_are_right(void **state) {
  (void)state;
  assert_true(gd_log(1.0) == 0.0);
  assert_true(isinf(gd_log(0.0)) && gd_log(0.0) < 0);
  assert_true(isinf(gd_log(INFINITY)));
  assert_true(isnan(gd_log(-1.0)));
  assert_true(isnan(gd_log(NAN)));
  assert_true(gd_log(0x1p-1074) == -0x1.74385446d71c3p+9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#ifdef HAS_WIDER_REFERENCE
      cmocka_unit_test(exp_is_within_one_ulp),
      cmocka_unit_test(log_is_within_one_ulp),
#endif
      cmocka_unit_test(every_build_gives_the_same_bits),
      cmocka_unit_test(exp_ends_are_right),
      cmocka_unit_test(log_ends_are_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
