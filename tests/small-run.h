/* A small run for tests: random pictures, a network of a few units. What is learnt does not matter. */
#ifndef GD_TESTS_SMALL_RUN_H
#define GD_TESTS_SMALL_RUN_H

#include "lab/run.h"

enum { N_TRAIN = 100, N_VALIDATION = 150 };

extern const gd_images train_images;
extern const gd_images validation_images;

/* Minibatches of 32, 32, 32 and 4 images. */
extern const gd_config small_config;

/* Draws the pictures: the set-up of a group of tests. */
int set_up_images(void **state);

/* A run in a block of exactly the bytes that gd_run_bytes says; release_run frees it. */
gd_run *create_run(const gd_config *config, const gd_parameters *initial);
void release_run(gd_run *run);

#endif
