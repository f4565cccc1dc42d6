#include "rebuild/idx.h"

#include "base/bytes.h"
#include "base/text.h"
#include "dataset/format.h"

enum {
  AT_MAGIC = 0,
  AT_COUNT = 4,
  AT_ROWS = 8,
  AT_COLUMNS = 12,
  LABELS_HEADER_BYTES = 8,
  IMAGES_HEADER_BYTES = 16
};

#define LABELS_MAGIC 0x00000801u
#define IMAGES_MAGIC 0x00000803u
#define TEXT_BYTES 64

uint32_t gd_idx_header_bytes(gd_idx_kind kind) {
  return kind == GD_IDX_IMAGES ? IMAGES_HEADER_BYTES : LABELS_HEADER_BYTES;
}

uint64_t gd_idx_bytes(gd_idx_kind kind, uint32_t n_items) {
  return gd_idx_header_bytes(kind) + (uint64_t)n_items * (kind == GD_IDX_IMAGES ? GD_N_PIXELS : 1);
}

static const char *magic_name(uint32_t magic) {
  switch (magic) {
  case LABELS_MAGIC:
    return "0x00000801 (labels)";
  case IMAGES_MAGIC:
    return "0x00000803 (images)";
  default:
    return NULL;
  }
}

static gd_status check_magic(gd_idx_kind kind, const uint8_t *bytes, gd_checklist *checks) {
  const char *expected = magic_name(kind == GD_IDX_IMAGES ? IMAGES_MAGIC : LABELS_MAGIC);
  const char *found = magic_name(gd_load_u32_be(bytes + AT_MAGIC));
  if (found == expected) {
    return gd_checklist_pass(checks, "IDX kind", expected);
  }
  char hex[2 + 8 + 1] = "0x";
  gd_text_hex(hex + 2, bytes + AT_MAGIC, 4);
  return gd_checklist_fail(checks, "IDX kind", GD_IDX_WRONG_MAGIC, AT_MAGIC, expected,
                           found != NULL ? found : hex);
}

static gd_status check_dimensions(const uint8_t *bytes, gd_checklist *checks) {
  uint32_t n_rows = gd_load_u32_be(bytes + AT_ROWS);
  uint32_t n_columns = gd_load_u32_be(bytes + AT_COLUMNS);
  char number[GD_TEXT_U64_BYTES];
  char found[TEXT_BYTES] = "";
  gd_text_u64(number, n_rows);
  gd_text_append(found, sizeof found, number);
  gd_text_append(found, sizeof found, " x ");
  gd_text_u64(number, n_columns);
  gd_text_append(found, sizeof found, number);
  if (n_rows == GD_N_ROWS && n_columns == GD_N_COLUMNS) {
    return gd_checklist_pass(checks, "IDX dimensions", found);
  }
  return gd_checklist_fail(checks, "IDX dimensions", GD_IDX_WRONG_DIMENSIONS,
                           n_rows != GD_N_ROWS ? AT_ROWS : AT_COLUMNS, "28 x 28", found);
}

static gd_status check_labels(const uint8_t *labels, uint32_t n, gd_checklist *checks) {
  for (uint32_t i = 0; i < n; i++) {
    if (labels[i] >= GD_N_CLASSES) {
      char found[GD_TEXT_U64_BYTES];
      gd_text_u64(found, labels[i]);
      return gd_checklist_fail(checks, "labels", GD_LABEL_OUT_OF_RANGE,
                               (uint64_t)LABELS_HEADER_BYTES + i, "0 to 9", found);
    }
  }
  return gd_checklist_pass(checks, "labels", "0 to 9");
}

static gd_status check(gd_idx_kind kind, const uint8_t *bytes, uint64_t n_bytes, uint32_t n_items,
                       gd_checklist *checks) {
  uint64_t expected_bytes = gd_idx_bytes(kind, n_items);
  gd_status status = GD_OK;
  if (n_bytes < gd_idx_header_bytes(kind)) {
    return gd_checklist_number(checks, "IDX length", GD_IDX_TRUNCATED, n_bytes, expected_bytes,
                               n_bytes);
  }
  status = check_magic(kind, bytes, checks);
  if (status == GD_OK) {
    status = gd_checklist_number(checks, "IDX count", GD_IDX_WRONG_COUNT, AT_COUNT, n_items,
                                 gd_load_u32_be(bytes + AT_COUNT));
  }
  if (status == GD_OK && kind == GD_IDX_IMAGES) {
    status = check_dimensions(bytes, checks);
  }
  if (status == GD_OK) {
    status = gd_checklist_number(
        checks, "IDX length", n_bytes < expected_bytes ? GD_IDX_TRUNCATED : GD_IDX_TRAILING,
        n_bytes < expected_bytes ? n_bytes : expected_bytes, expected_bytes, n_bytes);
  }
  if (status == GD_OK && kind == GD_IDX_LABELS) {
    status = check_labels(bytes + LABELS_HEADER_BYTES, n_items, checks);
  }
  return status;
}

gd_status gd_idx_check(gd_idx_kind kind, const uint8_t *bytes, uint64_t n_bytes, uint32_t n_items,
                       gd_checklist *checks, gd_report *report) {
  gd_status status = check(kind, bytes, n_bytes, n_items, checks);
  if (status != GD_OK) {
    gd_checklist_result(checks, report);
  }
  return status;
}
