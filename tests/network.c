/* The network: gradients by central differences, gates, frozen branches, the fast step against the
 * readable one. */
#include "nn/network.h"
#include "nn/layout.h"
#include "nn/lists.h"
#include "nn/pool.h"
#include "nn/reference.h"
#include "nn/self_check.h"

#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A network with its minibatch, in both forms. */
typedef struct fixture {
  gd_shape shape;
  gd_minibatch minibatch;
  gd_parameters weights;
  gd_parameters velocities;
  gd_workspace *workspace;
  float *canonical;
  float *canonical_velocities;
  float *scratch;
  uint8_t *pixels;
  uint8_t *labels;
  uint32_t *order;
  void *block;
} fixture;

static void take(gd_arena *arena, fixture *f, uint32_t n_images) {
  const size_t n = (size_t)gd_shape_n_parameters(&f->shape);
  gd_parameters_take(arena, &f->shape, &f->weights);
  gd_parameters_take(arena, &f->shape, &f->velocities);
  gd_workspace_take(arena, &f->shape, n_images, 1, &f->workspace);
  f->canonical = gd_arena_take(arena, n, sizeof(float));
  f->canonical_velocities = gd_arena_take(arena, n, sizeof(float));
  f->scratch = gd_arena_take(arena, gd_reference_scratch(&f->shape, n_images), sizeof(float));
  f->pixels = gd_arena_take(arena, (size_t)n_images * 2, GD_N_PIXELS);
  f->labels = gd_arena_take(arena, (size_t)n_images * 2, 1);
  f->order = gd_arena_take(arena, n_images, sizeof *f->order);
}

static void to_fast(const gd_shape *shape, const float *canonical, gd_parameters *fast) {
  for (unsigned l = 0; l < GD_N_LAYERS; l++) {
    for (uint32_t o = 0; o < shape->widths[l + 1]; o++) {
      gd_parameters_write_row(fast, l, o, canonical);
      canonical += shape->widths[l];
    }
    memcpy(gd_parameters_bias(fast, l), canonical, shape->widths[l + 1] * sizeof(float));
    canonical += shape->widths[l + 1];
  }
}

static void to_canonical(const gd_parameters *fast, float *canonical) {
  for (unsigned l = 0; l < GD_N_LAYERS; l++) {
    for (uint32_t o = 0; o < fast->shape.widths[l + 1]; o++) {
      gd_parameters_read_row(fast, l, o, canonical);
      canonical += fast->shape.widths[l];
    }
    memcpy(canonical, gd_parameters_bias(fast, l), fast->shape.widths[l + 1] * sizeof(float));
    canonical += fast->shape.widths[l + 1];
  }
}

static void setup(fixture *f, const gd_shape *shape, uint32_t n_images, uint64_t *seed) {
  gd_arena arena;
  f->shape = *shape;
  gd_arena_init_measuring(&arena);
  take(&arena, f, n_images);
  f->block = aligned_alloc(GD_ARENA_ALIGNMENT, arena.used);
  assert_non_null(f->block);
  /* Poison: what is read without having been written is a NaN that no result survives. */
  memset(f->block, 0xff, arena.used);
  gd_arena_init(&arena, f->block, arena.used);
  take(&arena, f, n_images);
  assert_false(arena.failed);
  float *value = f->canonical;
  for (unsigned l = 0; l < GD_N_LAYERS; l++) {
    const float bound = 1.0f / sqrtf((float)shape->widths[l]);
    const size_t n = ((size_t)shape->widths[l] + 1) * shape->widths[l + 1];
    for (size_t k = 0; k < n; k++) {
      *value++ = harness_draw_float(seed) * bound;
    }
  }
  memset(f->canonical_velocities, 0, (size_t)gd_shape_n_parameters(shape) * sizeof(float));
  to_fast(shape, f->canonical, &f->weights);
  for (uint32_t k = 0; k < n_images * 2 * GD_N_PIXELS; k++) {
    f->pixels[k] = harness_draw_below(seed, 4) == 0 ? (uint8_t)harness_draw(seed) : 0;
  }
  for (uint32_t b = 0; b < n_images * 2; b++) {
    f->labels[b] = (uint8_t)harness_draw_below(seed, GD_N_CLASSES);
  }
  for (uint32_t b = 0; b < n_images; b++) {
    f->order[b] = harness_draw_below(seed, n_images * 2);
  }
  f->minibatch = (gd_minibatch){f->pixels, f->labels, f->order, 0, n_images};
}

