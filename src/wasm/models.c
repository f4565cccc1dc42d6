/* The engine's exports for weights, models and evaluations: see src/wasm/engine.c for the list. */
#include "lab/evaluation.h"
#include "wasm/model.h"

#include <string.h>

/* ---- Weights ---- */

static gd_status lay_out_weights(gd_arena *arena, const gd_shape *shape,
                                 gd_weights_object *object) {
  gd_status status = gd_parameters_take(arena, shape, &object->parameters);
  if (status != GD_OK) {
    return status;
  }
  return gd_workspace_take(arena, shape, GD_EVALUATION_CHUNK, 0, &object->workspace);
}

static gd_status create_weights(const gd_shape *shape, gd_weights_object **out) {
  gd_report *report = gd_last_report();
  gd_weights_object scratch;
  gd_arena arena;
  gd_status status = gd_shape_check(shape, report);
  if (status != GD_OK) {
    return status;
  }
  gd_arena_init_measuring(&arena);
  gd_arena_take(&arena, 1, sizeof scratch);
  status = lay_out_weights(&arena, shape, &scratch);
  if (status != GD_OK) {
    return gd_report_fault(report, GD_SIZE_OVERFLOW, GD_NO_OFFSET, "weights", "", "");
  }
  size_t bytes = arena.used;
  void *block = gd_block_allocate(bytes);
  if (block == NULL) {
    return GD_OUT_OF_MEMORY;
  }
  gd_arena_init(&arena, block, bytes);
  gd_weights_object *object = gd_arena_take(&arena, 1, sizeof *object);
  memset(object, 0, sizeof *object);
  status = lay_out_weights(&arena, shape, object);
  if (status != GD_OK) {
    gd_block_free(block);
    return gd_report_fault(report, status, GD_NO_OFFSET, "weights", "", "");
  }
  gd_weights_import_start(&object->import, &object->parameters);
  *out = object;
  return GD_OK;
}

GD_EXPORT(int32_t, weights_open, (const uint32_t *widths)) {
  gd_shape shape;
  gd_weights_object *object = NULL;
  memcpy(shape.widths, widths, sizeof shape.widths);
  gd_status status = create_weights(&shape, &object);
  if (status != GD_OK) {
    return gd_result(status);
  }
  int32_t handle = gd_handle_open(GD_HANDLE_WEIGHTS, object);
  if (handle < 0) {
    gd_block_free(object);
  }
  return handle;
}

static gd_status report_weights(const char *expected, const char *found) {
  return gd_report_fault(gd_last_report(), GD_WRONG_STATE, GD_NO_OFFSET, "weights", expected,
                         found);
}

/* Weights that still take numbers. */
static gd_status get_open_weights(int32_t handle, gd_weights_object **out) {
  gd_weights_object *object = gd_handle_get(GD_HANDLE_WEIGHTS, handle);
  if (object == NULL) {
    return GD_STALE_HANDLE;
  }
  if (object->is_finished || object->is_refused) {
    return report_weights("weights that are still arriving",
                          object->is_finished ? "complete ones" : "refused ones");
  }
  *out = object;
  return GD_OK;
}

GD_EXPORT(int32_t, weights_append, (int32_t handle, const float *values, uint32_t n)) {
  gd_weights_object *object = NULL;
  gd_status status = get_open_weights(handle, &object);
  if (status == GD_OK) {
    status = gd_weights_import_append(&object->import, values, n, gd_last_report());
    object->is_refused = status != GD_OK;
  }
  return gd_result(status);
}

GD_EXPORT(int32_t, weights_finish, (int32_t handle)) {
  gd_weights_object *object = NULL;
  gd_status status = get_open_weights(handle, &object);
  if (status == GD_OK) {
    status = gd_weights_import_finish(&object->import, object->sha256, gd_last_report());
    object->is_finished = status == GD_OK;
  }
  return gd_result(status);
}

