/* A training run, step by step: each test is a rule of the protocol. */
#include "lab/run.h"
#include "small-run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gd_run_event step(gd_run *run) {
  gd_run_event event = GD_N_RUN_EVENTS;
  assert_int_equal(gd_run_step(run, NULL, &event, NULL), GD_OK);
  return event;
}

static void run_until(gd_run *run, gd_run_event wanted) {
  while (step(run) != wanted) {
    assert_false(gd_run_has_ended(run));
  }
}

static gd_run *run_whole(const gd_config *config, const gd_parameters *initial) {
  gd_run *run = create_run(config, initial);
  run_until(run, GD_EVENT_FINISHED);
  return run;
}

static const float *row_of(gd_run *run, const gd_parameters *parameters, unsigned layer,
                           uint32_t o) {
  gd_parameters_read_row(parameters, layer, o, run->row);
  return run->row;
}

/* ---- Initial weights ---- */

static void draws_initial_weights_in_order(void **state) {
  (void)state;
  gd_run *run = create_run(&small_config, NULL);
  gd_random random;
  gd_random_init(&random, 201, 0);
  run_until(run, GD_EVENT_INITIALIZED);
  for (unsigned layer = 0; layer < GD_N_LAYERS; layer++) {
    uint32_t in = small_config.shape.widths[layer];
    uint32_t out = small_config.shape.widths[layer + 1];
    for (uint32_t o = 0; o <= out; o++) { /* the last one: the bias */
      const float *values =
          o < out ? row_of(run, &run->live, layer, o) : gd_parameters_bias(&run->live, layer);
      for (uint32_t i = 0; i < (o < out ? in : out); i++) {
        double u = gd_random_next(&random) / 4294967296.0;
        assert_true(values[i] == (float)((2 * u - 1) / sqrt(in)));
      }
    }
  }
  uint8_t digest[GD_SHA256_BYTES];
  gd_weights_digest(&run->live, run->row, digest);
  assert_memory_equal(run->initialization_sha256, digest, sizeof digest);
  release_run(run);
}

/* small, seed 201. Made by Node: SHA-256 over the Float32Array of tests/lib/reference.mjs's
 * initialWeights([784, 256, 192, 128, 96, 64, 10], 201). */
static void has_the_reference_initialization(void **state) {
  (void)state;
  static const char expected[] = "e5a01569dcfed3bf580f4b53c466f42dae85104b365fd3650d0c7a8d0a5684fc";
  gd_config config = small_config;
  char hex[GD_SHA256_TEXT_BYTES];
  config.shape = gd_presets[GD_DEFAULT_PRESET].shape;
  gd_run *run = create_run(&config, NULL);
  int n_steps = 1;
  while (step(run) == GD_EVENT_INITIALIZING) {
    n_steps++;
  }
  assert_int_equal(n_steps, 2); /* 294,250 numbers: bounded pieces */
  for (int i = 0; i < GD_SHA256_BYTES; i++) {
    static const char digits[] = "0123456789abcdef";
    hex[2 * i] = digits[run->initialization_sha256[i] >> 4];
    hex[2 * i + 1] = digits[run->initialization_sha256[i] & 15];
  }
  hex[2 * GD_SHA256_BYTES] = '\0';
  assert_string_equal(hex, expected);
  release_run(run);
}

/* ---- Training ---- */

/* The protocol's training once more, driven by hand over gd_network_step: order, last short
 * minibatch, gates, gains, selection. */