static void teardown(fixture *f) {
  free(f->block);
}

/* The loss in double, straight from the formulas of network.h. */
static double oracle_loss(const fixture *f, const double *parameters, const gd_step *step) {
  const uint32_t *w = f->shape.widths;
  double *h = malloc(GD_MAX_WIDTH * sizeof *h);
  double *next = malloc(GD_MAX_WIDTH * sizeof *next);
  double loss = 0.0;
  for (uint32_t b = 0; b < f->minibatch.n_images; b++) {
    const uint32_t image = f->order[b];
    const double *p = parameters;
    for (uint32_t i = 0; i < GD_N_PIXELS; i++) {
      h[i] = f->pixels[(size_t)image * GD_N_PIXELS + i] / 255.0;
    }
    for (unsigned l = 0; l < GD_N_LAYERS; l++) {
      const double *bias = p + (size_t)w[l] * w[l + 1];
      const int is_branch = l >= 1 && l <= GD_N_BRANCHES;
      for (uint32_t o = 0; o < w[l + 1]; o++) {
        double sum = bias[o];
        for (uint32_t i = 0; i < w[l]; i++) {
          sum += p[(size_t)o * w[l] + i] * h[i];
        }
        if (is_branch) {
          const int is_skipped = step->skipped >> (l - 1) & 1u;
          sum = h[o] + (is_skipped ? 0.0 : (double)step->gain[l - 1] * sum);
        }
        next[o] = l < GD_N_LAYERS - 1 && sum < 0.0 ? 0.0 : sum;
      }
      memcpy(h, next, w[l + 1] * sizeof *h);
      p = bias + w[l + 1];
    }
    double sum = 0.0;
    for (int c = 0; c < GD_N_CLASSES; c++) {
      sum += exp(h[c]);
    }
    loss += log(sum) - h[f->labels[image]];
  }
  free(h);
  free(next);
  return loss / f->minibatch.n_images;
}

/* Every tensor's gradient under every mask of skipped branches. The gradient is the velocity after
 * one step with momentum 0; a handful of places in each tensor, those with the largest gradients
 * among them. */
