/* gd_describe: what JavaScript must know of C, as one JSON text made from the tables that C itself
 * works with. */
#include "base/text.h"
#include "lab/compare.h"
#include "lab/config.h"
#include "lab/plan.h"
#include "lab/statistics.h"
#include "wasm/model.h"

/* More than the text needs: a test reads it whole. */
#define DESCRIPTION_BYTES (24 * 1024)

static void write_real(gd_json *json, double value) {
  char text[GD_TEXT_F64_BYTES];
  gd_text_f64(text, value);
  gd_json_value(json, text);
}

static void write_key_real(gd_json *json, const char *key, double value) {
  gd_json_key(json, key);
  write_real(json, value);
}

static void write_key_string(gd_json *json, const char *key, const char *value) {
  gd_json_key(json, key);
  gd_json_string(json, value);
}

static void write_widths(gd_json *json, const gd_shape *shape) {
  gd_json_open(json, '[');
  for (int i = 0; i < GD_N_WIDTHS; i++) {
    gd_json_u64(json, shape->widths[i]);
  }
  gd_json_close(json, ']');
}

static void write_presets(gd_json *json) {
  gd_json_key(json, "presets");
  gd_json_open(json, '[');
  for (int i = 0; i < GD_N_PRESETS; i++) {
    const gd_preset *preset = &gd_presets[i];
    gd_json_open(json, '{');
    write_key_string(json, "id", preset->id);
    write_key_string(json, "label", preset->label);
    gd_json_key(json, "widths");
    write_widths(json, &preset->shape);
    gd_json_key(json, "nParameters");
    gd_json_u64(json, gd_shape_n_parameters(&preset->shape));
    gd_json_close(json, '}');
  }
  gd_json_close(json, ']');
  write_key_string(json, "defaultPreset", gd_presets[GD_DEFAULT_PRESET].id);
}

static void write_field(gd_json *json, const gd_field *field) {
  static const char *const kinds[] = {
      [GD_FIELD_INTEGER] = "integer", [GD_FIELD_REAL] = "real", [GD_FIELD_CHOICE] = "choice"};
  gd_json_open(json, '{');
  write_key_string(json, "id", field->id);
  write_key_string(json, "label", field->label);
  write_key_string(json, "unit", field->unit);
  write_key_string(json, "kind", kinds[field->kind]);
  write_key_real(json, "first", field->first);
  write_key_real(json, "n", field->n_values);
  write_key_real(json, "min", field->minimum);
  write_key_real(json, "max", field->maximum);
  write_key_real(json, "step", field->step);
  gd_json_key(json, "values");
  gd_json_open(json, '[');
  for (uint32_t i = 0; i < field->n_choices; i++) {
    write_real(json, field->choices[i]);
  }
  gd_json_close(json, ']');
  gd_json_key(json, "default");
  if (field->n_values == 1) {
    write_real(json, field->default_value);
  } else {
    write_widths(json, &gd_presets[GD_DEFAULT_PRESET].shape);
  }
  gd_json_close(json, '}');
}

static void write_fields(gd_json *json) {
  gd_json_key(json, "fields");
  gd_json_open(json, '[');
  for (int f = 0; f < GD_N_FIELDS; f++) {
    write_field(json, &gd_fields[f]);
  }
  gd_json_close(json, ']');
}

static void write_orders(gd_json *json) {
  gd_json_key(json, "orders");
  gd_json_open(json, '[');
  for (unsigned i = 0; i < GD_N_ORDERS; i++) {
    uint8_t order[GD_N_BRANCHES];
    gd_plan_order(i, order);
    gd_json_open(json, '[');
    for (unsigned k = 0; k < GD_N_BRANCHES; k++) {
      gd_json_u64(json, order[k]);
    }
    gd_json_close(json, ']');
  }
  gd_json_close(json, ']');
}

static void write_names(gd_json *json, const char *key, const char *const *names, size_t n) {
  gd_json_key(json, key);
  gd_json_open(json, '[');
  for (size_t i = 0; i < n; i++) {
    gd_json_string(json, names[i]);
  }
  gd_json_close(json, ']');
}

/* The ids of an X list, in its order. */
#define ID_OF(name, id) id,
#define WRITE_IDS(json, key, list)                                                                 \
  do {                                                                                             \
    static const char *const names[] = {list(ID_OF)};                                              \
    write_names(json, key, names, sizeof names / sizeof *names);                                   \
  } while (0)

static void write_view(gd_json *json, const char *id, const char *type) {
  gd_json_open(json, '{');
  write_key_string(json, "id", id);
  write_key_string(json, "type", type);
  gd_json_close(json, '}');
}

static void write_views(gd_json *json) {
#define WRITE_VIEW(name, id, type) write_view(json, id, type);
  gd_json_key(json, "runViews");
  gd_json_open(json, '[');
  GD_RUN_VIEWS(WRITE_VIEW)
  gd_json_close(json, ']');
  gd_json_key(json, "evaluationViews");
  gd_json_open(json, '[');
  GD_EVALUATION_VIEWS(WRITE_VIEW)
  gd_json_close(json, ']');
#undef WRITE_VIEW
}

static void write_identity(gd_json *json) {
  gd_json_key(json, "identity");
  gd_json_open(json, '{');
  write_key_real(json, "bytes", sizeof(gd_identity));
  gd_json_key(json, "fields");
  gd_json_open(json, '{');
#define WRITE_MEMBER(member, id, type, items)                                                      \
  gd_describe_field(json, id, offsetof(gd_identity, member), type, items)
  WRITE_MEMBER(values, "values", "f64", GD_N_CONFIG_VALUES);
  WRITE_MEMBER(is_fused, "isFused", "u32", 1);
  WRITE_MEMBER(initialization_sha256, "initializationSHA256", "u8", GD_SHA256_BYTES);
#undef WRITE_MEMBER
  gd_json_close(json, '}');
  gd_json_close(json, '}');
}

/* A gd_paired starts with its differences' summary. */
#define PAIRED_COLUMNS(X) GD_SUMMARY_COLUMNS(X) GD_PAIRED_COLUMNS(X)

static void write_all(gd_json *json) {
  gd_json_open(json, '{');
  gd_describe_common(json);
  write_key_string(json, "numerics", gd_network_numerics());
  write_presets(json);
  write_fields(json);
  WRITE_IDS(json, "plans", GD_PLANS);
  write_orders(json);
  write_key_real(json, "maxGridRuns", GD_MAX_GRID_RUNS);
  WRITE_IDS(json, "states", GD_RUN_STATES);
  WRITE_IDS(json, "events", GD_RUN_EVENTS);
  WRITE_IDS(json, "checkpoints", GD_CHECKPOINTS);
  WRITE_IDS(json, "progress", GD_PROGRESS_COLUMNS);
  WRITE_IDS(json, "history", GD_HISTORY_COLUMNS);
  write_views(json);
  WRITE_IDS(json, "summary", GD_EVALUATION_SUMMARY);
  WRITE_IDS(json, "outcomes", GD_OUTCOMES);
  write_identity(json);
  gd_json_key(json, "statistics");
  gd_json_open(json, '{');
  WRITE_IDS(json, "summary", GD_SUMMARY_COLUMNS);
  WRITE_IDS(json, "paired", PAIRED_COLUMNS);
  gd_json_close(json, '}');
  gd_json_close(json, '}');
}

/* Written at the first call; the text stays for good. */
GD_EXPORT(const char *, describe, (void)) {
  static char text[DESCRIPTION_BYTES];
  if (text[0] == '\0') {
    gd_json json;
    gd_json_init(&json, text, sizeof text);
    write_all(&json);
  }
  return text;
}
