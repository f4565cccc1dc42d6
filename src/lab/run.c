#include "lab/run.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* Numbers of one slice of drawing or hashing weights: some milliseconds of work. */
#define SLICE_VALUES (UINT64_C(1) << 18)

/* A minibatch with more products than this (parameters x images; each stands for three
 * multiplications) is trained in parts: some tens of milliseconds of work. */
#define MAX_STEP_PRODUCTS (UINT64_C(1) << 27)

/* Sets what the next step will do, and how much of it there is. */
static void enter(gd_run *run, gd_run_state state, double part_total) {
  run->progress.state = state;
  run->progress.part_done = 0;
  run->progress.part_total = part_total;
}

gd_run_state gd_run_state_of(const gd_run *run) {
  return (gd_run_state)run->progress.state;
}

/* Starts the digest of a checkpoint, or of the initial weights. */
static void start_digest(gd_run *run) {
  gd_sha256_init(&run->sha);
  run->cursor = (gd_weights_cursor){0, 0};
}

static void start_epoch(gd_run *run) {
  uint32_t n = run->config.n_train;
  gd_random_shuffle(&run->random_order, run->order, n);
  for (uint32_t i = 0; i < n; i++) {
    run->order_hash = gd_hash_add(run->order_hash, run->order[i]);
  }
  run->progress.epoch += 1;
  run->progress.minibatch = 0;
  run->progress.epoch_loss = 0;
  run->epoch_loss_sum = 0;
  run->epoch_images = 0;
  enter(run, GD_RUN_TRAINING, run->progress.minibatches);
}

static gd_run_event initialize(gd_run *run) {
  if (run->initial == NULL) {
    run->progress.part_done += (double)gd_weights_draw(
        &run->live, &run->cursor, run->row, SLICE_VALUES, &run->random_initialization, &run->sha);
  } else {
    if (run->progress.part_done == 0) {
      gd_parameters_copy(&run->live, run->initial);
    }
    run->progress.part_done +=
        (double)gd_weights_hash(&run->live, &run->cursor, run->row, SLICE_VALUES, &run->sha);
  }
  if (run->cursor.layer < GD_N_LAYERS) {
    return GD_EVENT_INITIALIZING;
  }
  gd_sha256_read(&run->sha, run->initialization_sha256);
  start_epoch(run);
  return GD_EVENT_INITIALIZED;
}

/* Draws one number a branch, eligible or not; says which branches the minibatch skips. */
static void start_minibatch(gd_run *run) {
  const gd_config *config = &run->config;
  run->step = (gd_step){.learning_rate = (float)config->learning_rate, .momentum = GD_MOMENTUM};
  for (unsigned j = 0; j < GD_N_BRANCHES; j++) {
    int is_eligible = (config->mask >> j & 1u) != 0;
    run->gate_draws[j] = gd_random_next(&run->random_gates);
    if (is_eligible && gd_random_unit(run->gate_draws[j]) < config->drop_probability) {
      run->step.skipped |= 1u << j;
    }
    run->step.gain[j] = is_eligible ? (float)(1 / (1 - config->drop_probability)) : 1;
  }
}

/* What a trained minibatch adds to the gates' figures. */
static void count_gates(gd_run *run) {
  gd_progress *progress = &run->progress;
  double *draws[GD_N_BRANCHES] = {&progress->draw_1, &progress->draw_2, &progress->draw_3,
                                  &progress->draw_4};
  double *skips[GD_N_BRANCHES] = {&progress->skips_1, &progress->skips_2, &progress->skips_3,
                                  &progress->skips_4};
  for (unsigned j = 0; j < GD_N_BRANCHES; j++) {
    run->gate_draw_hash = gd_hash_add(run->gate_draw_hash, run->gate_draws[j]);
    *draws[j] = gd_random_unit(run->gate_draws[j]);
    *skips[j] += run->step.skipped >> j & 1u;
  }
  progress->skipped = run->step.skipped;
  progress->gated_minibatches += 1;
}

