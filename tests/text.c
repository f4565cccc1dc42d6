#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void writes_whole_numbers(void **state) {
  (void)state;
  char text[GD_TEXT_U64_BYTES];
  gd_text_u64(text, 0);
  assert_string_equal(text, "0");
  gd_text_u64(text, UINT64_MAX);
  assert_string_equal(text, "18446744073709551615");
}

/* What JavaScript's String(value) gives, as long as 15 digits (6 far from 1) are enough. */
static void writes_real_numbers(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {
      {0, "0"},
      {-0.0, "0"},
      {1, "1"},
      {-1, "-1"},
      {10, "10"},
      {100, "100"},
      {2147483648.0, "2147483648"},
      {0.1, "0.1"},
      {0.3, "0.3"},
      {0.03, "0.03"},
      {0.0001, "0.0001"},
      {0.000001, "0.000001"},
      {-2.5, "-2.5"},
      {1234.5678, "1234.5678"},
      {99999.5, "99999.5"},
      {123456789012345.0, "123456789012345"},
      {999999999999999.0, "999999999999999"},
      {1e15, "1e+15"},
      {1e300, "1e+300"},
      {-1.5e-9, "-1.5e-9"},
      {5e-324, "4.94066e-324"},
      {1.7976931348623157e308, "1.79769e+308"},
      {1.0 / 3, "0.333333333333333"},
      {9.9999999999999999e-5, "0.0001"},
      {NAN, "NaN"},
      {INFINITY, "Infinity"},
      {-INFINITY, "-Infinity"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[GD_TEXT_F64_BYTES];
    gd_text_f64(text, cases[i].value);
    assert_string_equal(text, cases[i].text);
  }
}

/* Of random numbers of every size the text reads back as the number, within its digits: half a
 * unit of the 15th (or 6th) digit of a number that starts with 1, and the roundings on the way. */
static void writes_what_reads_back(void **state) {
  (void)state;
  uint64_t bits = 1;
  for (int i = 0; i < 100000; i++) {
    double value;
    char text[GD_TEXT_F64_BYTES];
    bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value) || fabs(value) < 1e-290) {
      continue;
    }
    gd_text_f64(text, value);
    int is_plain = fabs(value) >= 1e-6 && fabs(value) < 1e15;
    double bound = (is_plain ? 6e-15 : 6e-6) * fabs(value);
    assert_true(fabs(strtod(text, NULL) - value) <= bound);
    assert_true(strlen(text) < GD_TEXT_F64_BYTES - 1);
  }
}

static void cuts_what_does_not_fit(void **state) {
  (void)state;
  char text[6];
  gd_text_copy(text, sizeof text, "abc");
  gd_text_append(text, sizeof text, "defgh");
  assert_string_equal(text, "abcde");
  gd_text_append(text, sizeof text, "x");
  assert_string_equal(text, "abcde");
  gd_text_copy(text, sizeof text, NULL);
  assert_string_equal(text, "");
}

static void writes_hex(void **state) {
  (void)state;
  static const uint8_t bytes[] = {0x00, 0x0f, 0xa5, 0xff};
  char text[9];
  gd_text_hex(text, bytes, sizeof bytes);
  assert_string_equal(text, "000fa5ff");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writes_whole_numbers),
      cmocka_unit_test(writes_real_numbers),
      cmocka_unit_test(writes_what_reads_back),
      cmocka_unit_test(cuts_what_does_not_fit),
      cmocka_unit_test(writes_hex),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
