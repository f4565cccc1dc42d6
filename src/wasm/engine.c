/* clang-format off */
/* The engine module: what JavaScript can call to train, evaluate, inspect and compare. Each line
 * below is an export; the exports that both modules share (version, report, memory, splits) stand
 * in src/wasm/common.c.
 *
 * Conventions. i32 results: >= 0 is a handle, a count or an event; < 0 is -gd_status, and the last
 * report says more. A pointer is 0 on failure (again with a report). Pointers into the module stay
 * valid until the handle is closed, unless said otherwise; a JavaScript view of them does not
 * survive a call that can allocate (those that open something, and gd_memory_allocate). Buffers
 * that are passed in are the caller's, 4-byte aligned for u32 and f32, 8-byte for f64.
 *
 * Description
 *   gd_describe() -> char*   static JSON; see src/wasm/describe.c for its members
 *
 * Configuration: GD_N_CONFIG_VALUES doubles, laid out as describe().fields say (first, n)
 *   gd_config_values() -> f64*                     the numbers to be filled; start as the defaults
 *   gd_config_default() -> i32                     writes the defaults over them
 *   gd_config_check() -> i32                       checks them; the report names field and range
 *   gd_config_preset() -> i32                      the preset with these widths; -1: custom ones
 *   gd_run_bytes(n_validation i32) -> f64          bytes that a run of these needs; < 0: -gd_status
 *
 * Runs. The run takes the numbers at gd_config_values() as its configuration, and checks them.
 *   gd_run_open(train i32, validation i32, initial i32) -> i32 handle
 *       train, validation: verified splits, which cannot be closed before the run; validation 0: it follows
 *       initial: a finished weights handle to continue from (it too stays open; velocities start
 *       at zero), or 0
 *   gd_run_step(run i32) -> i32                    one bounded piece of work: a number of
 *       describe().events (diverged: the report says which loss); a finished, diverged or stopped
 *       run: -WRONG_STATE. After the event "part" the run is within a minibatch: until that one is
 *       done the run's live weights cannot be had, and nothing can be predicted with the run
 *   gd_run_set_validation(run i32, validation i32) -> i32   it follows; before the step after "epochTrained"
 *   gd_run_validate_beside(run i32, is_on i32) -> i32   1: from now on the first thread alone trains, and another one
 *       validates each epoch but the last meanwhile (0: it cannot, or is not to); the event "validated" tells of
 *       an epoch that was validated so
 *   gd_run_stop(run i32) -> i32                    ends it for good
 *   gd_run_view(run i32, view i32) -> ptr          views: describe().runViews, by name:
 *       progress f64[describe().progress.length]; history f64[epochsDone][describe().history.length];
 *       initializationSHA256, selectedSHA256, finalSHA256 u8[32]; orderHash, gateDrawHash u32[1];
 *       validationPredictions u8[n], validationConfusion u32[100] (of the last validated epoch)
 *   gd_run_view_items(run i32, view i32) -> i32    elements there are now: 0 for a digest that is
 *       not known yet
 *   gd_run_close(run i32) -> i32                   WRONG_STATE while an evaluation of it is open
 *
 * Weights that came from outside
 *   gd_weights_open(widths u32*[7]) -> i32 handle  room for a network of that shape
 *   gd_weights_append(weights i32, values f32*, n i32) -> i32   the next n numbers, checked
 *   gd_weights_finish(weights i32) -> i32          all are there; until then nothing else works
 *   gd_weights_digest(weights i32) -> u8*[32]      after finish; 0 before
 *   gd_weights_close(weights i32) -> i32           WRONG_STATE while a run or evaluation uses it
 *
 * Models: a run or weights handle, with a checkpoint (describe().checkpoints: selected, final,
 * live; weights: any). live from INITIALIZED on; selected from the first epoch on; final once
 * finished.
 *   gd_model_n_parameters(model i32) -> i32
 *   gd_model_read(model i32, checkpoint i32, first i32, n i32, out f32*) -> i32
 *       numbers first.. of the canonical sequence
 *   gd_model_row(model i32, checkpoint i32, layer i32, row i32, out f32*) -> i32 numbers written
 *       one unit's incoming weights: layer 0 is a 28 x 28 picture
 *   gd_model_predict(model i32, checkpoint i32, mask i32, pixels u8*[784], probabilities f32*[10])
 *       -> i32 digit (mask: branches that take part, 15 = full depth)
 *   gd_model_activation(model i32, layer i32, out f32*) -> i32 numbers written
 *       h of layer 0..4 in the last gd_model_predict of this model; WRONG_STATE after anything else
 *
 * Evaluations of a model on a split, in chunks
 *   gd_evaluation_open(model i32, checkpoint i32, mask i32, split i32) -> i32 handle
 *       of a run: only once it is finished
 *   gd_evaluation_step(evaluation i32) -> i32      images left; 0: complete
 *   gd_evaluation_view(evaluation i32, view i32) -> ptr   describe().evaluationViews, by name:
 *       summary f64[describe().summary.length] (n, done, errors, accuracy, crossEntropy);
 *       confusion u32[true][predicted]; perDigit u32[10][2] (images, right); predictions u8[n];
 *       probabilities f32[n][10]
 *   gd_evaluation_view_items(evaluation i32, view i32) -> i32
 *   gd_evaluation_close(evaluation i32) -> i32
 *
 * Plans
 *   gd_plan_masks(plan i32, order i32, mask f64, out u32*[5]) -> i32 masks
 *       plan: number in describe().plans; order: number in describe().orders
 *   gd_plan_order_index(order u8*[4]) -> i32       number of an order
 *   gd_plan_grid(p f64*, n_p i32, masks f64*, n_masks i32, seeds f64*, n_seeds i32,
 *                out f64*[100][3]) -> i32 runs, each p, mask, seed
 *   gd_plan_is_nested(masks u32*, n i32) -> i32    1: a line may join these points, in this order
 *
 * Comparison
 *   gd_identity(which i32) -> ptr                  two structs to fill, 0 baseline, 1 treatment, laid
 *       out as describe().identity says: values f64[...], isFused u32, initializationSHA256 u8[32]
 *   gd_compare_identities() -> i32                 0, or -NOT_COMPARABLE with the field in the report
 *   gd_compare_predictions(labels u8*, baseline u8*, treatment u8*, n i32, outcomes u8*,
 *                          counts u32*[4]) -> i32  outcomes: numbers in describe().outcomes
 *   gd_compare_mcnemar(harmed i32, repaired i32) -> f64   exact, two-sided
 *
 * Statistics
 *   gd_statistics_summarize(values f64*, n i32, out f64*[describe().statistics.summary.length])
 *   gd_statistics_pair(baseline f64*, treatment f64*, n i32, differences f64*[n],
 *                      out f64*[describe().statistics.paired.length])
 *       both -> i32 0
 *
 * Machine
 *   gd_self_check() -> i32                         every fast kernel against its reference; OK or
 *       -KERNEL_MISMATCH: this build computes wrongly here, take another
 *   gd_threads(n i32) -> i32 threads               from now on n threads share each step's work
 *       (1..16; -WRONG_STATE: this build has one). Changes speed, never a bit of a result. All but
 *       the first are JavaScript's workers: each starts this module over the same memory and calls
 *   gd_thread_serve(stack ptr, index i32)          never returns: the worker is thread `index`, 1..15
 *   gd_thread_stack() -> ptr                       a stack for it, to be asked for by the first
 *       thread; NULL: OUT_OF_MEMORY
 *   gd_threads_use(n i32) -> i32 threads           only n of them share it until further notice (1..as
 *       many as were started); the others sleep
 */