static void trains_as_the_protocol_says(void **state) {
  (void)state;
  const gd_config *config = &small_config;
  gd_run *run = run_whole(config, NULL);
  gd_run *start = create_run(config, NULL); /* for its initial weights and its room */
  gd_random order_random;
  gd_random gate_random;
  uint32_t order[N_TRAIN];
  uint32_t order_hash = GD_HASH_START;
  uint32_t gate_hash = GD_HASH_START;
  double best = INFINITY;
  int best_epoch = 0;
  run_until(start, GD_EVENT_INITIALIZED);
  gd_random_init(&order_random, 201, 100000);
  gd_random_init(&gate_random, 201, 200000);
  for (int epoch = 1; epoch <= 4; epoch++) {
    double loss_sum = 0;
    gd_random_shuffle(&order_random, order, N_TRAIN);
    for (int i = 0; i < N_TRAIN; i++) {
      order_hash = gd_hash_add(order_hash, order[i]);
    }
    for (uint32_t first = 0; first < N_TRAIN; first += 32) {
      uint32_t n = N_TRAIN - first < 32 ? N_TRAIN - first : 32;
      gd_minibatch minibatch = {train_images.pixels, train_images.labels, order + first, 0, n};
      /* Branches 1, 3 and 4 are eligible (mask 13); 1/(1 - p) = 2. */
      gd_step by_hand = {0, {2, 1, 2, 2}, 0.03f, 0.9f};
      for (unsigned j = 0; j < 4; j++) {
        uint32_t draw = gd_random_next(&gate_random);
        gate_hash = gd_hash_add(gate_hash, draw);
        if (j != 1 && draw / 4294967296.0 < 0.5) {
          by_hand.skipped |= 1u << j;
        }
      }
      loss_sum += n * gd_network_step(&start->live, &start->velocities, start->workspace, NULL,
                                      &minibatch, &by_hand);
    }
    gd_evaluation_start(&start->validation, &start->live, &validation_images, GD_ALL_BRANCHES);
    while (gd_evaluation_step(&start->validation, start->workspace, NULL) > 0) {
    }
    double loss = gd_evaluation_cross_entropy(&start->validation);
    const gd_history_row *row = &run->history[epoch - 1];
    assert_true(row->training_loss == loss_sum / (double)N_TRAIN);
    assert_true(row->validation_cross_entropy == loss);
    assert_true(row->validation_accuracy == gd_evaluation_accuracy(&start->validation));
    if (loss < best) {
      best = loss;
      best_epoch = epoch;
      gd_parameters_copy(&start->selected, &start->live);
    }
  }
  uint8_t digest[GD_SHA256_BYTES];
  gd_weights_digest(&start->live, start->row, digest);
  assert_memory_equal(run->final_sha256, digest, sizeof digest);
  gd_weights_digest(&start->selected, start->row, digest);
  assert_memory_equal(run->selected_sha256, digest, sizeof digest);
  assert_int_equal(run->progress.selected_epoch, best_epoch);
  assert_int_equal(run->order_hash, order_hash);
  assert_int_equal(run->gate_draw_hash, gate_hash);
  release_run(start);
  release_run(run);
}

/* The run above has one eligible branch fewer: each p has its own gain. */
static void scales_by_the_chance_of_being_kept(void **state) {
  (void)state;
  static const double ps[] = {0.25, 0.5, 0.75};
  for (int i = 0; i < 3; i++) {
    gd_config config = small_config;
    config.drop_probability = ps[i];
    config.mask = 4;
    config.batch = 128; /* one minibatch an epoch */
    gd_run *run = create_run(&config, NULL);
    gd_run *start = create_run(&config, NULL);
    gd_step by_hand = {0, {1, 1, (float)(1 / (1 - ps[i])), 1}, 0.03f, 0.9f};
    gd_minibatch minibatch = {train_images.pixels, train_images.labels, run->order, 0, N_TRAIN};
    run_until(start, GD_EVENT_INITIALIZED);
    run_until(run, GD_EVENT_EPOCH_TRAINED);
    by_hand.skipped = run->progress.draw_3 < ps[i] ? 4 : 0;
    assert_int_equal(run->progress.skipped, by_hand.skipped);
    double loss = gd_network_step(&start->live, &start->velocities, start->workspace, NULL,
                                  &minibatch, &by_hand);
    assert_true(loss == run->progress.loss);
    assert_memory_equal(start->live.values, run->live.values,
                        (size_t)start->live.n_values * sizeof(float));
    release_run(start);
    release_run(run);
  }
}

