#include "dataset/check.h"

#include "base/text.h"

#include <string.h>

static const char *const state_names[GD_N_CHECK_STATES] = {"passed", "failed", "not needed",
                                                           "not made"};

void gd_checklist_add(gd_checklist *list, const char *name, gd_check_state state, gd_status fault,
                      uint64_t offset, const char *expected, const char *found) {
  if (list->n_checks == GD_MAX_CHECKS) {
    return;
  }
  gd_check *check = &list->checks[list->n_checks++];
  int failed = state == GD_CHECK_FAILED;
  check->name = name;
  check->state = state;
  gd_report_fault(&check->report, failed ? fault : GD_OK, failed ? offset : GD_NO_OFFSET, name,
                  expected, found);
}

gd_status gd_checklist_pass(gd_checklist *list, const char *name, const char *value) {
  gd_checklist_add(list, name, GD_CHECK_PASSED, GD_OK, GD_NO_OFFSET, value, value);
  return GD_OK;
}

gd_status gd_checklist_fail(gd_checklist *list, const char *name, gd_status fault, uint64_t offset,
                            const char *expected, const char *found) {
  gd_checklist_add(list, name, GD_CHECK_FAILED, fault, offset, expected, found);
  return fault;
}

gd_status gd_checklist_number(gd_checklist *list, const char *name, gd_status fault,
                              uint64_t offset, uint64_t expected, uint64_t found) {
  char expected_text[GD_TEXT_U64_BYTES];
  char found_text[GD_TEXT_U64_BYTES];
  gd_text_u64(expected_text, expected);
  gd_text_u64(found_text, found);
  return expected == found
             ? gd_checklist_pass(list, name, found_text)
             : gd_checklist_fail(list, name, fault, offset, expected_text, found_text);
}

gd_status gd_checklist_digest(gd_checklist *list, const char *name, gd_status fault,
                              uint64_t offset, const uint8_t *expected, const uint8_t *found,
                              size_t n) {
  gd_report texts;
  gd_text_hex(texts.expected, expected, n);
  gd_text_hex(texts.found, found, n);
  return memcmp(expected, found, n) == 0
             ? gd_checklist_pass(list, name, texts.found)
             : gd_checklist_fail(list, name, fault, offset, texts.expected, texts.found);
}

const gd_check *gd_checklist_first_fault(const gd_checklist *list) {
  for (uint32_t i = 0; i < list->n_checks; i++) {
    if (list->checks[i].state == GD_CHECK_FAILED) {
      return &list->checks[i];
    }
  }
  return NULL;
}

gd_status gd_checklist_result(const gd_checklist *list, gd_report *report) {
  const gd_check *fault = gd_checklist_first_fault(list);
  if (fault == NULL) {
    return GD_OK;
  }
  if (report != NULL) {
    *report = fault->report;
  }
  return fault->report.status;
}

static void write_text(gd_json *json, const char *key, const char *text) {
  gd_json_key(json, key);
  gd_json_string(json, text);
}

void gd_checklist_write(const gd_checklist *list, gd_json *json) {
  gd_json_open(json, '[');
  for (uint32_t i = 0; i < list->n_checks; i++) {
    const gd_check *check = &list->checks[i];
    gd_json_open(json, '{');
    write_text(json, "name", check->name);
    write_text(json, "state", state_names[check->state]);
    write_text(json, "status", gd_status_name(check->report.status));
    write_text(json, "expected", check->report.expected);
    write_text(json, "found", check->report.found);
    gd_json_key(json, "offset");
    if (check->report.offset == GD_NO_OFFSET) {
      gd_json_null(json);
    } else {
      gd_json_u64(json, check->report.offset);
    }
    gd_json_close(json, '}');
  }
  gd_json_close(json, ']');
}