static void gradients_match_central_differences(void **state) {
  (void)state;
  uint64_t seed = 20260909;
  print_message("seed %llu\n", (unsigned long long)seed);
  const gd_shape shape = {{GD_N_PIXELS, 22, 17, 12, 12, 6, GD_N_CLASSES}};
  const size_t n = (size_t)gd_shape_n_parameters(&shape);
  double *parameters = malloc(n * sizeof *parameters);
  float *gradient = malloc(n * sizeof *gradient);
  for (unsigned skipped = 0; skipped <= GD_ALL_BRANCHES; skipped++) {
    fixture f;
    setup(&f, &shape, 13, &seed);
    const gd_step step = {skipped, {2.0f, 1.0f, 4.0f, 2.0f}, 0.0f, 0.0f};
    for (size_t k = 0; k < n; k++) {
      parameters[k] = (double)f.canonical[k];
    }
    const double loss =
        gd_network_step(&f.weights, &f.velocities, f.workspace, NULL, &f.minibatch, &step);
    /* float32 forward pass: relative 2^-24 times a few roundings in a row */
    assert_true(fabs(loss - oracle_loss(&f, parameters, &step)) < 1e-5);
    to_canonical(&f.velocities, gradient);
    size_t start = 0;
    for (unsigned l = 0; l < GD_N_LAYERS; l++) {
      const size_t n_layer = ((size_t)shape.widths[l] + 1) * shape.widths[l + 1];
      size_t largest = start;
      for (size_t k = start; k < start + n_layer; k++) {
        largest = fabsf(gradient[k]) > fabsf(gradient[largest]) ? k : largest;
      }
      for (int sample = 0; sample < 12; sample++) {
        size_t k = sample == 0 ? largest : start + harness_draw_below(&seed, (uint32_t)n_layer);
        k = sample < 4 && sample > 0 ? start + n_layer - (size_t)sample : k; /* biases too */
        /* Small enough that hardly any ReLU changes sides, large enough for double: error ~ eps^2 +
         * 1e-16 / eps. */
        const double eps = 1e-6;
        const double kept = parameters[k];
        parameters[k] = kept + eps;
        const double above = oracle_loss(&f, parameters, &step);
        parameters[k] = kept - eps;
        const double below = oracle_loss(&f, parameters, &step);
        parameters[k] = kept;
        const double expected = (above - below) / (2 * eps);
        /* float32 sums of up to a few hundred terms: n eps = 300 * 2^-24 = 2e-5 of the terms' size,
         * itself at most 1 */
        if (fabs((double)gradient[k] - expected) > 2e-5 + 1e-3 * fabs(expected)) {
          fail_msg("mask %u layer %u value %zu: gradient %g, expected %g", skipped, l, k - start,
                   (double)gradient[k], expected);
        }
      }
      start += n_layer;
    }
    teardown(&f);
  }
  free(parameters);
  free(gradient);
}

static void skipped_branches_keep_their_bits(void **state) {
  (void)state;
  uint64_t seed = 77;
  print_message("seed %llu\n", (unsigned long long)seed);
  const gd_shape shape = {{GD_N_PIXELS, 40, 33, 20, 9, 7, GD_N_CLASSES}};
  const size_t n = (size_t)gd_shape_n_parameters(&shape);
  float *before[2] = {malloc(n * sizeof(float)), malloc(n * sizeof(float))};
  float *after[2] = {malloc(n * sizeof(float)), malloc(n * sizeof(float))};
  for (unsigned skipped = 0; skipped <= GD_ALL_BRANCHES; skipped++) {
    fixture f;
    setup(&f, &shape, 20, &seed);
    /* One step with every branch first, so that the velocities that must stay are not zero. */
    gd_step step = {0, {2.0f, 2.0f, 2.0f, 2.0f}, 0.05f, 0.9f};
    gd_network_step(&f.weights, &f.velocities, f.workspace, NULL, &f.minibatch, &step);
    to_canonical(&f.weights, before[0]);
    to_canonical(&f.velocities, before[1]);
    step.skipped = skipped;
    gd_network_step(&f.weights, &f.velocities, f.workspace, NULL, &f.minibatch, &step);
    to_canonical(&f.weights, after[0]);
    to_canonical(&f.velocities, after[1]);
    size_t start = 0;
    for (unsigned l = 0; l < GD_N_LAYERS; l++) {
      const size_t n_layer = ((size_t)shape.widths[l] + 1) * shape.widths[l + 1];
      const int frozen = l >= 1 && l <= GD_N_BRANCHES && (skipped >> (l - 1) & 1u);
      for (int t = 0; t < 2; t++) {
        const int same = memcmp(before[t] + start, after[t] + start, n_layer * sizeof(float)) == 0;
        assert_int_equal(same, frozen);
      }
      start += n_layer;
    }
    teardown(&f);
  }
  for (int t = 0; t < 2; t++) {
    free(before[t]);
    free(after[t]);
  }
}