/* All runs of a plan share order and draws, whatever their mask; p plays no part in the draws. */
static void draws_four_gates_whatever_the_mask(void **state) {
  (void)state;
  gd_run *first = run_whole(&small_config, NULL);
  for (unsigned mask = 0; mask <= GD_ALL_BRANCHES; mask++) {
    gd_config config = small_config;
    config.mask = mask;
    config.drop_probability = mask % 2 == 0 ? 0.25 : 0.75;
    gd_run *run = run_whole(&config, NULL);
    assert_int_equal(run->gate_draw_hash, first->gate_draw_hash);
    assert_int_equal(run->order_hash, first->order_hash);
    assert_memory_equal(run->initialization_sha256, first->initialization_sha256, GD_SHA256_BYTES);
    release_run(run);
  }
  release_run(first);
}

static void skips_eligible_branches_below_p(void **state) {
  (void)state;
  gd_run *run = create_run(&small_config, NULL);
  unsigned n_skips[GD_N_BRANCHES] = {0};
  unsigned n_minibatches = 0;
  while (!gd_run_has_ended(run)) {
    gd_run_event event = step(run);
    if (event != GD_EVENT_MINIBATCH && event != GD_EVENT_EPOCH_TRAINED) {
      continue;
    }
    const double *draws = &run->progress.draw_1;
    unsigned skipped = 0;
    for (unsigned j = 0; j < GD_N_BRANCHES; j++) {
      if (j != 1 && draws[j] < 0.5) {
        skipped |= 1u << j;
        n_skips[j]++;
      }
    }
    n_minibatches++;
    assert_int_equal(run->progress.skipped, skipped);
  }
  assert_int_equal(run->progress.gated_minibatches, n_minibatches);
  assert_int_equal(n_minibatches, 16);
  for (unsigned j = 0; j < GD_N_BRANCHES; j++) {
    assert_int_equal((&run->progress.skips_1)[j], n_skips[j]);
  }
  assert_int_equal(run->progress.skips_2, 0);
  assert_true(n_skips[0] > 0 && n_skips[2] > 0 && n_skips[3] > 0);
  release_run(run);
}

/* Branch 3 (bit 2) is layer 3, (5, 7) here. */
static void leaves_skipped_branches_alone(void **state) {
  (void)state;
  gd_run *run = create_run(&small_config, NULL);
  const gd_parameters *both[2] = {&run->live, &run->velocities};
  float before[2][5][7];
  int n_frozen = 0;
  run_until(run, GD_EVENT_INITIALIZED);
  while (!gd_run_has_ended(run)) {
    for (int which = 0; which < 2; which++) {
      for (uint32_t o = 0; o < 5; o++) {
        gd_parameters_read_row(both[which], 3, o, before[which][o]);
      }
    }
    gd_run_event event = step(run);
    int is_minibatch = event == GD_EVENT_MINIBATCH || event == GD_EVENT_EPOCH_TRAINED;
    if (!is_minibatch || ((unsigned)run->progress.skipped & 4u) == 0) {
      continue;
    }
    n_frozen++;
    for (int which = 0; which < 2; which++) {
      for (uint32_t o = 0; o < 5; o++) {
        assert_memory_equal(row_of(run, both[which], 3, o), before[which][o], 7 * sizeof(float));
      }
    }
  }
  assert_true(n_frozen > 0);
  release_run(run);
}

