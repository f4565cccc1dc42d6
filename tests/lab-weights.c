/* Weights as one sequence of numbers, and the evaluation of weights on images. */
#include "lab/evaluation.h"
#include "lab/random.h"
#include "lab/weights.h"
#include "nn/network.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Widths that fit no vector. */
static const gd_shape shape = {{784, 13, 11, 7, 5, 3, 10}};
enum { N_IMAGES = 300 }; /* chunks of 128, 128, 44 */

typedef struct fixture {
  void *block;
  gd_arena arena;
  gd_parameters parameters;
  gd_workspace *workspace;
  gd_evaluation evaluation;
  size_t n;        /* parameters */
  float *sequence; /* (n) random, the parameters' canonical sequence */
  float row[GD_MAX_WIDTH];
  uint8_t pixels[N_IMAGES * GD_N_PIXELS];
  uint8_t labels[N_IMAGES];
} fixture;

static gd_status lay_out(fixture *f) {
  gd_status status = gd_parameters_take(&f->arena, &shape, &f->parameters);
  if (status == GD_OK) {
    status = gd_workspace_take(&f->arena, &shape, GD_EVALUATION_CHUNK, 0, &f->workspace);
  }
  return status == GD_OK ? gd_evaluation_take(&f->arena, N_IMAGES, &f->evaluation) : status;
}

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  gd_random random;
  gd_random_init(&random, 3, 0);
  gd_arena_init_measuring(&f->arena);
  lay_out(f);
  size_t bytes = f->arena.used;
  f->block = aligned_alloc(GD_ARENA_ALIGNMENT, bytes);
  gd_arena_init(&f->arena, f->block, bytes);
  assert_int_equal(lay_out(f), GD_OK);
  f->n = (size_t)gd_shape_n_parameters(&shape);
  f->sequence = malloc(f->n * sizeof *f->sequence);
  for (uint64_t i = 0; i < f->n; i++) {
    f->sequence[i] = (float)(gd_random_unit(gd_random_next(&random)) - 0.5);
  }
  for (size_t i = 0; i < sizeof f->pixels; i++) {
    uint32_t draw = gd_random_next(&random);
    f->pixels[i] = draw % 5 == 0 ? (uint8_t)(draw >> 24) : 0;
  }
  for (int i = 0; i < N_IMAGES; i++) {
    f->labels[i] = (uint8_t)(i % GD_N_CLASSES);
  }
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  free(f->block);
  free(f->sequence);
  free(f);
  return 0;
}

/* Imports the sequence in pieces of `piece` numbers. */
static gd_status import_all(fixture *f, uint64_t piece, uint8_t digest[GD_SHA256_BYTES],
                            gd_report *report) {
  gd_weights_import import;
  gd_weights_import_start(&import, &f->parameters);
  for (uint64_t i = 0; i < f->n; i += piece) {
    uint64_t n = f->n - i < piece ? f->n - i : piece;
    gd_status status = gd_weights_import_append(&import, f->sequence + i, n, report);
    if (status != GD_OK) {
      return status;
    }
  }
  return gd_weights_import_finish(&import, digest, report);
}

static void stands_in_the_canonical_order(void **state) {
  fixture *f = *state;
  uint8_t digest[GD_SHA256_BYTES];
  assert_int_equal(import_all(f, f->n, digest, NULL), GD_OK);
  const float *next = f->sequence;
  for (unsigned layer = 0; layer < GD_N_LAYERS; layer++) {
    uint32_t in = shape.widths[layer];
    uint32_t out = shape.widths[layer + 1];
    for (uint32_t o = 0; o < out; o++) {
      gd_parameters_read_row(&f->parameters, layer, o, f->row);
      assert_memory_equal(f->row, next, in * sizeof *next);
      next += in;
    }
    assert_memory_equal(gd_parameters_bias(&f->parameters, layer), next, out * sizeof *next);
    next += out;
  }
  assert_true(next == f->sequence + f->n);
}

static void takes_pieces_of_any_length(void **state) {
  fixture *f = *state;
  static const uint64_t pieces[] = {1, 7, 783, 784, 785, 4096};
  uint8_t expected[GD_SHA256_BYTES];
  gd_sha256_of(f->sequence, f->n * sizeof *f->sequence, expected);
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    uint8_t digest[GD_SHA256_BYTES];
    memset(f->parameters.values, 0, (size_t)f->parameters.n_values * sizeof(float));
    assert_int_equal(import_all(f, pieces[i], digest, NULL), GD_OK);
    assert_memory_equal(digest, expected, sizeof digest);
    gd_weights_digest(&f->parameters, f->row, digest);
    assert_memory_equal(digest, expected, sizeof digest);
  }
}

