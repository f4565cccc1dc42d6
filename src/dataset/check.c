#include "dataset/check.h"

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

const gd_check *gd_checklist_first_fault(const gd_checklist *list) {
  for (uint32_t i = 0; i < list->n_checks; i++) {
    if (list->checks[i].state == GD_CHECK_FAILED) {
      return &list->checks[i];
    }
  }
  return NULL;
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
