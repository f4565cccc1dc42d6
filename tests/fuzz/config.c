/* A link's or a control's numbers: what is accepted lies within every field's limits and can be given
 * memory; what is refused changes nothing. */
#include "lab/run.h"

#include "fuzz.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n) {
  double values[GD_N_CONFIG_VALUES];
  gd_config config;
  gd_config untouched;
  gd_report report;
  uint64_t bytes = 0;
  gd_config_defaults(values);
  memcpy(values, input, n < sizeof values ? n / sizeof *values * sizeof *values : sizeof values);
  memset(&config, 0x5a, sizeof config);
  untouched = config;
  if (gd_config_check(values, &config, &report) != GD_OK) {
    MUST(memcmp(&config, &untouched, sizeof config) == 0);
    MUST(report.subject[0] != '\0');
    return 0;
  }
  for (unsigned f = 0; f < GD_N_FIELDS; f++) {
    for (uint32_t i = 0; i < gd_fields[f].n_values; i++) {
      const double value = values[gd_fields[f].first + i];
      MUST(isfinite(value) && value >= gd_fields[f].minimum && value <= gd_fields[f].maximum);
    }
  }
  MUST(gd_shape_check(&config.shape, &report) == GD_OK);
  MUST(gd_run_bytes(&config, 2000, &bytes, &report) == GD_OK && bytes > 0);
  return 0;
}