/* Two units that never fire: their weights' velocities only decay. */
static void lets_small_velocities_rest_after_an_epoch(void **state) {
  (void)state;
  gd_run *run = create_run(&small_config, NULL);
  float values[GD_N_PIXELS];
  run_until(run, GD_EVENT_EPOCH); /* every pixel has been seen */
  for (uint32_t o = 0; o < 2; o++) {
    gd_parameters_bias(&run->live, 0)[o] = -1000.0f;
    for (uint32_t i = 0; i < GD_N_PIXELS; i++) {
      values[i] = ldexpf(i % 2 == 0 ? 1.0f : -1.0f, o == 0 ? -71 : -72);
    }
    gd_parameters_write_row(&run->velocities, 0, o, values);
  }
  run_until(run, GD_EVENT_EPOCH_TRAINED);
  float slow = ldexpf(1.0f, -71);
  for (int minibatch = 0; minibatch < 4; minibatch++) {
    slow *= GD_MOMENTUM;
  }
  const float *first = row_of(run, &run->velocities, 0, 0);
  for (uint32_t i = 0; i < GD_N_PIXELS; i++) {
    assert_true(first[i] == (i % 2 == 0 ? slow : -slow));
  }
  const float *second = row_of(run, &run->velocities, 0, 1);
  for (uint32_t i = 0; i < GD_N_PIXELS; i++) {
    assert_true(second[i] == 0.0f);
  }
  release_run(run);
}

/* A minibatch of a network this large comes in parts, so that nobody waits for long: with the bits of
 * one step, and none of its figures before the last part. */
static void trains_a_large_network_in_parts(void **state) {
  (void)state;
  gd_config config = small_config;
  config.shape = (gd_shape){{784, 1400, 5, 4, 3, 2, 10}};
  config.batch = 128; /* one minibatch an epoch */
  config.n_epochs = 1;
  gd_run *run = create_run(&config, NULL);
  gd_run *start = create_run(&config, NULL);
  const gd_parameters *live = NULL;
  gd_report report;
  run_until(run, GD_EVENT_INITIALIZED);
  run_until(start, GD_EVENT_INITIALIZED);
  for (unsigned part = 1; part < GD_N_STEP_PARTS; part++) {
    assert_int_equal(step(run), GD_EVENT_PART);
    assert_true(run->progress.step_part == part);
    assert_true(run->progress.images == 0 && run->progress.gated_minibatches == 0);
    assert_int_equal(run->gate_draw_hash, GD_HASH_START);
    assert_int_equal(gd_run_checkpoint(run, GD_CHECKPOINT_LIVE, &live, &report), GD_WRONG_STATE);
  }
  assert_int_equal(step(run), GD_EVENT_EPOCH_TRAINED);
  assert_true(run->progress.step_part == 0 && run->progress.images == (double)N_TRAIN);
  assert_int_equal(gd_run_checkpoint(run, GD_CHECKPOINT_LIVE, &live, &report), GD_OK);

  gd_minibatch minibatch = {train_images.pixels, train_images.labels, run->order, 0, N_TRAIN};
  gd_step whole = {(unsigned)run->progress.skipped, {2, 1, 2, 2}, 0.03f, 0.9f};
  double loss =
      gd_network_step(&start->live, &start->velocities, start->workspace, NULL, &minibatch, &whole);
  uint8_t expected[GD_SHA256_BYTES];
  assert_true(run->progress.loss == loss);
  gd_weights_digest(&start->live, start->row, expected);
  run_until(run, GD_EVENT_FINISHED);
  assert_memory_equal(run->final_sha256, expected, sizeof expected);
  release_run(start);
  release_run(run);
}

static void stops_within_a_minibatch(void **state) {
  (void)state;
  gd_config config = small_config;
  config.shape = (gd_shape){{784, 1400, 5, 4, 3, 2, 10}};
  config.batch = 128;
  gd_run *run = create_run(&config, NULL);
  const gd_parameters *live = NULL;
  gd_report report;
  run_until(run, GD_EVENT_EPOCH);
  assert_int_equal(step(run), GD_EVENT_PART);
  gd_run_stop(run);
  assert_int_equal(gd_run_state_of(run), GD_RUN_STOPPED);
  assert_true(run->progress.epochs_done == 1 && run->progress.images == (double)N_TRAIN);
  assert_int_equal(gd_run_checkpoint(run, GD_CHECKPOINT_LIVE, &live, &report), GD_WRONG_STATE);
  assert_int_equal(gd_run_checkpoint(run, GD_CHECKPOINT_SELECTED, &live, &report), GD_OK);
  release_run(run);
}

