/* What both modules share: exports, handles, the last report, splits. */
#ifndef GD_WASM_COMMON_H
#define GD_WASM_COMMON_H

#include "base/json.h"
#include "base/status.h"
#include "dataset/split.h"

#include <stddef.h>
#include <stdint.h>

/* Raised when an exported function, a struct layout or a description changes its meaning. */
#define GD_ABI_VERSION 1

/* Opens the definition of a function that JavaScript calls as module._gd_<name>(...). In C it is
 * called js_<name>, so that it can stand beside the library's own gd_<name>:
 *   GD_EXPORT(int32_t, split_finish, (int32_t handle, int32_t was_gzip)) { ... } */
#ifdef __EMSCRIPTEN__
#define GD_EXPORT_NAME(name) __attribute__((export_name(#name)))
#else
#define GD_EXPORT_NAME(name)
#endif
#define GD_EXPORT(type, name, parameters)                                                          \
  GD_EXPORT_NAME(gd_##name) type js_##name parameters;                                             \
  type js_##name parameters

/* The module's one report: every export that can fail clears it and fills it. */
gd_report *gd_last_report(void);

/* What an export returns for a status: 0 for OK, else its negative number. The last report is set
 * to the status if the function that failed has not filled it. */
int32_t gd_result(gd_status status);

/* ---- Handles: numbers > 0 for objects, never valid again once closed ---- */

typedef enum gd_handle_kind {
  GD_HANDLE_NONE,
  GD_HANDLE_SPLIT,
  GD_HANDLE_RUN,
  GD_HANDLE_EVALUATION,
  GD_HANDLE_WEIGHTS,
  GD_HANDLE_REBUILD
} gd_handle_kind;

/* Gives `object` a handle; -OUT_OF_MEMORY where too many are open. */
int32_t gd_handle_open(gd_handle_kind kind, void *object);

/* The object of an open handle of this kind; NULL with STALE_HANDLE in the last report otherwise.
 */
void *gd_handle_get(gd_handle_kind kind, int32_t handle);

/* Closes it and returns its object, as gd_handle_get; NULL with WRONG_STATE while it is held. */
void *gd_handle_close(gd_handle_kind kind, int32_t handle);

/* Keeps an open handle from being closed: a run holds its splits. Released as often as held. */
void gd_handle_hold(int32_t handle);
void gd_handle_release(int32_t handle);

/* ---- Hashing a split that arrives: each module has its way ---- */

/* Raw bytes have arrived: hashes them, at once or soon, here or on another thread. */
void gd_hash_arrived(gd_split *split);

/* Returns when no other thread is at work on the split, or on any. */
void gd_hash_settle(void);

/* ---- Memory: 64-byte aligned blocks ---- */

/* NULL where there is none left (the last report says how many bytes were wanted). */
void *gd_block_allocate(size_t bytes);
void gd_block_free(void *block);

/* ---- For the description that JavaScript reads at start ---- */

/* Writes one member of a struct's layout into an open object: "name": {offset, type, items}. */
void gd_describe_field(gd_json *json, const char *name, size_t offset, const char *type,
                       size_t items);

/* Writes the members "abi", "statuses": [{name, text}], "expectation": {bytes, fields: {name:
 * {offset, type: "u32"|"u8"|"char", items}}} into an open object. */
void gd_describe_common(gd_json *json);

/* One member of an open object: "name": {"offset", "type", "items"}, a field of a C struct. */
void gd_describe_field(gd_json *json, const char *name, size_t offset, const char *type,
                       size_t items);

#endif