/* Random shapes, minibatches, masks and gains: all bits of the fast step are the reference's. */
static void fast_step_equals_reference(void **state) {
  (void)state;
  uint64_t seed = 4711;
  print_message("seed %llu\n", (unsigned long long)seed);
  for (int round = 0; round < 40; round++) {
    gd_shape shape = {{GD_N_PIXELS, 0, 0, 0, 0, 0, GD_N_CLASSES}};
    /* The last ones need several blocks of a list (GD_FEATURE_BLOCK columns). */
    uint32_t width = 1 + harness_draw_below(&seed, round < 30 ? 70 : 150);
    width = round < 38 ? width : GD_FEATURE_BLOCK * (round - 37) + width;
    for (unsigned l = 1; l < GD_N_LAYERS; l++) {
      shape.widths[l] = width;
      width -= harness_draw_below(&seed, (width + 1) / 2);
    }
    const uint32_t n_images = 1 + harness_draw_below(&seed, round % 4 == 0 ? GD_MAX_BATCH : 24);
    fixture f;
    setup(&f, &shape, n_images, &seed);
    const size_t n = (size_t)gd_shape_n_parameters(&shape);
    float *found = malloc(n * sizeof *found);
    for (int s = 0; s < 3; s++) {
      const gd_step step = {
          harness_draw_below(&seed, 16), {1.0f, 2.0f, 1.0f / 0.75f, 4.0f}, 0.03f, 0.9f};
      f.minibatch.n_images = s == 1 ? (n_images + 1) / 2 : n_images;
      const double loss =
          gd_network_step(&f.weights, &f.velocities, f.workspace, NULL, &f.minibatch, &step);
      const double expected = gd_reference_step(&shape, f.canonical, f.canonical_velocities,
                                                &f.minibatch, &step, f.scratch);
      assert_memory_equal(&loss, &expected, sizeof loss);
      to_canonical(&f.weights, found);
      assert_memory_equal(found, f.canonical, n * sizeof *found);
      to_canonical(&f.velocities, found);
      assert_memory_equal(found, f.canonical_velocities, n * sizeof *found);
    }
    free(found);
    teardown(&f);
  }
}

/* Each image's logits are its own: they do not depend on its neighbours, its place or the
 * minibatch's size. */
static void forward_does_not_mix_images(void **state) {
  (void)state;
  uint64_t seed = 99;
  print_message("seed %llu\n", (unsigned long long)seed);
  const gd_shape shape = {{GD_N_PIXELS, 61, 50, 31, 31, 12, GD_N_CLASSES}};
  fixture f;
  setup(&f, &shape, 37, &seed);
  float together[37 * GD_N_CLASSES];
  float alone[GD_N_CLASSES];
  for (unsigned active = 0; active <= GD_ALL_BRANCHES; active++) {
    f.minibatch = (gd_minibatch){f.pixels, NULL, f.order, 0, 37};
    gd_network_forward(&f.weights, f.workspace, NULL, &f.minibatch, active, together);
    for (uint32_t b = 0; b < 37; b++) {
      f.minibatch = (gd_minibatch){f.pixels, NULL, NULL, f.order[b], 1};
      gd_network_forward(&f.weights, f.workspace, NULL, &f.minibatch, active, alone);
      assert_memory_equal(alone, together + b * GD_N_CLASSES, sizeof alone);
    }
  }
  teardown(&f);
}

static void self_check_passes(void **state) {
  (void)state;
  gd_arena arena;
  gd_report report = {0};
  gd_arena_init_measuring(&arena);
  assert_int_equal(gd_self_check(&arena, NULL, &report), GD_OK);
  const size_t bytes = arena.used;
  void *block = aligned_alloc(GD_ARENA_ALIGNMENT, bytes);
  gd_arena_init(&arena, block, bytes);
  assert_int_equal(gd_self_check(&arena, NULL, &report), GD_OK);
  gd_arena_init(&arena, block, bytes - 1);
  assert_int_equal(gd_self_check(&arena, NULL, &report), GD_OUT_OF_MEMORY);
  free(block);
}