/* clang-format on */
#include "lab/config.h"
#include "wasm/model.h"

#include <string.h>

static double config_values[GD_N_CONFIG_VALUES];
static int has_config;

/* ---- Configuration ---- */

GD_EXPORT(double *, config_values, (void)) {
  if (!has_config) {
    gd_config_defaults(config_values);
    has_config = 1;
  }
  return config_values;
}

GD_EXPORT(int32_t, config_default, (void)) {
  gd_config_defaults(config_values);
  has_config = 1;
  return gd_result(GD_OK);
}

static gd_status check_config(gd_config *config) {
  return gd_config_check(js_config_values(), config, gd_last_report());
}

GD_EXPORT(int32_t, config_check, (void)) {
  gd_config config;
  return gd_result(check_config(&config));
}

GD_EXPORT(int32_t, config_preset, (void)) {
  gd_config config;
  return check_config(&config) == GD_OK ? gd_preset_of(&config.shape) : -1;
}

/* ---- Runs ---- */

gd_status gd_images_get(int32_t handle, gd_images *out) {
  gd_split *split = gd_handle_get(GD_HANDLE_SPLIT, handle);
  if (split == NULL) {
    return GD_STALE_HANDLE;
  }
  if (split->state != GD_SPLIT_VERIFIED) {
    return gd_report_fault(gd_last_report(), GD_WRONG_STATE, GD_NO_OFFSET, split->expected.id,
                           "a verified split", "one that is not");
  }
  *out = (gd_images){gd_split_pixels(split), gd_split_labels(split), split->layout.n_images};
  return GD_OK;
}

