/* A run's settings: the presets, one table of fields with their ranges, and the check that turns
 * numbers from a control, a command line or a link into a configuration. */
#ifndef GD_LAB_CONFIG_H
#define GD_LAB_CONFIG_H

#include "base/status.h"
#include "nn/network.h"

#include <stdint.h>

#define GD_N_PRESETS 5
#define GD_DEFAULT_PRESET 1

typedef struct gd_preset {
  const char *id;
  const char *label;
  gd_shape shape;
} gd_preset;

extern const gd_preset gd_presets[GD_N_PRESETS];

/* The preset with these widths, or -1: then the widths are custom ones. */
int gd_preset_of(const gd_shape *shape);

/* One setting. Its values stand at values[first .. first + n_values - 1] of a configuration's
 * numbers; all of them lie in minimum..maximum and
 *   GD_FIELD_INTEGER  are whole, and minimum + a multiple of `step`
 *   GD_FIELD_REAL     are finite
 *   GD_FIELD_CHOICE   are one of `choices`
 * For an integer, `choices` are only suggestions. */
typedef enum gd_field_kind { GD_FIELD_INTEGER, GD_FIELD_REAL, GD_FIELD_CHOICE } gd_field_kind;

#define GD_MAX_CHOICES 4

typedef struct gd_field {
  const char *id;
  const char *label;
  const char *unit; /* empty where there is none */
  gd_field_kind kind;
  uint32_t first;
  uint32_t n_values;
  double minimum, maximum, step;
  double default_value; /* the default; widths: see GD_DEFAULT_PRESET */
  uint32_t n_choices;
  double choices[GD_MAX_CHOICES];
} gd_field;

/* The fields, by number. A configuration's numbers are 7 widths, then one for each other field. */
typedef enum gd_field_id {
  GD_FIELD_WIDTHS,
  GD_FIELD_TRAIN_N,
  GD_FIELD_TEST_SET,
  GD_FIELD_EPOCHS,
  GD_FIELD_BATCH,
  GD_FIELD_LR,
  GD_FIELD_P,
  GD_FIELD_MASK,
  GD_FIELD_SEED,
  GD_N_FIELDS
} gd_field_id;

#define GD_N_CONFIG_VALUES (GD_N_WIDTHS + GD_N_FIELDS - 1)

extern const gd_field gd_fields[GD_N_FIELDS];

/* A checked configuration. */
typedef struct gd_config {
  gd_shape shape;
  uint32_t n_train;  /* the first so many images of train: a multiple of 10 */
  uint32_t test_set; /* 2000: the balanced split test; 10000: test-full */
  uint32_t n_epochs;
  uint32_t batch;       /* images of a full minibatch */
  double learning_rate; /* rounded to float where it is used */
  double drop_probability;
  unsigned mask; /* branches eligible for dropout */
  uint32_t seed;
} gd_config;

/* Writes the default configuration's numbers. */
void gd_config_defaults(double values[GD_N_CONFIG_VALUES]);

/* Checks one number against a field of one value: FIELD_NOT_INTEGER, FIELD_OUT_OF_RANGE,
 * FIELD_NOT_LISTED. The report names the field ("epochs"), what it takes ("1 to 100") and what it
 * got ("101"). Nothing is clamped, rounded or replaced. */
gd_status gd_field_check(gd_field_id id, double value, gd_report *report);

/* Checks all numbers, in the fields' order; the first fault is reported, and then `out` stays as it
 * was. Widths can also be WRONG_SHAPE. */
gd_status gd_config_check(const double values[GD_N_CONFIG_VALUES], gd_config *out,
                          gd_report *report);

#endif
