/* Validation beside training: the run's results, to the bit, are those of one that does the one and then the other. Where there
 * are no threads, there is none. */
#include "lab/run.h"
#include "nn/pool.h"

#include "harness.h"
#include "small-run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_THREADS = 3 };

static _Alignas(GD_ARENA_ALIGNMENT) uint8_t pool_block[16384];
static gd_pool *pool;

static int set_up(void **state) {
  gd_arena arena;
  gd_arena_init(&arena, pool_block, sizeof pool_block);
  gd_pool_start(&arena, N_THREADS, &pool); /* NULL in a build without threads */
  return set_up_images(state);
}

static int tear_down(void **state) {
  (void)state;
  gd_pool_stop(pool);
  return 0;
}

/* Drives a run to its end; returns how many of its epochs were validated beside the next. `seed` NULL: that is on all the time;
 * else it is turned on and off at random. */
static unsigned drive(gd_run *run, uint64_t *seed, gd_report *report) {
  unsigned n_beside = 0;
  while (!gd_run_has_ended(run)) {
    gd_run_event event;
    gd_run_validate_beside(run, pool, seed == NULL || harness_draw_below(seed, 2) == 0);
    const double epochs_done = run->progress.epochs_done;
    assert_int_equal(gd_run_step(run, pool, &event, report), GD_OK);
    const int is_row = event == GD_EVENT_VALIDATED || event == GD_EVENT_EPOCH;
    assert_true(event == GD_EVENT_DIVERGED || run->progress.epochs_done == epochs_done + is_row);
    n_beside += event == GD_EVENT_VALIDATED;
  }
  return n_beside;
}

static void assert_same_results(const gd_run *found, const gd_run *expected) {
  const uint32_t n_rows = (uint32_t)expected->progress.epochs_done;
  assert_memory_equal(&found->progress, &expected->progress, sizeof found->progress);
  assert_memory_equal(found->history, expected->history, n_rows * sizeof *found->history);
  assert_int_equal(found->order_hash, expected->order_hash);
  assert_int_equal(found->gate_draw_hash, expected->gate_draw_hash);
  assert_memory_equal(found->selected_sha256, expected->selected_sha256, GD_SHA256_BYTES);
  assert_memory_equal(found->final_sha256, expected->final_sha256, GD_SHA256_BYTES);
  assert_memory_equal(found->validation.confusion, expected->validation.confusion,
                      sizeof found->validation.confusion);
}

static void changes_no_result(void **state) {
  (void)state;
  uint64_t seed = 20261130;
  print_message("seed %llu\n", (unsigned long long)seed);
  gd_run *expected = create_run(&small_config, NULL);
  while (!gd_run_has_ended(expected)) {
    gd_run_event event;
    assert_int_equal(gd_run_step(expected, NULL, &event, NULL), GD_OK);
    assert_int_not_equal(event, GD_EVENT_VALIDATED);
  }
  for (int round = 0; round < 20; round++) {
    gd_run *run = create_run(&small_config, NULL);
    const unsigned n_beside = drive(run, round == 0 ? NULL : &seed, NULL);
    if (round == 0) { /* all epochs but the last */
      assert_int_equal(n_beside, pool == NULL ? 0 : small_config.n_epochs - 1);
    }
    assert_same_results(run, expected);
    release_run(run);
  }
  release_run(expected);
}

/* Trains an epoch, then breaks the run so that it diverges in the next one or at this one's validation. */
static gd_run *broken(int beside, int is_weight) {
  gd_run_event event = GD_EVENT_INITIALIZING;
  gd_run *run = create_run(&small_config, NULL);
  gd_report report = {.status = GD_OK};
  for (int n_trained = 0; n_trained < 2; n_trained += event == GD_EVENT_EPOCH_TRAINED) {
    assert_int_equal(gd_run_step(run, pool, &event, &report), GD_OK);
  }
  if (is_weight) {
    gd_parameters_bias(&run->live, 5)[0] = NAN;
  } else {
    gd_parameters_bias(&run->velocities, 5)[0] = NAN; /* and with the next update the bias */
  }
  while (!gd_run_has_ended(run)) {
    gd_run_validate_beside(run, pool, beside);
    assert_int_equal(gd_run_step(run, pool, &event, &report), GD_OK);
  }
  assert_int_equal(event, GD_EVENT_DIVERGED);
  assert_string_equal(report.subject, is_weight ? "validation loss" : "training loss");
  gd_pool_end(pool);
  return run;
}

/* How far the next epoch has come by then must leave no trace. */
static void diverges_as_without_it(void **state) {
  (void)state;
  for (int is_weight = 0; is_weight < 2; is_weight++) {
    gd_run *expected = broken(0, is_weight);
    gd_run *found = broken(1, is_weight);
    assert_int_equal(expected->progress.epochs_done, is_weight ? 1 : 2);
    assert_same_results(found, expected);
    release_run(found);
    release_run(expected);
  }
}

static void stops_while_it_is_under_way(void **state) {
  (void)state;
  gd_run *run = create_run(&small_config, NULL);
  gd_run_event event = GD_EVENT_INITIALIZING;
  while (event != GD_EVENT_EPOCH_TRAINED) {
    gd_run_validate_beside(run, pool, 1);
    assert_int_equal(gd_run_step(run, pool, &event, NULL), GD_OK);
  }
  assert_int_equal(gd_run_step(run, pool, &event, NULL), GD_OK);
  assert_int_equal(run->beside.is_under_way, pool != NULL);
  gd_run_stop(run);
  gd_pool_end(pool);
  gd_report report;
  assert_int_equal(gd_run_step(run, pool, &event, &report), GD_WRONG_STATE);
  assert_int_equal(gd_run_state_of(run), GD_RUN_STOPPED);
  release_run(run);
}

static void needs_a_thread_and_a_network_that_is_not_large(void **state) {
  (void)state;
  gd_run *run = create_run(&small_config, NULL);
  assert_int_equal(gd_run_validate_beside(run, NULL, 1), 0);
  assert_int_equal(gd_run_validate_beside(run, pool, 0), 0);
  assert_int_equal(gd_run_validate_beside(run, pool, 1), pool != NULL);
  release_run(run);
  gd_config config = small_config;
  config.shape = (gd_shape){{784, 1500, 50, 7, 5, 3, 10}};
  run = create_run(&config, NULL);
  assert_int_equal(gd_run_validate_beside(run, pool, 1), 0);
  release_run(run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_no_result),
      cmocka_unit_test(diverges_as_without_it),
      cmocka_unit_test(stops_while_it_is_under_way),
      cmocka_unit_test(needs_a_thread_and_a_network_that_is_not_large),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