/* The reference knows no threads: every number of them gives its bits. */
static void threads_change_no_bit(void **state) {
  (void)state;
  gd_arena measured;
  gd_report report = {0};
  gd_arena_init_measuring(&measured);
  assert_int_equal(gd_self_check(&measured, NULL, &report), GD_OK);
  void *block = aligned_alloc(GD_ARENA_ALIGNMENT, measured.used);
  for (unsigned n = 1; n <= 5; n++) {
    static _Alignas(GD_ARENA_ALIGNMENT) uint8_t pool_block[16384];
    gd_arena pool_arena;
    gd_pool *pool = NULL;
    gd_arena_init(&pool_arena, pool_block, sizeof pool_block);
    const gd_status started = gd_pool_start(&pool_arena, n, &pool);
#ifdef GD_THREADS
    assert_int_equal(started, GD_OK);
#else
    assert_int_equal(started, n == 1 ? GD_OK : GD_WRONG_STATE);
#endif
    assert_int_equal(gd_pool_n_threads(pool), started == GD_OK ? n : 1);
    for (unsigned round = 0; round < 8; round++) {
      gd_arena arena;
      if (pool != NULL && round >= 3) { /* all of them first, then fewer and more again */
        const unsigned n_used = 1 + (round * 7) % n;
        gd_pool_use(pool, n_used);
        assert_int_equal(gd_pool_n_threads(pool), n_used);
      }
      gd_arena_init(&arena, block, measured.used);
      assert_int_equal(gd_self_check(&arena, pool, &report), GD_OK);
    }
    gd_pool_stop(pool);
  }
  free(block);
}

static void count_worker(void *context, const gd_share *share) {
  unsigned *counts = context;
  counts[share->index]++;
}

/* Between the halves of a joint function the other workers are at it, and the caller is not. */
static void workers_work_by_themselves(void **state) {
  (void)state;
  static _Alignas(GD_ARENA_ALIGNMENT) uint8_t block[16384];
  enum { N_THREADS = 3, N_ROUNDS = 100 };
  gd_arena arena;
  gd_pool *pool = NULL;
  gd_arena_init(&arena, block, sizeof block);
  const gd_status status = gd_pool_start(&arena, N_THREADS, &pool);
#ifdef GD_THREADS
  unsigned counts[N_THREADS] = {0};
  assert_int_equal(status, GD_OK);
  for (unsigned round = 1; round <= N_ROUNDS; round++) {
    const unsigned job = gd_pool_begin(pool, count_worker, counts);
    if (round % 3 == 0) {
      gd_pool_use(pool, N_THREADS); /* ends it first */
      assert_true(gd_pool_is_done(pool, job));
    }
    while (round % 3 == 1 && !gd_pool_is_done(pool, job)) {
    }
    gd_pool_end(pool);
    gd_pool_end(pool); /* nothing is under way any more */
    assert_int_equal(counts[0], 0);
    assert_int_equal(counts[1], round);
    assert_int_equal(counts[2], round);
  }
  gd_pool_stop(pool);
#else
  (void)count_worker;
  assert_int_equal(status, GD_WRONG_STATE);
#endif
}

/* Part by part a step leaves the bits of a whole one. */
static void parts_make_a_whole_step(void **state) {
  (void)state;
  uint64_t seed = 15;
  print_message("seed %llu\n", (unsigned long long)seed);
  const gd_shape shape = {{GD_N_PIXELS, 45, 33, 33, 12, 9, GD_N_CLASSES}};
  const size_t n = (size_t)gd_shape_n_parameters(&shape);
  float *found = malloc(n * sizeof *found);
  fixture f;
  setup(&f, &shape, 21, &seed);
  for (unsigned skipped = 0; skipped <= GD_ALL_BRANCHES; skipped++) {
    const gd_step step = {skipped, {1.0f, 2.0f, 1.0f / 0.75f, 4.0f}, 0.03f, 0.9f};
    double loss = 0.0;
    for (unsigned part = 0; part < GD_N_STEP_PARTS; part++) {
      loss = gd_network_step_part(&f.weights, &f.velocities, f.workspace, NULL, &f.minibatch, &step,
                                  part);
    }
    const double expected = gd_reference_step(&shape, f.canonical, f.canonical_velocities,
                                              &f.minibatch, &step, f.scratch);
    assert_memory_equal(&loss, &expected, sizeof loss);
    to_canonical(&f.weights, found);
    assert_memory_equal(found, f.canonical, n * sizeof *found);
    to_canonical(&f.velocities, found);
    assert_memory_equal(found, f.canonical_velocities, n * sizeof *found);
  }
  free(found);
  teardown(&f);
}

