#include "lab/weights.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "floats are hashed as they stand in memory");

/* Numbers in one row of the sequence: of a weight, or the bias that follows it. */
static uint32_t row_length(const gd_shape *shape, const gd_weights_cursor *cursor) {
  int is_bias = cursor->row == shape->widths[cursor->layer + 1];
  return shape->widths[cursor->layer + is_bias];
}

static void advance(const gd_shape *shape, gd_weights_cursor *cursor) {
  if (cursor->row == shape->widths[cursor->layer + 1]) {
    cursor->layer++;
    cursor->row = 0;
  } else {
    cursor->row++;
  }
}

/* The cursor's row: inside the parameters if it is a bias, else copied to `row`. */
static const float *read_row(const gd_parameters *parameters, const gd_weights_cursor *cursor,
                             float *row) {
  if (cursor->row == parameters->shape.widths[cursor->layer + 1]) {
    return gd_parameters_bias(parameters, cursor->layer);
  }
  gd_parameters_read_row(parameters, cursor->layer, cursor->row, row);
  return row;
}

void gd_weights_write(gd_parameters *parameters, gd_weights_cursor *cursor, const float *row) {
  if (cursor->row == parameters->shape.widths[cursor->layer + 1]) {
    memcpy(gd_parameters_bias(parameters, cursor->layer), row,
           row_length(&parameters->shape, cursor) * sizeof *row);
  } else {
    gd_parameters_write_row(parameters, cursor->layer, cursor->row, row);
  }
  advance(&parameters->shape, cursor);
}

uint32_t gd_weights_next(const gd_shape *shape, const gd_weights_cursor *cursor) {
  return cursor->layer == GD_N_LAYERS ? 0 : row_length(shape, cursor);
}

uint64_t gd_weights_draw(gd_parameters *parameters, gd_weights_cursor *cursor, float *row,
                         uint64_t n_values, gd_random *random, gd_sha256 *sha) {
  uint64_t n_done = 0;
  uint32_t n;
  while (n_done < n_values && (n = gd_weights_next(&parameters->shape, cursor)) > 0) {
    const double root = sqrt((double)parameters->shape.widths[cursor->layer]);
    for (uint32_t i = 0; i < n; i++) {
      row[i] = (float)((2 * gd_random_unit(gd_random_next(random)) - 1) / root);
    }
    gd_sha256_update(sha, row, n * sizeof *row);
    gd_weights_write(parameters, cursor, row);
    n_done += n;
  }
  return n_done;
}

uint64_t gd_weights_hash(const gd_parameters *parameters, gd_weights_cursor *cursor, float *row,
                         uint64_t n_values, gd_sha256 *sha) {
  uint64_t n_done = 0;
  while (cursor->layer < GD_N_LAYERS && n_done < n_values) {
    uint32_t n = row_length(&parameters->shape, cursor);
    gd_sha256_update(sha, read_row(parameters, cursor, row), n * sizeof *row);
    n_done += n;
    advance(&parameters->shape, cursor);
  }
  return n_done;
}

void gd_weights_digest(const gd_parameters *parameters, float *row,
                       uint8_t digest[GD_SHA256_BYTES]) {
  gd_weights_cursor cursor = {0, 0};
  gd_sha256 sha;
  gd_sha256_init(&sha);
  gd_weights_hash(parameters, &cursor, row, UINT64_MAX, &sha);
  gd_sha256_read(&sha, digest);
}

gd_status gd_weights_read(const gd_parameters *parameters, float *row, uint64_t first, uint64_t n,
                          float *out, gd_report *report) {
  uint64_t n_parameters = gd_shape_n_parameters(&parameters->shape);
  if (first > n_parameters || n > n_parameters - first) {
    return gd_report_numbers(report, GD_WRONG_PARAMETER_COUNT, first, "weights", n_parameters,
                             first + n);
  }
  uint64_t start = 0;
  for (gd_weights_cursor cursor = {0, 0}; start < first + n; advance(&parameters->shape, &cursor)) {
    uint32_t length = row_length(&parameters->shape, &cursor);
    uint64_t end = start + length;
    if (end > first) {
      const float *values = read_row(parameters, &cursor, row);
      uint64_t from = first > start ? first - start : 0;
      uint64_t to = end > first + n ? first + n - start : length;
      memcpy(out, values + from, (size_t)(to - from) * sizeof *out);
      out += to - from;
    }
    start = end;
  }
  return GD_OK;
}

void gd_weights_import_start(gd_weights_import *import, gd_parameters *parameters) {
  import->parameters = parameters;
  import->cursor = (gd_weights_cursor){0, 0};
  import->n_in_row = 0;
  import->n_done = 0;
  gd_sha256_init(&import->sha);
}

static gd_status report_not_finite(const gd_weights_import *import, float value,
                                   gd_report *report) {
  const gd_weights_cursor *cursor = &import->cursor;
  int is_bias = cursor->row == import->parameters->shape.widths[cursor->layer + 1];
  char subject[sizeof report->subject] = "layer_0";
  char found[GD_TEXT_F64_BYTES];
  subject[6] = (char)('0' + cursor->layer);
  gd_text_append(subject, sizeof subject, is_bias ? ".bias" : ".weight");
  gd_text_f64(found, (double)value);
  return gd_report_fault(report, GD_WEIGHT_NOT_FINITE, import->n_done * sizeof value, subject,
                         "a finite number", found);
}

gd_status gd_weights_import_append(gd_weights_import *import, const float *values, uint64_t n,
                                   gd_report *report) {
  gd_parameters *parameters = import->parameters;
  for (uint64_t i = 0; i < n; i++) {
    if (import->cursor.layer == GD_N_LAYERS) {
      return gd_report_numbers(report, GD_WRONG_PARAMETER_COUNT, GD_NO_OFFSET, "weights",
                               import->n_done, import->n_done + (n - i));
    }
    if (!isfinite(values[i])) {
      return report_not_finite(import, values[i], report);
    }
    import->row[import->n_in_row++] = values[i];
    import->n_done++;
    if (import->n_in_row == row_length(&parameters->shape, &import->cursor)) {
      gd_sha256_update(&import->sha, import->row, import->n_in_row * sizeof *import->row);
      gd_weights_write(parameters, &import->cursor, import->row);
      import->n_in_row = 0;
    }
  }
  return GD_OK;
}

gd_status gd_weights_import_finish(gd_weights_import *import, uint8_t digest[GD_SHA256_BYTES],
                                   gd_report *report) {
  if (import->cursor.layer < GD_N_LAYERS) {
    return gd_report_numbers(report, GD_WRONG_PARAMETER_COUNT, GD_NO_OFFSET, "weights",
                             gd_shape_n_parameters(&import->parameters->shape), import->n_done);
  }
  gd_sha256_read(&import->sha, digest);
  return GD_OK;
}