gd_weights_object *gd_weights_get(int32_t handle) {
  gd_weights_object *object = gd_handle_get(GD_HANDLE_WEIGHTS, handle);
  if (object != NULL && !object->is_finished) {
    report_weights("complete weights", "weights that are still arriving");
    return NULL;
  }
  return object;
}

GD_EXPORT(const uint8_t *, weights_digest, (int32_t handle)) {
  gd_weights_object *object = gd_weights_get(handle);
  return object == NULL ? NULL : object->sha256;
}

GD_EXPORT(int32_t, weights_close, (int32_t handle)) {
  gd_weights_object *object = gd_handle_close(GD_HANDLE_WEIGHTS, handle);
  gd_block_free(object);
  return gd_result(object == NULL ? gd_last_report()->status : GD_OK);
}

/* ---- Models ---- */

gd_status gd_model_get(int32_t handle, int32_t checkpoint, gd_model *out) {
  gd_run_object *run = gd_run_get(handle);
  if (run != NULL) {
    out->workspace = run->run->progress.step_part == 0 ? run->run->workspace : NULL;
    out->row = run->run->row;
    out->has_prediction = &run->has_prediction;
    return gd_run_checkpoint(run->run, (gd_checkpoint)checkpoint, &out->parameters,
                             gd_last_report());
  }
  gd_weights_object *weights = gd_weights_get(handle);
  if (weights == NULL) {
    return gd_last_report()->status;
  }
  out->parameters = &weights->parameters;
  out->workspace = weights->workspace;
  out->row = weights->import.row; /* of no further use to the import */
  out->has_prediction = &weights->has_prediction;
  return GD_OK;
}

gd_status gd_mask_check(int32_t mask) {
  return gd_field_check(GD_FIELD_MASK, mask, gd_last_report());
}

GD_EXPORT(int32_t, model_n_parameters, (int32_t handle)) {
  gd_run_object *run = gd_run_get(handle);
  if (run != NULL) {
    return (int32_t)gd_shape_n_parameters(&run->run->config.shape);
  }
  gd_weights_object *weights = gd_handle_get(GD_HANDLE_WEIGHTS, handle);
  return weights == NULL ? gd_result(GD_STALE_HANDLE)
                         : (int32_t)gd_shape_n_parameters(&weights->parameters.shape);
}

GD_EXPORT(int32_t, model_read,
          (int32_t handle, int32_t checkpoint, uint32_t first, uint32_t n, float *out)) {
  gd_model model;
  gd_status status = gd_model_get(handle, checkpoint, &model);
  if (status == GD_OK) {
    status = gd_weights_read(model.parameters, model.row, first, n, out, gd_last_report());
  }
  return gd_result(status);
}

static gd_status report_index(const char *subject, uint32_t n, uint32_t found) {
  return gd_report_numbers(gd_last_report(), GD_FIELD_OUT_OF_RANGE, GD_NO_OFFSET, subject, n - 1,
                           found);
}

GD_EXPORT(int32_t, model_row,
          (int32_t handle, int32_t checkpoint, uint32_t layer, uint32_t row, float *out)) {
  gd_model model;
  gd_status status = gd_model_get(handle, checkpoint, &model);
  if (status != GD_OK) {
    return gd_result(status);
  }
  const uint32_t *widths = model.parameters->shape.widths;
  if (layer >= GD_N_LAYERS) {
    return gd_result(report_index("layer", GD_N_LAYERS, layer));
  }
  if (row >= widths[layer + 1]) {
    return gd_result(report_index("row", widths[layer + 1], row));
  }
  gd_parameters_read_row(model.parameters, layer, row, out);
  return (int32_t)widths[layer];
}