/* The wrapper's place in the block, before the run. */
static gd_status add_wrapper(uint64_t run_bytes, size_t *bytes) {
  size_t wrapper = sizeof(gd_run_object) + GD_ARENA_ALIGNMENT;
  if (run_bytes > SIZE_MAX - wrapper) {
    return gd_report_numbers(gd_last_report(), GD_SIZE_OVERFLOW, GD_NO_OFFSET, "bytes of memory",
                             SIZE_MAX, run_bytes);
  }
  *bytes = (size_t)run_bytes + wrapper;
  return GD_OK;
}

static gd_status measure_run(uint32_t n_validation, gd_config *config, size_t *bytes) {
  uint64_t run_bytes = 0;
  gd_status status = check_config(config);
  if (status == GD_OK) {
    status = gd_run_bytes(config, n_validation, &run_bytes, gd_last_report());
  }
  return status == GD_OK ? add_wrapper(run_bytes, bytes) : status;
}

GD_EXPORT(double, run_bytes, (uint32_t n_validation)) {
  gd_config config;
  size_t bytes = 0;
  gd_status status = measure_run(n_validation, &config, &bytes);
  return status == GD_OK ? (double)bytes : (double)gd_result(status);
}

/* Lays the run out in a block of its own; the block starts with the wrapper. */
static gd_status create_run(const gd_images *train, const gd_images *validation,
                            const gd_parameters *initial, gd_run_object **out) {
  gd_config config;
  size_t bytes = 0;
  uint32_t n_validation = validation == NULL ? GD_MAX_VALIDATION : validation->n_images;
  gd_status status = measure_run(n_validation, &config, &bytes);
  if (status != GD_OK) {
    return status;
  }
  void *block = gd_block_allocate(bytes);
  if (block == NULL) {
    return GD_OUT_OF_MEMORY;
  }
  gd_arena arena;
  gd_arena_init(&arena, block, bytes);
  gd_run_object *object = gd_arena_take(&arena, 1, sizeof *object);
  memset(object, 0, sizeof *object);
  status =
      gd_run_create(&arena, &config, train, validation, initial, &object->run, gd_last_report());
  if (status != GD_OK) {
    gd_block_free(block);
    return status;
  }
  *out = object;
  return GD_OK;
}

GD_EXPORT(int32_t, run_open, (int32_t train, int32_t validation, int32_t initial)) {
  gd_images train_images;
  gd_images validation_images;
  gd_run_object *object = NULL;
  gd_weights_object *weights = NULL;
  gd_status status = gd_images_get(train, &train_images);
  if (status == GD_OK && validation != 0) {
    status = gd_images_get(validation, &validation_images);
  }
  if (status == GD_OK && initial != 0) {
    weights = gd_weights_get(initial);
    status = weights == NULL ? gd_last_report()->status : GD_OK;
  }
  if (status == GD_OK) {
    status = create_run(&train_images, validation == 0 ? NULL : &validation_images,
                        weights == NULL ? NULL : &weights->parameters, &object);
  }
  if (status != GD_OK) {
    return gd_result(status);
  }
  int32_t handle = gd_handle_open(GD_HANDLE_RUN, object);
  if (handle < 0) {
    gd_block_free(object);
    return handle;
  }
  object->train = train;
  object->validation = validation;
  object->initial = initial;
  gd_handle_hold(train);
  if (validation != 0) {
    gd_handle_hold(validation);
  }
  if (initial != 0) {
    gd_handle_hold(initial);
  }
  return handle;
}

gd_run_object *gd_run_get(int32_t handle) {
  return gd_handle_get(GD_HANDLE_RUN, handle);
}

GD_EXPORT(int32_t, run_step, (int32_t handle)) {
  gd_run_object *object = gd_run_get(handle);
  gd_run_event event = GD_EVENT_MINIBATCH;
  if (object == NULL) {
    return gd_result(GD_STALE_HANDLE);
  }
  object->has_prediction = 0;
  gd_status status = gd_run_step(object->run, gd_engine_pool(), &event, gd_last_report());
  return status == GD_OK ? (int32_t)event : gd_result(status);
}

