/* The producer module: rebuilds the dataset from MNIST's four IDX files (rebuild/rebuild.h). The
 * exports that both modules share stand in common.c and splits.c; conventions in common.h.
 *
 *   plan = gd_rebuild_plan()          fill it, as describe().plan says
 *   rebuild = gd_rebuild_open()
 *   while (step = gd_rebuild_next(rebuild)) < describe().steps.length:
 *     gd_rebuild_accept(rebuild, step, file, bytes)   or   gd_rebuild_work(rebuild, step)
 *     gd_rebuild_checks(rebuild), gd_rebuild_output(rebuild, which), gd_rebuild_output_bytes(…)
 *   gd_rebuild_close(rebuild) */
#include "rebuild/rebuild.h"

#include "wasm/common.h"

#include <string.h>

#define DESCRIPTION_BYTES (16 * 1024)
#define CHECKS_TEXT_BYTES (64 * 1024)

/* Which bytes gd_rebuild_output gives. */
#define OUTPUTS(X) X(RAW, "raw") X(GZ, "gz") X(PREVIEW, "preview")
enum {
#define OUTPUT_ENUM(name, id) OUTPUT_##name,
  OUTPUTS(OUTPUT_ENUM)
#undef OUTPUT_ENUM
};

/* Nothing else is at work here. */
void gd_hash_arrived(gd_split *split) {
  gd_split_hash(split, split->n_bytes);
}

void gd_hash_settle(void) {
}

static gd_rebuild_plan plan;