GD_EXPORT(int32_t, model_predict,
          (int32_t handle, int32_t checkpoint, int32_t mask, const uint8_t *pixels,
           float *probabilities)) {
  gd_model model;
  gd_status status = gd_model_get(handle, checkpoint, &model);
  if (status == GD_OK && model.workspace == NULL) {
    status = gd_report_fault(gd_last_report(), GD_WRONG_STATE, GD_NO_OFFSET, "run",
                             "a run between two minibatches", "one within a minibatch");
  }
  if (status == GD_OK) {
    status = gd_mask_check(mask);
  }
  if (status != GD_OK) {
    return gd_result(status);
  }
  float logits[GD_N_CLASSES];
  gd_minibatch minibatch = {.pixels = pixels, .n_images = 1};
  gd_network_forward(model.parameters, model.workspace, gd_engine_pool(), &minibatch,
                     (unsigned)mask, logits);
  gd_softmax_cross_entropy(logits, 0, probabilities);
  *model.has_prediction = 1;
  return (int32_t)gd_argmax(logits);
}

GD_EXPORT(int32_t, model_activation, (int32_t handle, uint32_t layer, float *out)) {
  gd_model model;
  gd_status status = gd_model_get(handle, GD_CHECKPOINT_LIVE, &model);
  if (status != GD_OK) {
    return gd_result(status);
  }
  if (!*model.has_prediction) {
    return gd_result(gd_report_fault(gd_last_report(), GD_WRONG_STATE, GD_NO_OFFSET, "activation",
                                     "a prediction just before", "none"));
  }
  if (layer >= GD_N_LAYERS - 1) {
    return gd_result(report_index("layer", GD_N_LAYERS - 1, layer));
  }
  gd_workspace_read_activation(model.workspace, layer, 0, out);
  return (int32_t)model.parameters->shape.widths[layer + 1];
}

/* ---- Evaluations ---- */

typedef struct evaluation_object {
  gd_evaluation evaluation;
  gd_model model;
  int32_t model_handle;
  int32_t split;
  struct {
#define SUMMARY_FIELD(name, id) double name;
    GD_EVALUATION_SUMMARY(SUMMARY_FIELD)
#undef SUMMARY_FIELD
  } summary;
  uint32_t per_digit[GD_N_CLASSES][2];
} evaluation_object;

static gd_status create_evaluation(uint32_t n_images, evaluation_object **out) {
  gd_arena arena;
  gd_evaluation scratch;
  gd_arena_init_measuring(&arena);
  gd_arena_take(&arena, 1, sizeof(evaluation_object));
  gd_evaluation_take(&arena, n_images, &scratch);
  size_t bytes = arena.used;
  void *block = arena.failed ? NULL : gd_block_allocate(bytes);
  if (block == NULL) {
    return GD_OUT_OF_MEMORY;
  }
  gd_arena_init(&arena, block, bytes);
  *out = gd_arena_take(&arena, 1, sizeof **out);
  memset(*out, 0, sizeof **out);
  return gd_evaluation_take(&arena, n_images, &(*out)->evaluation);
}

GD_EXPORT(int32_t, evaluation_open,
          (int32_t handle, int32_t checkpoint, int32_t mask, int32_t split)) {
  gd_model model;
  gd_images images;
  evaluation_object *object = NULL;
  gd_status status = gd_model_get(handle, checkpoint, &model);
  gd_run_object *run = gd_run_get(handle);
  if (status == GD_OK && run != NULL) {
    status = gd_run_check_testable(run->run, gd_last_report());
  }
  if (status == GD_OK) {
    status = gd_mask_check(mask);
  }
  if (status == GD_OK) {
    status = gd_images_get(split, &images);
  }
  if (status == GD_OK) {
    status = create_evaluation(images.n_images, &object);
  }
  if (status != GD_OK) {
    return gd_result(status);
  }
  int32_t evaluation = gd_handle_open(GD_HANDLE_EVALUATION, object);
  if (evaluation < 0) {
    gd_block_free(object);
    return evaluation;
  }
  object->model = model;
  object->model_handle = handle;
  object->split = split;
  gd_handle_hold(handle);
  gd_handle_hold(split);
  gd_evaluation_start(&object->evaluation, model.parameters, &images, (unsigned)mask);
  return evaluation;
}

