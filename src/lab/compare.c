#include "lab/compare.h"

#include "base/text.h"
#include "lab/statistics.h"

#include <string.h>

static gd_status report_difference(const char *field, double baseline, double treatment,
                                   gd_report *report) {
  char expected[GD_TEXT_F64_BYTES];
  char found[GD_TEXT_F64_BYTES];
  gd_text_f64(expected, baseline);
  gd_text_f64(found, treatment);
  return gd_report_fault(report, GD_NOT_COMPARABLE, GD_NO_OFFSET, field, expected, found);
}

gd_status gd_compare_identities(const gd_identity *baseline, const gd_identity *treatment,
                                gd_report *report) {
  for (int f = 0; f < GD_N_FIELDS; f++) {
    const gd_field *field = &gd_fields[f];
    for (uint32_t i = 0; f != GD_FIELD_MASK && i < field->n_values; i++) {
      double a = baseline->values[field->first + i];
      double b = treatment->values[field->first + i];
      if (a != b) {
        return report_difference(field->id, a, b, report);
      }
    }
  }
  if (baseline->is_fused != treatment->is_fused) {
    static const char *const names[] = {"mul-add", "fused"};
    return gd_report_fault(report, GD_NOT_COMPARABLE, GD_NO_OFFSET, "numerics",
                           names[baseline->is_fused != 0], names[treatment->is_fused != 0]);
  }
  if (memcmp(baseline->initialization_sha256, treatment->initialization_sha256, GD_SHA256_BYTES) !=
      0) {
    char expected[GD_SHA256_TEXT_BYTES];
    char found[GD_SHA256_TEXT_BYTES];
    gd_text_hex(expected, baseline->initialization_sha256, GD_SHA256_BYTES);
    gd_text_hex(found, treatment->initialization_sha256, GD_SHA256_BYTES);
    return gd_report_fault(report, GD_NOT_COMPARABLE, GD_NO_OFFSET, "initializationSHA256",
                           expected, found);
  }
  return GD_OK;
}

void gd_compare_predictions(const uint8_t *labels, const uint8_t *baseline,
                            const uint8_t *treatment, uint32_t n, uint8_t *outcomes,
                            uint32_t counts[GD_N_OUTCOMES]) {
  static const uint8_t by_rights[2][2] = {{GD_OUTCOME_BOTH_WRONG, GD_OUTCOME_REPAIRED},
                                          {GD_OUTCOME_HARMED, GD_OUTCOME_BOTH_RIGHT}};
  memset(counts, 0, GD_N_OUTCOMES * sizeof *counts);
  for (uint32_t i = 0; i < n; i++) {
    outcomes[i] = by_rights[baseline[i] == labels[i]][treatment[i] == labels[i]];
    counts[outcomes[i]]++;
  }
}

double gd_compare_mcnemar(uint32_t n_harmed, uint32_t n_repaired) {
  return gd_statistics_binomial(n_harmed, n_repaired);
}