static void reports_each_step(void **state) {
  (void)state;
  gd_config config = small_config;
  config.n_epochs = 2;
  gd_run *run = create_run(&config, NULL);
  static const gd_run_event events[] = {
      GD_EVENT_INITIALIZED,   GD_EVENT_MINIBATCH,  GD_EVENT_MINIBATCH,     GD_EVENT_MINIBATCH,
      GD_EVENT_EPOCH_TRAINED, GD_EVENT_VALIDATING, GD_EVENT_EPOCH,         GD_EVENT_MINIBATCH,
      GD_EVENT_MINIBATCH,     GD_EVENT_MINIBATCH,  GD_EVENT_EPOCH_TRAINED, GD_EVENT_VALIDATING,
      GD_EVENT_EPOCH};
  static const double last_images[] = {0, 32, 32, 32, 4, 4, 4, 32, 32, 32, 4, 4, 4};
  static const double images[] = {0, 32, 64, 96, 100, 100, 100, 132, 164, 196, 200, 200, 200};
  for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
    assert_int_equal(step(run), events[i]);
    assert_true(run->progress.last_images == last_images[i]);
    assert_true(run->progress.images == images[i]);
  }
  assert_true(run->progress.epoch == 2 && run->progress.epochs_done == 2);
  assert_true(run->progress.minibatch == 4 && run->progress.minibatches == 4);
  run_until(run, GD_EVENT_FINISHED);
  release_run(run);
}

/* ---- Checkpoints ---- */

static void selects_the_lowest_validation_loss(void **state) {
  (void)state;
  gd_config config = small_config;
  config.n_epochs = 40;
  config.learning_rate = 0.2; /* overfits, so that the best epoch is not the last */
  gd_run *run = run_whole(&config, NULL);
  int best = 0;
  for (int i = 1; i < 40; i++) {
    if (run->history[i].validation_cross_entropy < run->history[best].validation_cross_entropy) {
      best = i;
    }
  }
  assert_int_equal(run->progress.selected_epoch, best + 1);
  assert_true(best + 1 < 40);
  assert_memory_not_equal(run->selected_sha256, run->final_sha256, GD_SHA256_BYTES);
  /* A run that ends at the selected epoch has the same weights as its final ones. */
  config.n_epochs = (uint32_t)best + 1;
  gd_run *shorter = run_whole(&config, NULL);
  assert_memory_equal(shorter->final_sha256, run->selected_sha256, GD_SHA256_BYTES);
  assert_memory_equal(shorter->selected_sha256, run->selected_sha256, GD_SHA256_BYTES);
  release_run(shorter);
  release_run(run);
}

/* With a learning rate of 0 all epochs are equal: the earliest is selected. */
static void selects_the_earliest_of_equal_epochs(void **state) {
  (void)state;
  gd_config config = small_config;
  config.learning_rate = 0;
  gd_run *run = run_whole(&config, NULL);
  assert_true(run->history[0].validation_cross_entropy == run->history[3].validation_cross_entropy);
  assert_int_equal(run->progress.selected_epoch, 1);
  release_run(run);
}

