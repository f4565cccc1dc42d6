#include "base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* Every status has a name and a sentence of its own. */
static void names_every_status(void **state) {
  (void)state;
  for (int i = 0; i < GD_N_STATUSES; i++) {
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(gd_status_name((gd_status)i), gd_status_name((gd_status)j));
      assert_string_not_equal(gd_status_text((gd_status)i), gd_status_text((gd_status)j));
    }
  }
}

static void cuts_long_texts(void **state) {
  (void)state;
  gd_report report;
  char text[200];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = '\0';
  assert_int_equal(gd_report_fault(&report, GD_WRONG_MAGIC, 7, text, text, NULL), GD_WRONG_MAGIC);
  assert_int_equal(report.status, GD_WRONG_MAGIC);
  assert_int_equal(report.offset, 7);
  assert_int_equal(strlen(report.subject), sizeof report.subject - 1);
  assert_int_equal(strlen(report.expected), sizeof report.expected - 1);
  assert_string_equal(report.found, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_every_status),
      cmocka_unit_test(cuts_long_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