static gd_run_event diverge(gd_run *run, const char *loss_name, double loss, gd_report *report) {
  char found[GD_TEXT_F64_BYTES];
  gd_text_f64(found, loss);
  gd_report_fault(report, GD_DIVERGED, GD_NO_OFFSET, loss_name, "a finite number", found);
  run->progress.state = GD_RUN_DIVERGED;
  return GD_EVENT_DIVERGED;
}

/* Whether a minibatch takes longer than a step of the run should. */
static int is_large(const gd_config *config) {
  return gd_shape_n_parameters(&config->shape) * config->batch > MAX_STEP_PRODUCTS;
}

/* The next part of the minibatch, or all of it. Returns whether it is done; its loss then. */
static int train_minibatch(gd_run *run, gd_pool *pool, const gd_minibatch *minibatch,
                           double *loss) {
  if (run->progress.step_part == 0) {
    start_minibatch(run);
  }
  if (!is_large(&run->config)) {
    *loss =
        gd_network_step(&run->live, &run->velocities, run->workspace, pool, minibatch, &run->step);
    return 1;
  }
  unsigned part = (unsigned)run->progress.step_part;
  *loss = gd_network_step_part(&run->live, &run->velocities, run->workspace, pool, minibatch,
                               &run->step, part);
  run->progress.step_part = (part + 1) % GD_N_STEP_PARTS;
  return run->progress.step_part == 0;
}

static gd_run_event train(gd_run *run, gd_pool *pool, gd_report *report) {
  const gd_config *config = &run->config;
  gd_progress *progress = &run->progress;
  uint32_t n_left = config->n_train - run->epoch_images;
  uint32_t n = n_left < config->batch ? n_left : config->batch;
  gd_minibatch minibatch = {.pixels = run->train.pixels,
                            .labels = run->train.labels,
                            .order = run->order + run->epoch_images,
                            .n_images = n};
  double loss;
  if (!train_minibatch(run, pool, &minibatch, &loss)) {
    return GD_EVENT_PART;
  }
  count_gates(run);
  progress->minibatch += 1;
  progress->last_images = n;
  progress->images += n;
  progress->loss = loss;
  progress->part_done = progress->minibatch;
  if (!isfinite(loss)) {
    return diverge(run, "training loss", loss, report);
  }
  run->epoch_loss_sum += loss * n;
  run->epoch_images += n;
  progress->epoch_loss = run->epoch_loss_sum / run->epoch_images;
  if (run->epoch_images < config->n_train) {
    return GD_EVENT_MINIBATCH;
  }
  gd_velocities_settle(&run->velocities);
  enter(run, GD_RUN_VALIDATING, run->validation_images.n_images);
  run->epoch_mark = (gd_run_mark){*progress, run->order_hash, run->gate_draw_hash};
  return GD_EVENT_EPOCH_TRAINED;
}

static void start_hashing(gd_run *run, gd_checkpoint checkpoint) {
  run->hashing = checkpoint;
  start_digest(run);
  enter(run, GD_RUN_HASHING, (double)gd_shape_n_parameters(&run->config.shape));
}

/* The row of an epoch. Returns whether no earlier epoch was as good: its weights become the selected ones then. */
static int record_epoch(gd_run *run, const gd_run_mark *mark, double cross_entropy) {
  gd_progress *progress = &run->progress;
  uint32_t n_rows = (uint32_t)progress->epochs_done;
  uint32_t selected = (uint32_t)progress->selected_epoch;
  run->history[n_rows] =
      (gd_history_row){.training_loss = mark->progress.epoch_loss,
                       .validation_accuracy = gd_evaluation_accuracy(&run->validation),
                       .validation_cross_entropy = cross_entropy};
  progress->epochs_done = n_rows + 1;
  if (selected != 0 && cross_entropy >= run->history[selected - 1].validation_cross_entropy) {
    return 0;
  }
  progress->selected_epoch = n_rows + 1;
  return 1;
}