static void gives_checkpoints_when_they_exist(void **state) {
  (void)state;
  gd_run *run = create_run(&small_config, NULL);
  const gd_parameters *parameters = NULL;
  gd_report report;
  assert_int_equal(gd_run_checkpoint(run, GD_CHECKPOINT_LIVE, &parameters, &report),
                   GD_WRONG_STATE);
  run_until(run, GD_EVENT_INITIALIZED);
  assert_int_equal(gd_run_checkpoint(run, GD_CHECKPOINT_LIVE, &parameters, &report), GD_OK);
  assert_int_equal(gd_run_checkpoint(run, GD_CHECKPOINT_SELECTED, &parameters, &report),
                   GD_WRONG_STATE);
  assert_string_equal(report.found, "training");
  run_until(run, GD_EVENT_EPOCH);
  assert_int_equal(gd_run_checkpoint(run, GD_CHECKPOINT_SELECTED, &parameters, &report), GD_OK);
  assert_int_equal(gd_run_checkpoint(run, GD_CHECKPOINT_FINAL, &parameters, &report),
                   GD_WRONG_STATE);
  assert_int_equal(gd_run_check_testable(run, &report), GD_WRONG_STATE);
  run_until(run, GD_EVENT_FINISHED);
  assert_int_equal(gd_run_checkpoint(run, GD_CHECKPOINT_FINAL, &parameters, &report), GD_OK);
  assert_int_equal(gd_run_check_testable(run, &report), GD_OK);
  assert_int_equal(gd_run_checkpoint(run, (gd_checkpoint)7, &parameters, &report),
                   GD_FIELD_NOT_LISTED);
  release_run(run);
}

/* ---- Ends ---- */

static void stops_when_it_diverges(void **state) {
  (void)state;
  gd_config config = small_config;
  config.learning_rate = 1e19; /* beyond what the page allows */
  config.mask = 0;
  gd_run *run = create_run(&config, NULL);
  gd_run_event event = GD_EVENT_MINIBATCH;
  gd_report report = {.status = GD_OK};
  while (event != GD_EVENT_DIVERGED) {
    assert_int_equal(gd_run_step(run, NULL, &event, &report), GD_OK);
    assert_int_equal(isfinite(run->progress.loss) != 0, event != GD_EVENT_DIVERGED);
    assert_int_not_equal(event, GD_EVENT_FINISHED);
  }
  assert_int_equal(report.status, GD_DIVERGED);
  assert_string_equal(report.subject, "training loss");
  assert_string_equal(report.expected, "a finite number");
  assert_int_equal(gd_run_state_of(run), GD_RUN_DIVERGED);
  for (uint32_t i = 0; i < run->progress.epochs_done; i++) {
    assert_true(isfinite(run->history[i].training_loss));
    assert_true(isfinite(run->history[i].validation_cross_entropy));
  }
  assert_int_equal(gd_run_step(run, NULL, &event, &report), GD_WRONG_STATE);
  assert_string_equal(report.found, "diverged");
  assert_int_equal(gd_run_check_testable(run, &report), GD_WRONG_STATE);
  gd_run_stop(run);
  assert_int_equal(gd_run_state_of(run), GD_RUN_DIVERGED);
  release_run(run);
}

/* Weights that are no longer finite after an epoch's last minibatch show at validation; the epochs
 * before stay in the history. */
static void keeps_the_finite_history(void **state) {
  (void)state;
  gd_run *run = create_run(&small_config, NULL);
  gd_run_event event = GD_EVENT_MINIBATCH;
  gd_report report;
  run_until(run, GD_EVENT_EPOCH);
  run_until(run, GD_EVENT_EPOCH_TRAINED);
  gd_parameters_bias(&run->live, 5)[0] = NAN;
  while (event != GD_EVENT_DIVERGED) {
    assert_int_equal(gd_run_step(run, NULL, &event, &report), GD_OK);
    assert_int_not_equal(event, GD_EVENT_EPOCH);
  }
  assert_string_equal(report.subject, "validation loss");
  assert_int_equal(run->progress.epochs_done, 1);
  assert_int_equal(run->progress.selected_epoch, 1);
  release_run(run);
}

static void stays_stopped(void **state) {
  (void)state;
  gd_run *run = create_run(&small_config, NULL);
  gd_run_event event;
  gd_report report;
  run_until(run, GD_EVENT_EPOCH);
  step(run);
  gd_run_stop(run);
  assert_int_equal(gd_run_state_of(run), GD_RUN_STOPPED);
  assert_int_equal(gd_run_step(run, NULL, &event, &report), GD_WRONG_STATE);
  assert_string_equal(report.found, "stopped");
  assert_int_equal(run->progress.epochs_done, 1); /* its curves stay */
  assert_int_equal(gd_run_check_testable(run, &report), GD_WRONG_STATE);
  release_run(run);
}

