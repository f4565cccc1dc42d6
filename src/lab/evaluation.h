/* Evaluation of parameters on a split, in chunks: accuracy, cross-entropy, confusion, predictions
 * and probabilities. */
#ifndef GD_LAB_EVALUATION_H
#define GD_LAB_EVALUATION_H

#include "base/arena.h"
#include "lab/images.h"
#include "nn/network.h"

#include <stdint.h>

/* Images of one step, at most: few enough for a quick stop. */
#define GD_EVALUATION_CHUNK 128u

typedef struct gd_evaluation {
  /* What is evaluated: borrowed. */
  const gd_parameters *parameters;
  gd_images images;
  unsigned active; /* mask of the branches that take part */

  /* What has come out so far, over the first n_done images. */
  uint32_t n_done;
  uint32_t n_errors;
  double loss_sum; /* of the images' cross-entropies, added in double, images ascending */
  uint32_t confusion[GD_N_CLASSES][GD_N_CLASSES]; /* [true][predicted] */
  uint8_t *predictions; /* (n_images): argmax of the logits, the lowest index on a tie */
  float *probabilities; /* (n_images, 10) row-major */
} gd_evaluation;

/* Takes room for the predictions and probabilities of up to n_images images. OUT_OF_MEMORY where
 * the arena has none; with a measuring arena only the size grows. */
gd_status gd_evaluation_take(gd_arena *arena, uint32_t n_images, gd_evaluation *out);

/* Starts over, on at most as many images as room was taken for. */
void gd_evaluation_start(gd_evaluation *evaluation, const gd_parameters *parameters,
                         const gd_images *images, unsigned active);

/* Evaluates the next chunk. Returns how many images are left; 0: all figures are complete. The
 * workspace takes at least GD_EVALUATION_CHUNK images. */
uint32_t gd_evaluation_step(gd_evaluation *evaluation, gd_workspace *workspace, gd_pool *pool);

/* The class of the largest logit, the lowest one on a tie. */
unsigned gd_argmax(const float logits[GD_N_CLASSES]);

/* Over the images done so far; of none: NaN. */
double gd_evaluation_accuracy(const gd_evaluation *evaluation);
double gd_evaluation_cross_entropy(const gd_evaluation *evaluation);

/* counts[d] = images of digit d, right[d] = those of them that are predicted right. */
void gd_evaluation_per_digit(const gd_evaluation *evaluation, uint32_t counts[GD_N_CLASSES],
                             uint32_t right[GD_N_CLASSES]);

#endif