static gd_run_event validate(gd_run *run, gd_pool *pool, gd_report *report) {
  if (run->progress.part_done == 0) {
    gd_evaluation_start(&run->validation, &run->live, &run->validation_images, GD_ALL_BRANCHES);
  }
  uint32_t n_left = gd_evaluation_step(&run->validation, run->workspace, pool);
  run->progress.part_done = run->validation.n_done;
  if (n_left > 0) {
    return GD_EVENT_VALIDATING;
  }
  double cross_entropy = gd_evaluation_cross_entropy(&run->validation);
  if (!isfinite(cross_entropy)) {
    return diverge(run, "validation loss", cross_entropy, report);
  }
  if (record_epoch(run, &run->epoch_mark, cross_entropy)) {
    gd_parameters_copy(&run->selected, &run->live);
  }
  if (run->progress.epochs_done == run->config.n_epochs) {
    start_hashing(run, GD_CHECKPOINT_SELECTED);
  } else {
    start_epoch(run);
  }
  return GD_EVENT_EPOCH;
}

/* The end of a validation beside training. A run that diverges by it stands where it stood when that epoch ended, so that how
 * far the next one has come leaves no trace. */
static gd_run_event end_beside(gd_run *run, gd_pool *pool, gd_report *report) {
  gd_beside_end(&run->beside, pool);
  gd_evaluation validated = run->beside.evaluation;
  run->beside.evaluation = run->validation;
  run->validation = validated;
  double cross_entropy = gd_evaluation_cross_entropy(&run->validation);
  if (!isfinite(cross_entropy)) {
    run->progress = run->beside_mark.progress;
    run->progress.part_done = run->validation.n_done;
    run->order_hash = run->beside_mark.order_hash;
    run->gate_draw_hash = run->beside_mark.gate_draw_hash;
    return diverge(run, "validation loss", cross_entropy, report);
  }
  if (record_epoch(run, &run->beside_mark, cross_entropy)) {
    gd_parameters copy = run->beside.weights;
    run->beside.weights = run->selected;
    run->selected = copy;
  }
  return GD_EVENT_VALIDATED;
}

/* Whether the epoch that has just been trained is validated beside the next one. */
static int is_for_beside(const gd_run *run, const gd_pool *pool) {
  return run->validates_beside && run->progress.epoch < run->config.n_epochs &&
         run->progress.part_done == 0 && gd_beside_is_possible(&run->beside, pool);
}

static gd_run_event hash(gd_run *run) {
  int is_selected = run->hashing == GD_CHECKPOINT_SELECTED;
  const gd_parameters *parameters = is_selected ? &run->selected : &run->live;
  run->progress.part_done +=
      (double)gd_weights_hash(parameters, &run->cursor, run->row, SLICE_VALUES, &run->sha);
  if (run->cursor.layer < GD_N_LAYERS) {
    return GD_EVENT_HASHING;
  }
  if (!is_selected) {
    gd_sha256_read(&run->sha, run->final_sha256);
  } else {
    gd_sha256_read(&run->sha, run->selected_sha256);
    if (run->progress.selected_epoch != run->config.n_epochs) {
      start_hashing(run, GD_CHECKPOINT_FINAL);
      return GD_EVENT_HASHING;
    }
    memcpy(run->final_sha256, run->selected_sha256, sizeof run->final_sha256);
  }
  run->progress.state = GD_RUN_FINISHED;
  return GD_EVENT_FINISHED;
}

static gd_status report_state(const gd_run *run, const char *expected, gd_report *report) {
  static const char *const ids[GD_N_RUN_STATES] = {
#define STATE_ID(name, id) id,
      GD_RUN_STATES(STATE_ID)
#undef STATE_ID
  };
  return gd_report_fault(report, GD_WRONG_STATE, GD_NO_OFFSET, "run", expected,
                         ids[gd_run_state_of(run)]);
}

/* Whether the validation under way is to be ended by this step. */
static int is_beside_due(const gd_run *run, const gd_pool *pool) {
  return run->beside.is_under_way &&
         (!run->validates_beside || gd_run_state_of(run) == GD_RUN_VALIDATING ||
          gd_beside_is_done(&run->beside, pool));
}

/* The next minibatch: by all of the pool, or by the caller alone beside a validation. */
static gd_run_event train_on(gd_run *run, gd_pool *pool, gd_report *report) {
  gd_run_event event = train(run, run->validates_beside ? NULL : pool, report);
  if (event == GD_EVENT_DIVERGED && run->beside.is_under_way) {
    /* That epoch's row still belongs to the history; so does a fault of its own. */
    end_beside(run, pool, report);
  }
  return event;
}

