/* What the engine's exports share: runs and weights behind their handles, and models, which are
 * either of the two. */
#ifndef GD_WASM_MODEL_H
#define GD_WASM_MODEL_H

#include "lab/run.h"
#include "lab/weights.h"
#include "nn/network.h"
#include "wasm/common.h"

/* A run and the handles that it holds open. */
typedef struct gd_run_object {
  gd_run *run;
  int32_t train;
  int32_t validation;
  int32_t initial;    /* 0: none */
  int has_prediction; /* the workspace's activations are those of the last gd_model_predict */
} gd_run_object;

/* Weights that came from outside, and what is needed to use them. */
typedef struct gd_weights_object {
  gd_parameters parameters;
  gd_workspace *workspace;
  int is_refused; /* a number was not finite, or one too many */
  int is_finished;
  int has_prediction;
  uint8_t sha256[GD_SHA256_BYTES];
  gd_weights_import import;
} gd_weights_object;

/* A checkpoint of a run, or weights, with room to work in: all of it borrowed. */
typedef struct gd_model {
  const gd_parameters *parameters;
  gd_workspace *workspace; /* GD_EVALUATION_CHUNK images; NULL while a run is in a minibatch */
  float *row;              /* (GD_MAX_WIDTH) */
  int *has_prediction;
} gd_model;

/* The verified split behind a handle, as images: STALE_HANDLE, WRONG_STATE. */
gd_status gd_images_get(int32_t split, gd_images *out);

/* The object of a run's handle; NULL with STALE_HANDLE in the last report. */
gd_run_object *gd_run_get(int32_t handle);

/* The finished weights behind a handle; NULL with STALE_HANDLE or WRONG_STATE in the last report.
 */
gd_weights_object *gd_weights_get(int32_t handle);

/* The model behind a run's or weights' handle. `checkpoint` matters for a run alone. STALE_HANDLE,
 * or WRONG_STATE for weights that are not there yet. */
gd_status gd_model_get(int32_t handle, int32_t checkpoint, gd_model *out);

/* Whether a mask of branches is one: the fault of the field "mask" otherwise. */
gd_status gd_mask_check(int32_t mask);

/* The threads of gd_threads; NULL: the caller's alone. */
gd_pool *gd_engine_pool(void);

/* Views: an array that JavaScript looks at in place. */
typedef struct gd_view {
  const void *items;
  uint32_t n_items;
} gd_view;

/* GD_RUN_VIEWS(X): X(NAME, id, element type). */
#define GD_RUN_VIEWS(X)                                                                            \
  X(PROGRESS, "progress", "f64")                                                                   \
  X(HISTORY, "history", "f64")                                                                     \
  X(INITIALIZATION_SHA256, "initializationSHA256", "u8")                                           \
  X(SELECTED_SHA256, "selectedSHA256", "u8")                                                       \
  X(FINAL_SHA256, "finalSHA256", "u8")                                                             \
  X(ORDER_HASH, "orderHash", "u32")                                                                \
  X(GATE_DRAW_HASH, "gateDrawHash", "u32")                                                         \
  X(VALIDATION_PREDICTIONS, "validationPredictions", "u8")                                         \
  X(VALIDATION_CONFUSION, "validationConfusion", "u32")

#define GD_EVALUATION_VIEWS(X)                                                                     \
  X(SUMMARY, "summary", "f64")                                                                     \
  X(CONFUSION, "confusion", "u32")                                                                 \
  X(PER_DIGIT, "perDigit", "u32")                                                                  \
  X(PREDICTIONS, "predictions", "u8")                                                              \
  X(PROBABILITIES, "probabilities", "f32")

/* Columns of the evaluation's summary. */
#define GD_EVALUATION_SUMMARY(X)                                                                   \
  X(n, "n")                                                                                        \
  X(n_done, "done")                                                                                \
  X(n_errors, "errors")                                                                            \
  X(accuracy, "accuracy")                                                                          \
  X(cross_entropy, "crossEntropy")

#endif