static void hashes_in_slices(void **state) {
  fixture *f = *state;
  uint8_t expected[GD_SHA256_BYTES];
  uint8_t digest[GD_SHA256_BYTES];
  gd_weights_cursor cursor = {0, 0};
  gd_sha256 sha;
  uint64_t n_done = 0;
  assert_int_equal(import_all(f, f->n, expected, NULL), GD_OK);
  gd_sha256_init(&sha);
  while (cursor.layer < GD_N_LAYERS) {
    n_done += gd_weights_hash(&f->parameters, &cursor, f->row, 1000, &sha);
  }
  gd_sha256_read(&sha, digest);
  assert_int_equal(n_done, f->n);
  assert_memory_equal(digest, expected, sizeof digest);
}

static void reads_any_part(void **state) {
  fixture *f = *state;
  uint8_t digest[GD_SHA256_BYTES];
  gd_random random;
  gd_report report;
  float *out = malloc(f->n * sizeof *out);
  import_all(f, f->n, digest, NULL);
  gd_random_init(&random, 11, 0);
  for (int i = 0; i < 2000; i++) {
    size_t first = gd_random_next(&random) % (f->n + 1);
    size_t n = gd_random_next(&random) % (f->n - first + 1);
    assert_int_equal(gd_weights_read(&f->parameters, f->row, first, n, out, NULL), GD_OK);
    assert_memory_equal(out, f->sequence + first, n * sizeof *out);
  }
  assert_int_equal(gd_weights_read(&f->parameters, f->row, 1, f->n, out, &report),
                   GD_WRONG_PARAMETER_COUNT);
  assert_int_equal(gd_weights_read(&f->parameters, f->row, f->n + 1, 0, out, &report),
                   GD_WRONG_PARAMETER_COUNT);
  assert_int_equal(gd_weights_read(&f->parameters, f->row, UINT64_MAX, 2, out, &report),
                   GD_WRONG_PARAMETER_COUNT);
  free(out);
}

static void refuses_weights_that_are_not_finite(void **state) {
  fixture *f = *state;
  uint8_t digest[GD_SHA256_BYTES];
  gd_report report;
  /* The third number of layer 1's bias. */
  uint64_t at = 784 * 13 + 13 + 13 * 11 + 2;
  f->sequence[at] = NAN;
  assert_int_equal(import_all(f, 100, digest, &report), GD_WEIGHT_NOT_FINITE);
  assert_string_equal(report.subject, "layer_1.bias");
  assert_string_equal(report.found, "NaN");
  assert_int_equal(report.offset, at * 4);
  f->sequence[at] = 0;
  f->sequence[5] = -INFINITY;
  assert_int_equal(import_all(f, 100, digest, &report), GD_WEIGHT_NOT_FINITE);
  assert_string_equal(report.subject, "layer_0.weight");
  assert_string_equal(report.found, "-Infinity");
  f->sequence[5] = 0;
}

static void refuses_another_number_of_weights(void **state) {
  fixture *f = *state;
  uint8_t digest[GD_SHA256_BYTES];
  gd_weights_import import;
  gd_report report;
  gd_weights_import_start(&import, &f->parameters);
  gd_weights_import_append(&import, f->sequence, f->n - 1, NULL);
  assert_int_equal(gd_weights_import_finish(&import, digest, &report), GD_WRONG_PARAMETER_COUNT);
  assert_string_equal(report.expected, "10541");
  assert_string_equal(report.found, "10540");
  assert_int_equal(gd_weights_import_append(&import, f->sequence, 3, &report),
                   GD_WRONG_PARAMETER_COUNT);
  assert_string_equal(report.expected, "10541");
  assert_string_equal(report.found, "10543");
}

/* ---- Evaluation ---- */

static void start(fixture *f, unsigned active) {
  gd_images images = {f->pixels, f->labels, N_IMAGES};
  gd_evaluation_start(&f->evaluation, &f->parameters, &images, active);
}

static void run_to_the_end(fixture *f, unsigned active) {
  start(f, active);
  while (gd_evaluation_step(&f->evaluation, f->workspace, NULL) > 0) {
  }
}

static void evaluates_in_chunks(void **state) {
  fixture *f = *state;
  start(f, GD_ALL_BRANCHES);
  assert_true(isnan(gd_evaluation_accuracy(&f->evaluation)));
  assert_int_equal(gd_evaluation_step(&f->evaluation, f->workspace, NULL), 172);
  assert_int_equal(gd_evaluation_step(&f->evaluation, f->workspace, NULL), 44);
  assert_int_equal(gd_evaluation_step(&f->evaluation, f->workspace, NULL), 0);
  assert_int_equal(f->evaluation.n_done, N_IMAGES);
  assert_int_equal(gd_evaluation_step(&f->evaluation, f->workspace, NULL), 0);
  assert_int_equal(f->evaluation.n_done, N_IMAGES);
}

