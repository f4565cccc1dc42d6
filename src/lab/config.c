#include "lab/config.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

const gd_preset gd_presets[GD_N_PRESETS] = {
    {"tiny", "Tiny", {{784, 128, 96, 64, 48, 32, 10}}},
    {"small", "Small", {{784, 256, 192, 128, 96, 64, 10}}},
    {"uniform", "Uniform", {{784, 128, 128, 128, 128, 128, 10}}},
    {"wide", "Wide", {{784, 512, 384, 256, 192, 128, 10}}},
    {"full", "Full", {{784, 2500, 2000, 1500, 1000, 500, 10}}},
};

/* Each field's row stands at its number; all but the widths have one value. */
const gd_field gd_fields[GD_N_FIELDS] = {
    [GD_FIELD_WIDTHS] = {.id = "widths",
                         .label = "Widths",
                         .unit = "units",
                         .kind = GD_FIELD_INTEGER,
                         .first = 0,
                         .n_values = GD_N_WIDTHS,
                         .minimum = 1,
                         .maximum = GD_MAX_WIDTH,
                         .step = 1,
                         .default_value = NAN},
    [GD_FIELD_TRAIN_N] = {.id = "trainN",
                          .label = "Training images",
                          .unit = "images",
                          .kind = GD_FIELD_INTEGER,
                          .first = 7,
                          .n_values = 1,
                          .minimum = 10,
                          .maximum = 10000,
                          .step = 10,
                          .default_value = 4000,
                          .n_choices = 3,
                          .choices = {1000, 4000, 10000}},
    [GD_FIELD_TEST_SET] = {.id = "testSet",
                           .label = "Test images",
                           .unit = "images",
                           .kind = GD_FIELD_CHOICE,
                           .first = 8,
                           .n_values = 1,
                           .minimum = 2000,
                           .maximum = 10000,
                           .default_value = 2000,
                           .n_choices = 2,
                           .choices = {2000, 10000}},
    [GD_FIELD_EPOCHS] = {.id = "epochs",
                         .label = "Epochs",
                         .unit = "epochs",
                         .kind = GD_FIELD_INTEGER,
                         .first = 9,
                         .n_values = 1,
                         .minimum = 1,
                         .maximum = 100,
                         .step = 1,
                         .default_value = 10},
    [GD_FIELD_BATCH] = {.id = "batch",
                        .label = "Batch size",
                        .unit = "images",
                        .kind = GD_FIELD_CHOICE,
                        .first = 10,
                        .n_values = 1,
                        .minimum = 32,
                        .maximum = 128,
                        .default_value = 64,
                        .n_choices = 3,
                        .choices = {32, 64, 128}},
    [GD_FIELD_LR] = {.id = "lr",
                     .label = "Learning rate",
                     .unit = "",
                     .kind = GD_FIELD_REAL,
                     .first = 11,
                     .n_values = 1,
                     .minimum = 0.0001,
                     .maximum = 0.3,
                     .default_value = 0.03},
    [GD_FIELD_P] = {.id = "p",
                    .label = "Drop probability",
                    .unit = "",
                    .kind = GD_FIELD_CHOICE,
                    .first = 12,
                    .n_values = 1,
                    .minimum = 0.25,
                    .maximum = 0.75,
                    .default_value = 0.5,
                    .n_choices = 3,
                    .choices = {0.25, 0.5, 0.75}},
    [GD_FIELD_MASK] = {.id = "mask",
                       .label = "Branches that may be dropped",
                       .unit = "",
                       .kind = GD_FIELD_INTEGER,
                       .first = 13,
                       .n_values = 1,
                       .minimum = 0,
                       .maximum = GD_ALL_BRANCHES,
                       .step = 1,
                       .default_value = 0},
    [GD_FIELD_SEED] = {.id = "seed",
                       .label = "Seed",
                       .unit = "",
                       .kind = GD_FIELD_INTEGER,
                       .first = 14,
                       .n_values = 1,
                       .minimum = 0,
                       .maximum = 2147483647,
                       .step = 1,
                       .default_value = 201},
};

_Static_assert(GD_N_CONFIG_VALUES == 15, "the last field's place is the last number's");

int gd_preset_of(const gd_shape *shape) {
  for (int i = 0; i < GD_N_PRESETS; i++) {
    if (memcmp(&gd_presets[i].shape, shape, sizeof *shape) == 0) {
      return i;
    }
  }
  return -1;
}