static void ends_once(void **state) {
  (void)state;
  gd_run *run = run_whole(&small_config, NULL);
  gd_run_event event;
  assert_int_equal(gd_run_step(run, NULL, &event, NULL), GD_WRONG_STATE);
  gd_run_stop(run);
  assert_int_equal(gd_run_state_of(run), GD_RUN_FINISHED);
  release_run(run);
}

/* Someone who looks at the weights between two steps changes nothing. */
static void is_not_disturbed_by_predictions(void **state) {
  (void)state;
  gd_run *quiet = run_whole(&small_config, NULL);
  gd_run *run = create_run(&small_config, NULL);
  run_until(run, GD_EVENT_INITIALIZED);
  while (!gd_run_has_ended(run)) {
    gd_minibatch minibatch = {.pixels = validation_images.pixels, .first = 3, .n_images = 1};
    float logits[GD_N_CLASSES];
    gd_network_forward(&run->live, run->workspace, NULL, &minibatch, 5, logits);
    row_of(run, &run->live, 0, 2);
    step(run);
  }
  assert_memory_equal(run->final_sha256, quiet->final_sha256, GD_SHA256_BYTES);
  assert_memory_equal(run->selected_sha256, quiet->selected_sha256, GD_SHA256_BYTES);
  release_run(run);
  release_run(quiet);
}

/* ---- Start ---- */

static void continues_from_given_weights(void **state) {
  (void)state;
  gd_run *first = run_whole(&small_config, NULL);
  gd_run *second = run_whole(&small_config, &first->live);
  gd_run *fresh = run_whole(&small_config, NULL);
  assert_memory_equal(second->initialization_sha256, first->final_sha256, GD_SHA256_BYTES);
  assert_int_equal(second->order_hash, first->order_hash);
  assert_int_equal(second->gate_draw_hash, first->gate_draw_hash);
  assert_true(second->history[0].training_loss < first->history[0].training_loss);
  assert_memory_equal(fresh->final_sha256, first->final_sha256, GD_SHA256_BYTES);
  release_run(fresh);
  release_run(second);
  release_run(first);
}

/* Validation images may follow, as late as after the first epoch's training; the results are the same. */
static void takes_validation_images_later(void **state) {
  (void)state;
  gd_run *expected = run_whole(&small_config, NULL);
  for (int is_late = 0; is_late < 2; is_late++) {
    uint64_t bytes = 0;
    gd_arena arena;
    gd_run *run = NULL;
    gd_run_event event;
    gd_report report;
    assert_int_equal(gd_run_bytes(&small_config, GD_MAX_VALIDATION, &bytes, NULL), GD_OK);
    void *block = aligned_alloc(GD_ARENA_ALIGNMENT, (size_t)bytes);
    gd_arena_init(&arena, block, (size_t)bytes);
    assert_int_equal(gd_run_create(&arena, &small_config, &train_images, NULL, NULL, &run, NULL),
                     GD_OK);
    if (is_late) {
      run_until(run, GD_EVENT_EPOCH_TRAINED);
      assert_int_equal(gd_run_step(run, NULL, &event, &report), GD_WRONG_STATE);
      assert_string_equal(report.expected, "a run with validation images");
    }
    gd_images too_many = validation_images;
    too_many.n_images = GD_MAX_VALIDATION + 1;
    assert_int_equal(gd_run_set_validation(run, &too_many, &report), GD_FIELD_OUT_OF_RANGE);
    assert_int_equal(gd_run_set_validation(run, &validation_images, &report), GD_OK);
    assert_int_equal(gd_run_set_validation(run, &validation_images, &report), GD_WRONG_STATE);
    run_until(run, GD_EVENT_FINISHED);
    assert_memory_equal(&run->progress, &expected->progress, sizeof run->progress);
    assert_memory_equal(run->history, expected->history,
                        small_config.n_epochs * sizeof *run->history);
    assert_memory_equal(run->final_sha256, expected->final_sha256, GD_SHA256_BYTES);
    free(block);
  }
  release_run(expected);
}