/* In every layer; what is not a number is kept, so that it is noticed. */
static void velocities_below_the_limit_become_zero(void **state) {
  (void)state;
  static const float found[] = {0.0f,     0x1p-149f, -0x1p-100f, 0x1.fffffep-73f, -0x1.fffffep-73f,
                                0x1p-72f, -0x1p-72f, 1.0f,       -INFINITY,       NAN};
  static const float expected[] = {0.0f,     0.0f,      0.0f, 0.0f,      0.0f,
                                   0x1p-72f, -0x1p-72f, 1.0f, -INFINITY, NAN};
  enum { N = sizeof found / sizeof *found };
  const gd_shape shape = {{GD_N_PIXELS, 45, 33, 33, 12, 9, GD_N_CLASSES}};
  uint64_t seed = 16;
  fixture f;
  setup(&f, &shape, 1, &seed);
  for (uint64_t i = 0; i < f.velocities.n_values; i++) {
    f.velocities.values[i] = found[i % N];
  }
  gd_velocities_settle(&f.velocities);
  for (uint64_t i = 0; i < f.velocities.n_values; i++) {
    const float wanted = expected[i % N];
    const float value = f.velocities.values[i];
    assert_true(isnan(wanted) ? isnan(value) : value == wanted);
  }
  teardown(&f);
}

static void refuses_other_shapes(void **state) {
  (void)state;
  static const struct {
    gd_shape shape;
    const char *subject;
  } bad[] = {
      {{{783, 9, 8, 7, 6, 5, 10}}, "widths[0]"},    {{{784, 0, 0, 0, 0, 0, 10}}, "widths[1]"},
      {{{784, 4097, 8, 7, 6, 5, 10}}, "widths[1]"}, {{{784, 9, 10, 7, 6, 5, 10}}, "widths[2]"},
      {{{784, 9, 8, 7, 6, 0, 10}}, "widths[5]"},    {{{784, 9, 8, 7, 6, 5, 11}}, "widths[6]"},
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    gd_report report = {0};
    assert_int_equal(gd_shape_check(&bad[k].shape, &report), GD_WRONG_SHAPE);
    assert_string_equal(report.subject, bad[k].subject);
  }
  static const struct {
    gd_shape shape;
    uint64_t n_parameters;
  } presets[] = {
      {{{784, 128, 96, 64, 48, 32, 10}}, 124090},
      {{{784, 256, 192, 128, 96, 64, 10}}, 294250},
      {{{784, 128, 128, 128, 128, 128, 10}}, 167818},
      {{{784, 512, 384, 256, 192, 128, 10}}, 772810},
      {{{784, 2500, 2000, 1500, 1000, 500, 10}}, 11972510},
  };
  for (size_t k = 0; k < sizeof presets / sizeof *presets; k++) {
    assert_int_equal(gd_shape_check(&presets[k].shape, NULL), GD_OK);
    assert_int_equal(gd_shape_n_parameters(&presets[k].shape), presets[k].n_parameters);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_match_central_differences),
      cmocka_unit_test(skipped_branches_keep_their_bits),
      cmocka_unit_test(fast_step_equals_reference),
      cmocka_unit_test(forward_does_not_mix_images),
      cmocka_unit_test(self_check_passes),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(workers_work_by_themselves),
      cmocka_unit_test(parts_make_a_whole_step),
      cmocka_unit_test(velocities_below_the_limit_become_zero),
      cmocka_unit_test(refuses_other_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
