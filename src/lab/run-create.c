/* What a run is made of, and how it begins. */
#include "lab/run.h"

#include "base/text.h"

#include <string.h>

static gd_status lay_out(gd_arena *arena, const gd_config *config, uint32_t n_validation,
                         gd_run *run) {
  run->order = gd_arena_take(arena, config->n_train, sizeof *run->order);
  run->history = gd_arena_take(arena, config->n_epochs, sizeof *run->history);
  run->row = gd_arena_take(arena, GD_MAX_WIDTH, sizeof *run->row);
  gd_status status = gd_evaluation_take(arena, n_validation, &run->validation);
  if (status == GD_OK) {
    status = gd_beside_take(arena, &config->shape, n_validation, &run->beside);
  }
  gd_parameters *all[] = {&run->live, &run->velocities, &run->selected};
  for (size_t i = 0; status == GD_OK && i < sizeof all / sizeof *all; i++) {
    status = gd_parameters_take(arena, &config->shape, all[i]);
  }
  if (status == GD_OK) {
    /* The widest of both uses: training minibatches and chunks of an evaluation. */
    _Static_assert(GD_EVALUATION_CHUNK == GD_MAX_BATCH, "one workspace serves both");
    status = gd_workspace_take(arena, &config->shape, GD_MAX_BATCH, 1, &run->workspace);
  }
  return arena->failed ? GD_OUT_OF_MEMORY : status;
}

gd_status gd_run_bytes(const gd_config *config, uint32_t n_validation, uint64_t *bytes,
                       gd_report *report) {
  gd_arena arena;
  gd_run scratch;
  gd_arena_init_measuring(&arena);
  gd_arena_take(&arena, 1, sizeof scratch);
  if (lay_out(&arena, config, n_validation, &scratch) != GD_OK) {
    return gd_report_fault(report, GD_SIZE_OVERFLOW, GD_NO_OFFSET, "run", "", "");
  }
  *bytes = arena.used;
  return GD_OK;
}

gd_status gd_run_create(gd_arena *arena, const gd_config *config, const gd_images *train,
                        const gd_images *validation, const gd_parameters *initial, gd_run **out,
                        gd_report *report) {
  if (config->n_train > train->n_images) {
    char expected[sizeof report->expected] = "at most ";
    char number[GD_TEXT_U64_BYTES];
    gd_text_u64(number, train->n_images);
    gd_text_append(expected, sizeof expected, number);
    gd_text_u64(number, config->n_train);
    return gd_report_fault(report, GD_FIELD_OUT_OF_RANGE, GD_NO_OFFSET, "trainN", expected, number);
  }
  if (initial != NULL && memcmp(&initial->shape, &config->shape, sizeof config->shape) != 0) {
    return gd_report_fault(report, GD_WRONG_SHAPE, GD_NO_OFFSET, "widths",
                           "the widths of the weights to continue from", "others");
  }
  gd_run *run = gd_arena_take(arena, 1, sizeof *run);
  if (run != NULL) {
    memset(run, 0, sizeof *run);
  }
  uint32_t n_validation = validation == NULL ? GD_MAX_VALIDATION : validation->n_images;
  if (run == NULL || lay_out(arena, config, n_validation, run) != GD_OK) {
    return gd_report_fault(report, GD_OUT_OF_MEMORY, GD_NO_OFFSET, "run", "", "");
  }
  run->config = *config;
  run->train = *train;
  run->train.n_images = config->n_train;
  if (validation != NULL) {
    run->validation_images = *validation;
  }
  run->initial = initial;
  run->order_hash = GD_HASH_START;
  run->gate_draw_hash = GD_HASH_START;
  gd_random_init(&run->random_initialization, config->seed, GD_STREAM_INITIALIZATION);
  gd_random_init(&run->random_order, config->seed, GD_STREAM_ORDER);
  gd_random_init(&run->random_gates, config->seed, GD_STREAM_GATES);
  uint32_t n_minibatches = (config->n_train + config->batch - 1) / config->batch;
  run->progress.minibatches = n_minibatches;
  gd_sha256_init(&run->sha);
  run->progress.state = GD_RUN_INITIALIZING;
  run->progress.part_total = (double)gd_shape_n_parameters(&config->shape);
  *out = run;
  return GD_OK;
}