static gd_run_event begin_beside(gd_run *run, gd_pool *pool, gd_report *report) {
  gd_beside_start(&run->beside, pool, &run->live, &run->validation_images);
  run->beside_mark = run->epoch_mark;
  start_epoch(run);
  return train_on(run, pool, report);
}

gd_status gd_run_step(gd_run *run, gd_pool *pool, gd_run_event *event, gd_report *report) {
  if (is_beside_due(run, pool) && !gd_run_has_ended(run)) {
    *event = end_beside(run, pool, report);
    return GD_OK;
  }
  switch (gd_run_state_of(run)) {
  case GD_RUN_INITIALIZING:
    *event = initialize(run);
    return GD_OK;
  case GD_RUN_TRAINING:
    *event = train_on(run, pool, report);
    return GD_OK;
  case GD_RUN_VALIDATING:
    if (run->validation_images.n_images == 0) {
      return report_state(run, "a run with validation images", report);
    }
    *event =
        is_for_beside(run, pool) ? begin_beside(run, pool, report) : validate(run, pool, report);
    return GD_OK;
  case GD_RUN_HASHING:
    *event = hash(run);
    return GD_OK;
  case GD_RUN_FINISHED:
  case GD_RUN_DIVERGED:
  case GD_RUN_STOPPED:
  case GD_N_RUN_STATES:
    break;
  }
  return report_state(run, "a run that goes on", report);
}

gd_status gd_run_set_validation(gd_run *run, const gd_images *images, gd_report *report) {
  if (run->validation_images.n_images != 0 || gd_run_has_ended(run)) {
    return report_state(run, "a run that waits for validation images", report);
  }
  if (images->n_images > GD_MAX_VALIDATION) {
    return gd_report_numbers(report, GD_FIELD_OUT_OF_RANGE, GD_NO_OFFSET, "validation images",
                             GD_MAX_VALIDATION, images->n_images);
  }
  run->validation_images = *images;
  if (gd_run_state_of(run) == GD_RUN_VALIDATING) {
    enter(run, GD_RUN_VALIDATING, images->n_images);
  }
  return GD_OK;
}

int gd_run_validate_beside(gd_run *run, const gd_pool *pool, int is_on) {
  run->validates_beside = is_on && gd_beside_is_possible(&run->beside, pool);
  return run->validates_beside;
}

int gd_run_has_ended(const gd_run *run) {
  return gd_run_state_of(run) >= GD_RUN_FINISHED;
}

void gd_run_stop(gd_run *run) {
  if (!gd_run_has_ended(run)) {
    run->progress.state = GD_RUN_STOPPED;
    gd_beside_give_up(&run->beside);
  }
}

gd_status gd_run_checkpoint(const gd_run *run, gd_checkpoint checkpoint, const gd_parameters **out,
                            gd_report *report) {
  switch (checkpoint) {
  case GD_CHECKPOINT_SELECTED:
    if (run->progress.selected_epoch == 0) {
      return report_state(run, "a run with a finished epoch", report);
    }
    *out = &run->selected;
    return GD_OK;
  case GD_CHECKPOINT_FINAL:
    if (gd_run_state_of(run) != GD_RUN_FINISHED) {
      return report_state(run, "a finished run", report);
    }
    *out = &run->live;
    return GD_OK;
  case GD_CHECKPOINT_LIVE:
    if (run->progress.epoch == 0) {
      return report_state(run, "a run with its initial weights", report);
    }
    if (run->progress.step_part != 0) {
      return report_state(run, "a run between two minibatches", report);
    }
    *out = &run->live;
    return GD_OK;
  case GD_N_CHECKPOINTS:
    break;
  }
  return gd_report_numbers(report, GD_FIELD_NOT_LISTED, GD_NO_OFFSET, "checkpoint",
                           GD_N_CHECKPOINTS, (uint64_t)checkpoint);
}

gd_status gd_run_check_testable(const gd_run *run, gd_report *report) {
  return gd_run_state_of(run) == GD_RUN_FINISHED ? GD_OK
                                                 : report_state(run, "a finished run", report);
}