static void summarize(evaluation_object *object) {
  const gd_evaluation *evaluation = &object->evaluation;
  uint32_t counts[GD_N_CLASSES];
  uint32_t right[GD_N_CLASSES];
  gd_evaluation_per_digit(evaluation, counts, right);
  for (int d = 0; d < GD_N_CLASSES; d++) {
    object->per_digit[d][0] = counts[d];
    object->per_digit[d][1] = right[d];
  }
  object->summary.n = evaluation->images.n_images;
  object->summary.n_done = evaluation->n_done;
  object->summary.n_errors = evaluation->n_errors;
  object->summary.accuracy = gd_evaluation_accuracy(evaluation);
  object->summary.cross_entropy = gd_evaluation_cross_entropy(evaluation);
}

static evaluation_object *get_evaluation(int32_t handle) {
  return gd_handle_get(GD_HANDLE_EVALUATION, handle);
}

GD_EXPORT(int32_t, evaluation_step, (int32_t handle)) {
  evaluation_object *object = get_evaluation(handle);
  if (object == NULL) {
    return gd_result(GD_STALE_HANDLE);
  }
  *object->model.has_prediction = 0;
  return (int32_t)gd_evaluation_step(&object->evaluation, object->model.workspace,
                                     gd_engine_pool());
}

typedef enum evaluation_view_id {
#define VIEW_ENUM(name, id, type) EVALUATION_VIEW_##name,
  GD_EVALUATION_VIEWS(VIEW_ENUM)
#undef VIEW_ENUM
} evaluation_view_id;

static gd_view view_evaluation(evaluation_object *object, int32_t id) {
  const gd_evaluation *evaluation = &object->evaluation;
  summarize(object);
  switch ((evaluation_view_id)id) {
  case EVALUATION_VIEW_SUMMARY:
    return (gd_view){&object->summary, sizeof object->summary / sizeof(double)};
  case EVALUATION_VIEW_CONFUSION:
    return (gd_view){evaluation->confusion, GD_N_CLASSES * GD_N_CLASSES};
  case EVALUATION_VIEW_PER_DIGIT:
    return (gd_view){object->per_digit, GD_N_CLASSES * 2};
  case EVALUATION_VIEW_PREDICTIONS:
    return (gd_view){evaluation->predictions, evaluation->n_done};
  case EVALUATION_VIEW_PROBABILITIES:
    return (gd_view){evaluation->probabilities, evaluation->n_done * GD_N_CLASSES};
  }
  gd_report_numbers(gd_last_report(), GD_FIELD_NOT_LISTED, GD_NO_OFFSET, "view",
                    EVALUATION_VIEW_PROBABILITIES, (uint64_t)id);
  return (gd_view){NULL, 0};
}

GD_EXPORT(const void *, evaluation_view, (int32_t handle, int32_t id)) {
  evaluation_object *object = get_evaluation(handle);
  return object == NULL ? NULL : view_evaluation(object, id).items;
}

GD_EXPORT(int32_t, evaluation_view_items, (int32_t handle, int32_t id)) {
  evaluation_object *object = get_evaluation(handle);
  if (object == NULL) {
    return gd_result(GD_STALE_HANDLE);
  }
  gd_view view = view_evaluation(object, id);
  return view.items == NULL ? gd_result(GD_FIELD_NOT_LISTED) : (int32_t)view.n_items;
}

GD_EXPORT(int32_t, evaluation_close, (int32_t handle)) {
  evaluation_object *object = gd_handle_close(GD_HANDLE_EVALUATION, handle);
  if (object == NULL) {
    return gd_result(gd_last_report()->status);
  }
  gd_handle_release(object->model_handle);
  gd_handle_release(object->split);
  gd_block_free(object);
  return gd_result(GD_OK);
}