/* All logits equal: every image is called a 0, at a cross-entropy of ln 10. */
static void takes_the_lowest_digit_on_a_tie(void **state) {
  fixture *f = *state;
  memset(f->parameters.values, 0, (size_t)f->parameters.n_values * sizeof(float));
  run_to_the_end(f, GD_ALL_BRANCHES);
  assert_int_equal(f->evaluation.n_errors, N_IMAGES * 9 / 10);
  assert_true(gd_evaluation_accuracy(&f->evaluation) == 0.1);
  assert_true(fabs(gd_evaluation_cross_entropy(&f->evaluation) - log(10)) < 1e-13);
  for (int i = 0; i < N_IMAGES; i++) {
    assert_int_equal(f->evaluation.predictions[i], 0);
  }
  gd_parameters_bias(&f->parameters, 5)[6] = 1;
  gd_parameters_bias(&f->parameters, 5)[8] = 1;
  run_to_the_end(f, GD_ALL_BRANCHES);
  for (int i = 0; i < N_IMAGES; i++) {
    assert_int_equal(f->evaluation.predictions[i], 6);
  }
}

/* Every figure again, image by image, from single forward passes. */
static void agrees_with_single_images(void **state) {
  fixture *f = *state;
  uint8_t digest[GD_SHA256_BYTES];
  import_all(f, f->n, digest, NULL);
  for (unsigned active = 0; active <= GD_ALL_BRANCHES; active++) {
    uint32_t confusion[GD_N_CLASSES][GD_N_CLASSES] = {{0}};
    double loss_sum = 0;
    uint32_t n_errors = 0;
    run_to_the_end(f, active);
    for (uint32_t i = 0; i < N_IMAGES; i++) {
      gd_minibatch one = {.pixels = f->pixels, .first = i, .n_images = 1};
      float logits[GD_N_CLASSES];
      float probabilities[GD_N_CLASSES];
      unsigned best = 0;
      gd_network_forward(&f->parameters, f->workspace, NULL, &one, active, logits);
      loss_sum += gd_softmax_cross_entropy(logits, f->labels[i], probabilities);
      for (unsigned c = 0; c < GD_N_CLASSES; c++) {
        best = logits[c] > logits[best] ? c : best;
      }
      confusion[f->labels[i]][best]++;
      n_errors += best != f->labels[i];
      assert_int_equal(f->evaluation.predictions[i], best);
      assert_memory_equal(f->evaluation.probabilities + (size_t)i * GD_N_CLASSES, probabilities,
                          sizeof probabilities);
    }
    assert_true(f->evaluation.loss_sum == loss_sum);
    assert_int_equal(f->evaluation.n_errors, n_errors);
    assert_memory_equal(f->evaluation.confusion, confusion, sizeof confusion);
  }
}

static void counts_each_digit(void **state) {
  fixture *f = *state;
  uint8_t digest[GD_SHA256_BYTES];
  uint32_t counts[GD_N_CLASSES];
  uint32_t right[GD_N_CLASSES];
  uint32_t n_right = 0;
  import_all(f, f->n, digest, NULL);
  run_to_the_end(f, GD_ALL_BRANCHES);
  gd_evaluation_per_digit(&f->evaluation, counts, right);
  for (int d = 0; d < GD_N_CLASSES; d++) {
    uint32_t n = 0;
    for (int i = d; i < N_IMAGES; i += GD_N_CLASSES) {
      n += f->evaluation.predictions[i] == d;
    }
    assert_int_equal(counts[d], N_IMAGES / GD_N_CLASSES);
    assert_int_equal(right[d], n);
    n_right += n;
  }
  assert_int_equal(n_right, N_IMAGES - f->evaluation.n_errors);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stands_in_the_canonical_order),
      cmocka_unit_test(takes_pieces_of_any_length),
      cmocka_unit_test(hashes_in_slices),
      cmocka_unit_test(reads_any_part),
      cmocka_unit_test(refuses_weights_that_are_not_finite),
      cmocka_unit_test(refuses_another_number_of_weights),
      cmocka_unit_test(evaluates_in_chunks),
      cmocka_unit_test(takes_the_lowest_digit_on_a_tie),
      cmocka_unit_test(agrees_with_single_images),
      cmocka_unit_test(counts_each_digit),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
