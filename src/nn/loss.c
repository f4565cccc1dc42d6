#include "nn/loss.h"
#include "nn/elementary.h"

/* e^(logit - largest), so that nothing overflows; returns their sum. */
static double exponentials(const float logits[GD_N_CLASSES], float *largest,
                           double e[GD_N_CLASSES]) {
  *largest = logits[0];
  for (int c = 1; c < GD_N_CLASSES; c++) {
    if (logits[c] > *largest) {
      *largest = logits[c];
    }
  }
  double sum = 0.0;
  for (int c = 0; c < GD_N_CLASSES; c++) {
    e[c] = gd_exp((double)logits[c] - (double)*largest);
    sum += e[c];
  }
  return sum;
}

double gd_softmax_cross_entropy(const float logits[GD_N_CLASSES], uint8_t label,
                                float probabilities[GD_N_CLASSES]) {
  double e[GD_N_CLASSES];
  float largest = 0.0f;
  const double sum = exponentials(logits, &largest, e);
  for (int c = 0; c < GD_N_CLASSES; c++) {
    probabilities[c] = (float)(e[c] / sum);
  }
  return gd_log(sum) - ((double)logits[label] - (double)largest);
}

double gd_softmax_gradient(const float logits[GD_N_CLASSES], uint8_t label, uint32_t n_images,
                           float dlogits[GD_N_CLASSES]) {
  double e[GD_N_CLASSES];
  float largest = 0.0f;
  const double sum = exponentials(logits, &largest, e);
  for (int c = 0; c < GD_N_CLASSES; c++) {
    dlogits[c] = (float)((e[c] / sum - (c == label)) / n_images);
  }
  return gd_log(sum) - ((double)logits[label] - (double)largest);
}
