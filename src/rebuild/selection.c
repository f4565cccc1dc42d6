#include "rebuild/selection.h"

#include "base/text.h"
#include "dataset/format.h"

static gd_status report_few(uint32_t digit, uint32_t expected, uint32_t found, gd_report *report) {
  char expected_text[64];
  char found_text[GD_TEXT_U64_BYTES];
  char digit_text[GD_TEXT_U64_BYTES];
  gd_text_u64(expected_text, expected);
  gd_text_u64(digit_text, digit);
  gd_text_u64(found_text, found);
  gd_text_append(expected_text, sizeof expected_text, " images of digit ");
  gd_text_append(expected_text, sizeof expected_text, digit_text);
  return gd_report_fault(report, GD_TOO_FEW_OF_A_DIGIT, GD_NO_OFFSET, "selection", expected_text,
                         found_text);
}

gd_status gd_select_balanced(const uint8_t *labels, const uint32_t *pool, uint32_t n_pool,
                             uint32_t n_per_digit, uint32_t *out, gd_report *report) {
  uint32_t n_chosen[GD_N_CLASSES] = {0};
  for (uint32_t i = 0; i < n_pool; i++) {
    uint32_t image = pool == NULL ? i : pool[i];
    uint32_t digit = labels[image];
    if (n_chosen[digit] < n_per_digit) {
      out[(uint64_t)GD_N_CLASSES * n_chosen[digit] + digit] = image;
      n_chosen[digit]++;
    }
  }
  for (uint32_t digit = 0; digit < GD_N_CLASSES; digit++) {
    if (n_chosen[digit] < n_per_digit) {
      return report_few(digit, n_per_digit, n_chosen[digit], report);
    }
  }
  return GD_OK;
}