#define FIELD(type, name, kind, items)                                                             \
  gd_describe_field(json, #name, offsetof(type, name), kind, items)

static void describe_array(gd_json *json, const char *name, size_t offset, size_t item_bytes,
                           size_t n_items) {
  gd_json_key(json, name);
  gd_json_open(json, '{');
  gd_json_key(json, "offset");
  gd_json_u64(json, offset);
  gd_json_key(json, "itemBytes");
  gd_json_u64(json, item_bytes);
  gd_json_key(json, "items");
  gd_json_u64(json, n_items);
  gd_json_close(json, '}');
}

static void describe_plan(gd_json *json) {
  gd_json_key(json, "plan");
  gd_json_open(json, '{');
  gd_json_key(json, "bytes");
  gd_json_u64(json, sizeof plan);
  gd_json_key(json, "fields");
  gd_json_open(json, '{');
  FIELD(gd_rebuild_plan, seed, "u32", 1);
  FIELD(gd_rebuild_plan, n_train_pool, "u32", 1);
  FIELD(gd_rebuild_plan, n_preview, "u32", 1);
  FIELD(gd_rebuild_plan, preview_bytes, "u32", 1);
  FIELD(gd_rebuild_plan, preview_sha256, "u8", GD_SHA256_BYTES);
  FIELD(gd_rebuild_plan, train_pool_sha256, "u8", GD_SHA256_BYTES);
  FIELD(gd_rebuild_plan, validation_pool_sha256, "u8", GD_SHA256_BYTES);
  gd_json_close(json, '}');
  describe_array(json, "originals", offsetof(gd_rebuild_plan, originals), sizeof(gd_original),
                 GD_N_SOURCES);
  describe_array(json, "splits", offsetof(gd_rebuild_plan, splits), sizeof(gd_expectation),
                 GD_N_SPLITS);
  gd_json_close(json, '}');
}

static void describe_original(gd_json *json) {
  gd_json_key(json, "original");
  gd_json_open(json, '{');
  gd_json_key(json, "bytes");
  gd_json_u64(json, sizeof(gd_original));
  gd_json_key(json, "fields");
  gd_json_open(json, '{');
  FIELD(gd_original, bytes, "u32", 1);
  FIELD(gd_original, md5, "u8", GD_MD5_BYTES);
  FIELD(gd_original, sha256, "u8", GD_SHA256_BYTES);
  gd_json_close(json, '}');
  gd_json_close(json, '}');
}

static void describe_steps(gd_json *json) {
  gd_json_key(json, "steps");
  gd_json_open(json, '[');
  for (unsigned step = 0; step < GD_N_STEPS; step++) {
    gd_json_open(json, '{');
    gd_json_key(json, "id");
    gd_json_string(json, gd_rebuild_step_id((gd_rebuild_step)step));
    gd_json_key(json, "takesFile");
    gd_json_bool(json, gd_rebuild_step_takes_file((gd_rebuild_step)step));
    gd_json_close(json, '}');
  }
  gd_json_close(json, ']');
  gd_json_key(json, "outputs");
  gd_json_open(json, '[');
#define OUTPUT_ID(name, id) gd_json_string(json, id);
  OUTPUTS(OUTPUT_ID)
#undef OUTPUT_ID
  gd_json_close(json, ']');
}

/* What JavaScript must know of this module: abi, statuses, expectation, plan, original, steps,
 * outputs. */
GD_EXPORT(const char *, describe, (void)) {
  static char text[DESCRIPTION_BYTES];
  gd_json writer;
  gd_json *json = &writer;
  gd_json_init(json, text, sizeof text);
  gd_json_open(json, '{');
  gd_describe_common(json);
  describe_plan(json);
  describe_original(json);
  describe_steps(json);
  gd_json_close(json, '}');
  return text;
}

/* The struct that JavaScript fills before gd_rebuild_open; cleared by this call. */
GD_EXPORT(gd_rebuild_plan *, rebuild_plan, (void)) {
  memset(&plan, 0, sizeof plan);
  return &plan;
}

/* A handle, or a negative status: faults of gd_rebuild_memory, OUT_OF_MEMORY. */
GD_EXPORT(int32_t, rebuild_open, (void)) {
  gd_report *report = gd_last_report();
  size_t bytes = 0;
  gd_status status = gd_rebuild_memory(&plan, &bytes, report);
  if (status != GD_OK) {
    return gd_result(status);
  }
  void *block = gd_block_allocate(bytes);
  if (block == NULL) {
    return gd_result(GD_OUT_OF_MEMORY);
  }
  gd_arena arena;
  gd_rebuild *rebuild = NULL;
  gd_arena_init(&arena, block, bytes);
  status = gd_rebuild_take(&arena, &plan, &rebuild, report);
  int32_t handle = status == GD_OK ? gd_handle_open(GD_HANDLE_REBUILD, rebuild) : gd_result(status);
  if (handle < 0) {
    gd_block_free(block);
  }
  return handle;
}

static gd_rebuild *get(int32_t handle) {
  return gd_handle_get(GD_HANDLE_REBUILD, handle);
}

/* The number of the step that is due; the number of steps when all is done, one more when refused.
 */
GD_EXPORT(int32_t, rebuild_next, (int32_t handle)) {
  gd_rebuild *rebuild = get(handle);
  return rebuild == NULL ? gd_result(GD_STALE_HANDLE) : (int32_t)rebuild->next;
}

/* Gives a source file, which is only read during the call. */
GD_EXPORT(int32_t, rebuild_accept,
          (int32_t handle, int32_t step, const uint8_t *file, size_t file_bytes)) {
  gd_rebuild *rebuild = get(handle);
  return gd_result(rebuild == NULL ? GD_STALE_HANDLE
                                   : gd_rebuild_accept(rebuild, (gd_rebuild_step)step, file,
                                                       file_bytes, gd_last_report()));
}

GD_EXPORT(int32_t, rebuild_work, (int32_t handle, int32_t step)) {
  gd_rebuild *rebuild = get(handle);
  return gd_result(rebuild == NULL
                       ? GD_STALE_HANDLE
                       : gd_rebuild_work(rebuild, (gd_rebuild_step)step, gd_last_report()));
}

/* The checks of the last step that was tried, as gd_split_checks gives them. */
GD_EXPORT(const char *, rebuild_checks, (int32_t handle)) {
  static char text[CHECKS_TEXT_BYTES];
  gd_rebuild *rebuild = get(handle);
  gd_json json;
  gd_json_init(&json, text, sizeof text);
  if (rebuild != NULL) {
    gd_checklist_write(&rebuild->checks, &json);
  }
  return text;
}

/* What the last step has made; NULL / 0 where it has made nothing of the kind. */
static const uint8_t *output(int32_t handle, int32_t which, size_t *bytes) {
  gd_rebuild *rebuild = get(handle);
  *bytes = 0;
  if (rebuild == NULL || rebuild->next == 0 || rebuild->next == GD_STEP_REFUSED) {
    return NULL;
  }
  gd_rebuild_step done = (gd_rebuild_step)(rebuild->next - 1);
  const gd_split *split = gd_rebuild_split_of(rebuild, done);
  if (which == OUTPUT_RAW && split != NULL) {
    *bytes = split->n_bytes;
    return split->bytes;
  }
  if (which == OUTPUT_GZ && split != NULL) {
    *bytes = rebuild->gz_bytes;
    return rebuild->gz;
  }
  if (which == OUTPUT_PREVIEW && done == GD_STEP_PREVIEW) {
    *bytes = rebuild->preview_bytes;
    return rebuild->preview;
  }
  return NULL;
}

GD_EXPORT(const uint8_t *, rebuild_output, (int32_t handle, int32_t which)) {
  size_t bytes = 0;
  return output(handle, which, &bytes);
}

GD_EXPORT(size_t, rebuild_output_bytes, (int32_t handle, int32_t which)) {
  size_t bytes = 0;
  output(handle, which, &bytes);
  return bytes;
}

GD_EXPORT(int32_t, rebuild_close, (int32_t handle)) {
  gd_rebuild *rebuild = gd_handle_close(GD_HANDLE_REBUILD, handle);
  gd_block_free(rebuild);
  return gd_result(rebuild == NULL ? gd_last_report()->status : GD_OK);
}
