#include "small-run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

static uint8_t train_pixels[N_TRAIN * GD_N_PIXELS];
static uint8_t train_labels[N_TRAIN];
static uint8_t validation_pixels[N_VALIDATION * GD_N_PIXELS];
static uint8_t validation_labels[N_VALIDATION];
const gd_images train_images = {train_pixels, train_labels, N_TRAIN};
const gd_images validation_images = {validation_pixels, validation_labels, N_VALIDATION};

const gd_config small_config = {.shape = {{784, 13, 11, 7, 5, 3, 10}},
                                .n_train = N_TRAIN,
                                .test_set = 2000,
                                .n_epochs = 4,
                                .batch = 32, /* 32, 32, 32 and 4 images */
                                .learning_rate = 0.03,
                                .drop_probability = 0.5,
                                .mask = 13,
                                .seed = 201};

/* They say something of their digit, so that losses fall and rise. */
static void draw_pictures(gd_random *random, uint8_t *pixels, uint8_t *labels, int n) {
  for (int i = 0; i < n; i++) {
    labels[i] = (uint8_t)(i % GD_N_CLASSES);
    for (int k = 0; k < GD_N_PIXELS; k++) {
      uint32_t draw = gd_random_next(random);
      int is_inside = k / 79 == labels[i];
      pixels[i * GD_N_PIXELS + k] = draw % (is_inside ? 2 : 9) == 0 ? (uint8_t)(draw >> 24) : 0;
    }
  }
}

int set_up_images(void **state) {
  (void)state;
  gd_random random;
  gd_random_init(&random, 42, 0);
  draw_pictures(&random, train_pixels, train_labels, N_TRAIN);
  draw_pictures(&random, validation_pixels, validation_labels, N_VALIDATION);
  return 0;
}

gd_run *create_run(const gd_config *config, const gd_parameters *initial) {
  uint64_t bytes = 0;
  gd_arena arena;
  gd_run *run = NULL;
  assert_int_equal(gd_run_bytes(config, N_VALIDATION, &bytes, NULL), GD_OK);
  void *block = aligned_alloc(GD_ARENA_ALIGNMENT, (size_t)bytes);
  gd_arena_init(&arena, block, (size_t)bytes);
  assert_int_equal(
      gd_run_create(&arena, config, &train_images, &validation_images, initial, &run, NULL), GD_OK);
  assert_int_equal(arena.used, bytes);
  assert_ptr_equal(run, block); /* the first piece, so that the run can stand for the block */
  return run;
}

void release_run(gd_run *run) {
  free(run);
}