static void refuses_a_start_that_does_not_fit(void **state) {
  (void)state;
  gd_config config = small_config;
  gd_run *other = create_run(&small_config, NULL);
  gd_run *run = NULL;
  gd_report report;
  uint64_t bytes = 0;
  gd_arena arena;
  config.n_train = N_TRAIN + 10;
  gd_arena_init(&arena, NULL, 0);
  assert_int_equal(
      gd_run_create(&arena, &config, &train_images, &validation_images, NULL, &run, &report),
      GD_FIELD_OUT_OF_RANGE);
  assert_string_equal(report.subject, "trainN");
  assert_string_equal(report.expected, "at most 100");
  assert_string_equal(report.found, "110");
  config = small_config;
  config.shape.widths[3] = 6;
  assert_int_equal(gd_run_create(&arena, &config, &train_images, &validation_images, &other->live,
                                 &run, &report),
                   GD_WRONG_SHAPE);
  assert_int_equal(gd_run_bytes(&small_config, N_VALIDATION, &bytes, NULL), GD_OK);
  bytes -= GD_ARENA_ALIGNMENT;
  void *block = aligned_alloc(GD_ARENA_ALIGNMENT, (size_t)bytes);
  gd_arena_init(&arena, block, (size_t)bytes);
  assert_int_equal(
      gd_run_create(&arena, &small_config, &train_images, &validation_images, NULL, &run, &report),
      GD_OUT_OF_MEMORY);
  assert_null(run);
  free(block);
  release_run(other);
}

/* Weights, velocities, the selected checkpoint, and at most 16 MB: less than the 4 x that is
 * allowed. */
static void needs_three_times_its_parameters(void **state) {
  (void)state;
  for (int i = 0; i < GD_N_PRESETS; i++) {
    gd_config config = small_config;
    uint64_t bytes = 0;
    config.shape = gd_presets[i].shape;
    config.n_train = 10000;
    config.n_epochs = 100;
    assert_int_equal(gd_run_bytes(&config, 2000, &bytes, NULL), GD_OK);
    uint64_t parameter_bytes = 4 * gd_shape_n_parameters(&config.shape);
    assert_true(bytes <= 4 * parameter_bytes + 16 * 1000 * 1000);
    assert_true(bytes >= 3 * parameter_bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(draws_initial_weights_in_order),
      cmocka_unit_test(has_the_reference_initialization),
      cmocka_unit_test(trains_as_the_protocol_says),
      cmocka_unit_test(scales_by_the_chance_of_being_kept),
      cmocka_unit_test(draws_four_gates_whatever_the_mask),
      cmocka_unit_test(skips_eligible_branches_below_p),
      cmocka_unit_test(leaves_skipped_branches_alone),
      cmocka_unit_test(lets_small_velocities_rest_after_an_epoch),
      cmocka_unit_test(trains_a_large_network_in_parts),
      cmocka_unit_test(reports_each_step),
      cmocka_unit_test(selects_the_lowest_validation_loss),
      cmocka_unit_test(selects_the_earliest_of_equal_epochs),
      cmocka_unit_test(gives_checkpoints_when_they_exist),
      cmocka_unit_test(stops_within_a_minibatch),
      cmocka_unit_test(stops_when_it_diverges),
      cmocka_unit_test(keeps_the_finite_history),
      cmocka_unit_test(stays_stopped),
      cmocka_unit_test(ends_once),
      cmocka_unit_test(is_not_disturbed_by_predictions),
      cmocka_unit_test(continues_from_given_weights),
      cmocka_unit_test(takes_validation_images_later),
      cmocka_unit_test(refuses_a_start_that_does_not_fit),
      cmocka_unit_test(needs_three_times_its_parameters),
  };
  return cmocka_run_group_tests(tests, set_up_images, NULL);
}
