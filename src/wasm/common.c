/* The exports that both modules have: version, last report, memory. */
#include "wasm/common.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define GD_BLOCK_ALIGNMENT GD_ARENA_ALIGNMENT

static gd_report last_report;

gd_report *gd_last_report(void) {
  return &last_report;
}

int32_t gd_result(gd_status status) {
  if (last_report.status != status || status == GD_OK) {
    gd_report_fault(&last_report, status, GD_NO_OFFSET, "", "", "");
  }
  return -(int32_t)status;
}

static void report_no_memory(size_t bytes) {
  char expected[GD_TEXT_U64_BYTES + sizeof " bytes"];
  gd_text_u64(expected, bytes);
  gd_text_append(expected, sizeof expected, " bytes");
  gd_report_fault(&last_report, GD_OUT_OF_MEMORY, GD_NO_OFFSET, "memory", expected, "less");
}

void *gd_block_allocate(size_t bytes) {
  size_t rounded = 0;
  void *block = NULL;
  if (!__builtin_add_overflow(bytes, (size_t)GD_BLOCK_ALIGNMENT - 1, &rounded) && bytes > 0) {
    block = aligned_alloc(GD_BLOCK_ALIGNMENT, rounded - rounded % GD_BLOCK_ALIGNMENT);
  }
  if (block == NULL) {
    report_no_memory(bytes);
  }
  return block;
}

void gd_block_free(void *block) {
  free(block);
}

void gd_describe_field(gd_json *json, const char *name, size_t offset, const char *type,
                       size_t items) {
  gd_json_key(json, name);
  gd_json_open(json, '{');
  gd_json_key(json, "offset");
  gd_json_u64(json, offset);
  gd_json_key(json, "type");
  gd_json_string(json, type);
  gd_json_key(json, "items");
  gd_json_u64(json, items);
  gd_json_close(json, '}');
}

static void describe_expectation(gd_json *json) {
  gd_json_key(json, "expectation");
  gd_json_open(json, '{');
  gd_json_key(json, "bytes");
  gd_json_u64(json, sizeof(gd_expectation));
  gd_json_key(json, "fields");
  gd_json_open(json, '{');
#define FIELD(name, type, items)                                                                   \
  gd_describe_field(json, #name, offsetof(gd_expectation, name), type, items)
  FIELD(bytes, "u32", 1);
  FIELD(gz_bytes, "u32", 1);
  FIELD(n_images, "u32", 1);
  FIELD(class_counts, "u32", GD_N_CLASSES);
  FIELD(n_collection, "u32", 1);
  FIELD(is_balanced, "u32", 1);
  FIELD(sha256, "u8", GD_SHA256_BYTES);
  FIELD(gz_sha256, "u8", GD_SHA256_BYTES);
  FIELD(index_sha256, "u8", GD_SHA256_BYTES);
  FIELD(id, "char", sizeof(((gd_expectation *)0)->id));
#undef FIELD
  gd_json_close(json, '}');
  gd_json_close(json, '}');
}

void gd_describe_common(gd_json *json) {
  gd_json_key(json, "abi");
  gd_json_u64(json, GD_ABI_VERSION);
  gd_json_key(json, "statuses");
  gd_json_open(json, '[');
  for (unsigned status = 0; status < GD_N_STATUSES; status++) {
    gd_json_open(json, '{');
    gd_json_key(json, "name");
    gd_json_string(json, gd_status_name((gd_status)status));
    gd_json_key(json, "text");
    gd_json_string(json, gd_status_text((gd_status)status));
    gd_json_close(json, '}');
  }
  gd_json_close(json, ']');
  describe_expectation(json);
}

GD_EXPORT(int32_t, abi_version, (void)) {
  return GD_ABI_VERSION;
}

/* Part 0: the status's name, 1: its sentence, 2: subject, 3: expected, 4: found. */
GD_EXPORT(const char *, report_text, (int32_t part)) {
  switch (part) {
  case 0:
    return gd_status_name(last_report.status);
  case 1:
    return gd_status_text(last_report.status);
  case 2:
    return last_report.subject;
  case 3:
    return last_report.expected;
  case 4:
    return last_report.found;
  default:
    return "";
  }
}

/* The byte at which the fault stands; -1 where there is none. */
GD_EXPORT(double, report_offset, (void)) {
  return last_report.offset == GD_NO_OFFSET ? -1.0 : (double)last_report.offset;
}

/* A block for JavaScript to fill, 64-byte aligned; NULL with OUT_OF_MEMORY reported. */
GD_EXPORT(void *, memory_allocate, (size_t bytes)) {
  return gd_block_allocate(bytes);
}

GD_EXPORT(void, memory_free, (void *block)) {
  gd_block_free(block);
}
