#include "base/status.h"

#include "base/text.h"

#include <stddef.h>

static const struct {
  const char *name;
  const char *sentence;
} statuses[GD_N_STATUSES] = {
#define GD_STATUS_ROW(name, sentence) {#name, sentence},
    GD_STATUS_LIST(GD_STATUS_ROW)
#undef GD_STATUS_ROW
};

const char *gd_status_text(gd_status status) {
  return (unsigned)status < GD_N_STATUSES ? statuses[status].sentence
                                          : "not a status of this library";
}

const char *gd_status_name(gd_status status) {
  return (unsigned)status < GD_N_STATUSES ? statuses[status].name : "UNKNOWN";
}

gd_status gd_report_fault(gd_report *report, gd_status status, uint64_t offset, const char *subject,
                          const char *expected, const char *found) {
  if (report != NULL) {
    report->status = status;
    report->offset = offset;
    gd_text_copy(report->subject, sizeof report->subject, subject);
    gd_text_copy(report->expected, sizeof report->expected, expected);
    gd_text_copy(report->found, sizeof report->found, found);
  }
  return status;
}

gd_status gd_report_numbers(gd_report *report, gd_status status, uint64_t offset,
                            const char *subject, uint64_t expected, uint64_t found) {
  char expected_text[GD_TEXT_U64_BYTES];
  char found_text[GD_TEXT_U64_BYTES];
  gd_text_u64(expected_text, expected);
  gd_text_u64(found_text, found);
  return gd_report_fault(report, status, offset, subject, expected_text, found_text);
}
