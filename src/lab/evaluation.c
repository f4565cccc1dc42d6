#include "lab/evaluation.h"

#include <math.h>
#include <string.h>

/* Parameters of a network of which GD_EVALUATION_CHUNK images take longer than a step should. */
#define LARGE_NETWORK (UINT64_C(1) << 24)

gd_status gd_evaluation_take(gd_arena *arena, uint32_t n_images, gd_evaluation *out) {
  memset(out, 0, sizeof *out);
  out->predictions = gd_arena_take(arena, n_images, sizeof *out->predictions);
  out->probabilities =
      gd_arena_take(arena, (size_t)n_images * GD_N_CLASSES, sizeof *out->probabilities);
  return arena->failed ? GD_OUT_OF_MEMORY : GD_OK;
}

void gd_evaluation_start(gd_evaluation *evaluation, const gd_parameters *parameters,
                         const gd_images *images, unsigned active) {
  evaluation->parameters = parameters;
  evaluation->images = *images;
  evaluation->active = active;
  evaluation->n_done = 0;
  evaluation->n_errors = 0;
  evaluation->loss_sum = 0;
  memset(evaluation->confusion, 0, sizeof evaluation->confusion);
}

unsigned gd_argmax(const float logits[GD_N_CLASSES]) {
  unsigned best = 0;
  for (unsigned c = 1; c < GD_N_CLASSES; c++) {
    if (logits[c] > logits[best]) {
      best = c;
    }
  }
  return best;
}

/* Smaller chunks for networks that take long. Each image is its own: no figure depends on it. */
static uint32_t chunk_of(const gd_shape *shape) {
  return gd_shape_n_parameters(shape) > LARGE_NETWORK ? GD_EVALUATION_CHUNK / 4
                                                      : GD_EVALUATION_CHUNK;
}

uint32_t gd_evaluation_step(gd_evaluation *evaluation, gd_workspace *workspace, gd_pool *pool) {
  const gd_images *images = &evaluation->images;
  uint32_t first = evaluation->n_done;
  uint32_t n_left = images->n_images - first;
  uint32_t chunk = chunk_of(&evaluation->parameters->shape);
  uint32_t n = n_left < chunk ? n_left : chunk;
  if (n == 0) {
    return 0;
  }
  float logits[GD_EVALUATION_CHUNK * GD_N_CLASSES];
  gd_minibatch minibatch = {
      .pixels = images->pixels, .labels = images->labels, .first = first, .n_images = n};
  gd_network_forward(evaluation->parameters, workspace, pool, &minibatch, evaluation->active,
                     logits);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = first + k;
    const float *row = logits + (size_t)k * GD_N_CLASSES;
    unsigned label = images->labels[i];
    unsigned predicted = gd_argmax(row);
    evaluation->loss_sum += gd_softmax_cross_entropy(
        row, images->labels[i], evaluation->probabilities + (size_t)i * GD_N_CLASSES);
    evaluation->predictions[i] = (uint8_t)predicted;
    evaluation->confusion[label][predicted]++;
    evaluation->n_errors += predicted != label;
  }
  evaluation->n_done = first + n;
  return n_left - n;
}

double gd_evaluation_accuracy(const gd_evaluation *evaluation) {
  return evaluation->n_done == 0
             ? NAN
             : (double)(evaluation->n_done - evaluation->n_errors) / evaluation->n_done;
}

double gd_evaluation_cross_entropy(const gd_evaluation *evaluation) {
  return evaluation->n_done == 0 ? NAN : evaluation->loss_sum / evaluation->n_done;
}

void gd_evaluation_per_digit(const gd_evaluation *evaluation, uint32_t counts[GD_N_CLASSES],
                             uint32_t right[GD_N_CLASSES]) {
  for (int d = 0; d < GD_N_CLASSES; d++) {
    counts[d] = 0;
    for (int predicted = 0; predicted < GD_N_CLASSES; predicted++) {
      counts[d] += evaluation->confusion[d][predicted];
    }
    right[d] = evaluation->confusion[d][d];
  }
}