void gd_config_defaults(double values[GD_N_CONFIG_VALUES]) {
  for (int i = 0; i < GD_N_WIDTHS; i++) {
    values[i] = gd_presets[GD_DEFAULT_PRESET].shape.widths[i];
  }
  for (int f = GD_FIELD_WIDTHS + 1; f < GD_N_FIELDS; f++) {
    values[gd_fields[f].first] = gd_fields[f].default_value;
  }
}

/* What a field takes, in words: "1 to 100", "10 to 10000 in steps of 10", "32, 64 or 128". */
static void describe_range(const gd_field *field, char *out, size_t out_bytes) {
  char number[GD_TEXT_F64_BYTES];
  out[0] = '\0';
  if (field->kind == GD_FIELD_CHOICE) {
    for (uint32_t i = 0; i < field->n_choices; i++) {
      const char *between = i == 0 ? "" : i + 1 == field->n_choices ? " or " : ", ";
      gd_text_append(out, out_bytes, between);
      gd_text_f64(number, field->choices[i]);
      gd_text_append(out, out_bytes, number);
    }
    return;
  }
  gd_text_f64(number, field->minimum);
  gd_text_append(out, out_bytes, number);
  gd_text_append(out, out_bytes, " to ");
  gd_text_f64(number, field->maximum);
  gd_text_append(out, out_bytes, number);
  if (field->step > 1) {
    gd_text_append(out, out_bytes, " in steps of ");
    gd_text_f64(number, field->step);
    gd_text_append(out, out_bytes, number);
  }
}

static int is_listed(const gd_field *field, double value) {
  for (uint32_t i = 0; i < field->n_choices; i++) {
    if (field->choices[i] == value) {
      return 1;
    }
  }
  return 0;
}

static gd_status find_fault(const gd_field *field, double value) {
  if (field->kind == GD_FIELD_CHOICE) {
    return is_listed(field, value) ? GD_OK : GD_FIELD_NOT_LISTED;
  }
  /* Written so that NaN fails. */
  if (!(value >= field->minimum && value <= field->maximum)) {
    return GD_FIELD_OUT_OF_RANGE;
  }
  if (field->kind == GD_FIELD_REAL) {
    return GD_OK;
  }
  if (value != floor(value)) {
    return GD_FIELD_NOT_INTEGER;
  }
  double above = value - field->minimum;
  return above == floor(above / field->step) * field->step ? GD_OK : GD_FIELD_NOT_LISTED;
}

gd_status gd_field_check(gd_field_id id, double value, gd_report *report) {
  const gd_field *field = &gd_fields[id];
  gd_status status = find_fault(field, value);
  if (status == GD_OK) {
    return GD_OK;
  }
  char expected[sizeof report->expected];
  char found[GD_TEXT_F64_BYTES];
  describe_range(field, expected, sizeof expected);
  gd_text_f64(found, value);
  return gd_report_fault(report, status, GD_NO_OFFSET, field->id, expected, found);
}

gd_status gd_config_check(const double values[GD_N_CONFIG_VALUES], gd_config *out,
                          gd_report *report) {
  gd_shape shape;
  for (int i = 0; i < GD_N_WIDTHS; i++) {
    gd_status status = gd_field_check(GD_FIELD_WIDTHS, values[i], report);
    if (status != GD_OK) {
      return status;
    }
    shape.widths[i] = (uint32_t)values[i];
  }
  gd_status status = gd_shape_check(&shape, report);
  if (status != GD_OK) {
    return status;
  }
  for (int f = GD_FIELD_WIDTHS + 1; f < GD_N_FIELDS; f++) {
    status = gd_field_check((gd_field_id)f, values[gd_fields[f].first], report);
    if (status != GD_OK) {
      return status;
    }
  }
  out->shape = shape;
  out->n_train = (uint32_t)values[gd_fields[GD_FIELD_TRAIN_N].first];
  out->test_set = (uint32_t)values[gd_fields[GD_FIELD_TEST_SET].first];
  out->n_epochs = (uint32_t)values[gd_fields[GD_FIELD_EPOCHS].first];
  out->batch = (uint32_t)values[gd_fields[GD_FIELD_BATCH].first];
  out->learning_rate = values[gd_fields[GD_FIELD_LR].first];
  out->drop_probability = values[gd_fields[GD_FIELD_P].first];
  out->mask = (unsigned)values[gd_fields[GD_FIELD_MASK].first];
  out->seed = (uint32_t)values[gd_fields[GD_FIELD_SEED].first];
  return GD_OK;
}