GD_EXPORT(int32_t, run_set_validation, (int32_t handle, int32_t validation)) {
  gd_run_object *object = gd_run_get(handle);
  gd_images images;
  if (object == NULL) {
    return gd_result(GD_STALE_HANDLE);
  }
  gd_status status = gd_images_get(validation, &images);
  if (status == GD_OK) {
    status = gd_run_set_validation(object->run, &images, gd_last_report());
  }
  if (status == GD_OK) {
    object->validation = validation;
    gd_handle_hold(validation);
  }
  return gd_result(status);
}

GD_EXPORT(int32_t, run_validate_beside, (int32_t handle, int32_t is_on)) {
  gd_run_object *object = gd_run_get(handle);
  return object == NULL ? gd_result(GD_STALE_HANDLE)
                        : gd_run_validate_beside(object->run, gd_engine_pool(), is_on);
}

GD_EXPORT(int32_t, run_stop, (int32_t handle)) {
  gd_run_object *object = gd_run_get(handle);
  if (object == NULL) {
    return gd_result(GD_STALE_HANDLE);
  }
  gd_run_stop(object->run);
  return gd_result(GD_OK);
}

typedef enum run_view_id {
#define VIEW_ENUM(name, id, type) RUN_VIEW_##name,
  GD_RUN_VIEWS(VIEW_ENUM)
#undef VIEW_ENUM
} run_view_id;

/* A digest that is known, or nothing. */
static gd_view view_digest(const uint8_t *sha256, int is_known) {
  return (gd_view){sha256, is_known ? GD_SHA256_BYTES : 0};
}

static gd_view view_run(const gd_run *run, int32_t id) {
  const gd_progress *progress = &run->progress;
  int is_finished = gd_run_state_of(run) == GD_RUN_FINISHED;
  switch ((run_view_id)id) {
  case RUN_VIEW_PROGRESS:
    return (gd_view){progress, sizeof *progress / sizeof(double)};
  case RUN_VIEW_HISTORY:
    return (gd_view){run->history, (uint32_t)progress->epochs_done *
                                       (uint32_t)(sizeof *run->history / sizeof(double))};
  case RUN_VIEW_INITIALIZATION_SHA256:
    return view_digest(run->initialization_sha256, progress->epoch > 0);
  case RUN_VIEW_SELECTED_SHA256:
    return view_digest(run->selected_sha256, is_finished);
  case RUN_VIEW_FINAL_SHA256:
    return view_digest(run->final_sha256, is_finished);
  case RUN_VIEW_ORDER_HASH:
    return (gd_view){&run->order_hash, 1};
  case RUN_VIEW_GATE_DRAW_HASH:
    return (gd_view){&run->gate_draw_hash, 1};
  case RUN_VIEW_VALIDATION_PREDICTIONS:
    return (gd_view){run->validation.predictions, run->validation.n_done};
  case RUN_VIEW_VALIDATION_CONFUSION:
    return (gd_view){run->validation.confusion, GD_N_CLASSES * GD_N_CLASSES};
  }
  gd_report_numbers(gd_last_report(), GD_FIELD_NOT_LISTED, GD_NO_OFFSET, "view",
                    RUN_VIEW_VALIDATION_CONFUSION, (uint64_t)id);
  return (gd_view){NULL, 0};
}

GD_EXPORT(const void *, run_view, (int32_t handle, int32_t id)) {
  gd_run_object *object = gd_run_get(handle);
  return object == NULL ? NULL : view_run(object->run, id).items;
}

GD_EXPORT(int32_t, run_view_items, (int32_t handle, int32_t id)) {
  gd_run_object *object = gd_run_get(handle);
  if (object == NULL) {
    return gd_result(GD_STALE_HANDLE);
  }
  gd_view view = view_run(object->run, id);
  return view.items == NULL ? gd_result(GD_FIELD_NOT_LISTED) : (int32_t)view.n_items;
}

GD_EXPORT(int32_t, run_close, (int32_t handle)) {
  gd_pool_end(gd_engine_pool()); /* a thread may be at work for it */
  gd_run_object *object = gd_handle_close(GD_HANDLE_RUN, handle);
  if (object == NULL) {
    return gd_result(gd_last_report()->status);
  }
  gd_handle_release(object->train);
  if (object->validation != 0) {
    gd_handle_release(object->validation);
  }
  if (object->initial != 0) {
    gd_handle_release(object->initial);
  }
  gd_block_free(object);
  return gd_result(GD_OK);
}
