/* The list of checks of a split, each with what was expected and what was found: for the page's
 * audit panel, and for a line on a terminal. */
#ifndef GD_DATASET_CHECK_H
#define GD_DATASET_CHECK_H

#include "base/json.h"
#include "base/status.h"

#include <stdint.h>

typedef enum gd_check_state {
  GD_CHECK_PASSED,
  GD_CHECK_FAILED,
  GD_CHECK_NOT_NEEDED, /* it does not apply: a split that came uncompressed has no gzip digest */
  GD_CHECK_NOT_MADE,   /* an earlier fault makes it meaningless */
  GD_N_CHECK_STATES
} gd_check_state;

typedef struct gd_check {
  const char *name; /* static */
  gd_check_state state;
  gd_report report; /* expected and found; status and offset where it failed */
} gd_check;

#define GD_MAX_CHECKS 20

typedef struct gd_checklist {
  uint32_t n_checks;
  gd_check checks[GD_MAX_CHECKS];
} gd_checklist;

/* Adds a check. `name` is a static string; the texts are copied. A list that is full drops it
 * (never reached: a test counts the checks). */
void gd_checklist_add(gd_checklist *list, const char *name, gd_check_state state, gd_status fault,
                      uint64_t offset, const char *expected, const char *found);

/* Adds the check that two numbers, or two digests of n bytes (at most 47), are the same. Returns
 * GD_OK or `fault`. */
gd_status gd_checklist_number(gd_checklist *list, const char *name, gd_status fault,
                              uint64_t offset, uint64_t expected, uint64_t found);
gd_status gd_checklist_digest(gd_checklist *list, const char *name, gd_status fault,
                              uint64_t offset, const uint8_t *expected, const uint8_t *found,
                              size_t n);

/* Adds a check that has passed, with one text for what was expected and found. Returns GD_OK. */
gd_status gd_checklist_pass(gd_checklist *list, const char *name, const char *value);

/* Adds a check that has failed. Returns `fault`. */
gd_status gd_checklist_fail(gd_checklist *list, const char *name, gd_status fault, uint64_t offset,
                            const char *expected, const char *found);

/* The first check that failed, or NULL. */
const gd_check *gd_checklist_first_fault(const gd_checklist *list);

/* Its status with the report filled; GD_OK, the report untouched, where all is well. */
gd_status gd_checklist_result(const gd_checklist *list, gd_report *report);

/* Writes an array of {"name", "state": "passed"|"failed"|"not needed"|"not made", "status",
 * "expected", "found", "offset": number or null}. */
void gd_checklist_write(const gd_checklist *list, gd_json *json);

#endif
