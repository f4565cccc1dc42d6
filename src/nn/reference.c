#include "nn/reference.h"

#include "nn/loss.h"
#include "nn/vector.h"

void gd_reference_affine(const float *x, const float *weight, const float *bias, float *y,
                         uint32_t n_batch, uint32_t n_in, uint32_t n_out) {
  for (uint32_t b = 0; b < n_batch; b++) {
    for (uint32_t o = 0; o < n_out; o++) {
      float sum = bias[o];
      for (uint32_t i = 0; i < n_in; i++) {
        const float input = x[(size_t)b * n_in + i];
        if (input != 0.0f) {
          sum = gd_scalar_madd(weight[(size_t)o * n_in + i], input, sum);
        }
      }
      y[(size_t)b * n_out + o] = sum;
    }
  }
}

static float relu(float x) {
  return x < 0.0f ? 0.0f : x;
}

void gd_reference_bypass(const float *x, const float *y, float gain, float *h, uint32_t n_batch,
                         uint32_t n_in, uint32_t n_out) {
  for (uint32_t b = 0; b < n_batch; b++) {
    for (uint32_t o = 0; o < n_out; o++) {
      h[(size_t)b * n_out + o] = relu(x[(size_t)b * n_in + o] + gain * y[(size_t)b * n_out + o]);
    }
  }
}

void gd_reference_input_gradient(const float *dy, const float *dz, uint32_t n_bypass,
                                 const float *weight, const float *h, float *dx, uint32_t n_batch,
                                 uint32_t n_in, uint32_t n_out) {
  for (uint32_t b = 0; b < n_batch; b++) {
    for (uint32_t i = 0; i < n_in; i++) {
      float sum = i < n_bypass ? dz[(size_t)b * n_bypass + i] : 0.0f;
      for (uint32_t o = 0; o < n_out; o++) {
        const float gradient = dy[(size_t)b * n_out + o];
        if (gradient != 0.0f) {
          sum = gd_scalar_madd(weight[(size_t)o * n_in + i], gradient, sum);
        }
      }
      dx[(size_t)b * n_in + i] = h[(size_t)b * n_in + i] > 0.0f ? sum : 0.0f;
    }
  }
}

static void descend(float *weight, float *velocity, float gradient, float learning_rate,
                    float momentum) {
  *velocity = gd_scalar_madd(momentum, *velocity, gradient);
  *weight = gd_scalar_madd(-learning_rate, *velocity, *weight);
}

void gd_reference_update(const float *x, const float *dy, float *weight, float *bias,
                         float *weight_velocity, float *bias_velocity, float learning_rate,
                         float momentum, uint32_t n_batch, uint32_t n_in, uint32_t n_out) {
  for (uint32_t o = 0; o < n_out; o++) {
    for (uint32_t i = 0; i < n_in; i++) {
      float gradient = 0.0f;
      for (uint32_t b = 0; b < n_batch; b++) {
        if (dy[(size_t)b * n_out + o] != 0.0f) {
          gradient = gd_scalar_madd(dy[(size_t)b * n_out + o], x[(size_t)b * n_in + i], gradient);
        }
      }
      const size_t at = (size_t)o * n_in + i;
      descend(&weight[at], &weight_velocity[at], gradient, learning_rate, momentum);
    }
    float gradient = 0.0f;
    for (uint32_t b = 0; b < n_batch; b++) {
      gradient += dy[(size_t)b * n_out + o];
    }
    descend(&bias[o], &bias_velocity[o], gradient, learning_rate, momentum);
  }
}

void gd_reference_scale(const uint8_t *pixels, float *x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    x[i] = (float)pixels[i] / 255.0f;
  }
}

size_t gd_reference_scratch(const gd_shape *shape, uint32_t n_batch) {
  size_t n = GD_N_PIXELS;
  for (unsigned l = 1; l < GD_N_WIDTHS; l++) {
    n += 4 * (size_t)shape->widths[l];
  }
  return n * n_batch;
}

/* A layer's place in the canonical arrays, and its activations. */
typedef struct reference_layer {
  float *weight;
  float *bias;
  float *weight_velocity;
  float *bias_velocity;
  float *affine; /* W x + b */
  float *h;      /* the layer's output */
  float *dz;     /* gradient by h's argument of ReLU (the logits for layer 5) */
  float *dy;     /* gradient by `affine` */
} reference_layer;

static void lay_out(const gd_shape *shape, float *parameters, float *velocities, uint32_t n_batch,
                    float *scratch, reference_layer layers[GD_N_LAYERS]) {
  for (unsigned l = 0; l < GD_N_LAYERS; l++) {
    const size_t n_weights = (size_t)shape->widths[l] * shape->widths[l + 1];
    const size_t n_outputs = (size_t)n_batch * shape->widths[l + 1];
    layers[l] = (reference_layer){parameters,
                                  parameters + n_weights,
                                  velocities,
                                  velocities + n_weights,
                                  scratch,
                                  scratch + n_outputs,
                                  scratch + 2 * n_outputs,
                                  scratch + 3 * n_outputs};
    parameters += n_weights + shape->widths[l + 1];
    velocities += n_weights + shape->widths[l + 1];
    scratch += 4 * n_outputs;
  }
}

double gd_reference_step(const gd_shape *shape, float *parameters, float *velocities,
                         const gd_minibatch *minibatch, const gd_step *step, float *scratch) {
  const uint32_t n = minibatch->n_images;
  const uint32_t *w = shape->widths;
  reference_layer layers[GD_N_LAYERS];
  float *x = scratch;
  lay_out(shape, parameters, velocities, n, scratch + (size_t)n * GD_N_PIXELS, layers);
  uint32_t images[GD_MAX_BATCH];
  for (uint32_t b = 0; b < n; b++) {
    images[b] = minibatch->order == NULL ? minibatch->first + b : minibatch->order[b];
    gd_reference_scale(minibatch->pixels + (size_t)images[b] * GD_N_PIXELS,
                       x + (size_t)b * GD_N_PIXELS, GD_N_PIXELS);
  }
  for (unsigned l = 0; l < GD_N_LAYERS; l++) {
    const float *input = l == 0 ? x : layers[l - 1].h;
    const size_t n_outputs = (size_t)n * w[l + 1];
    const int is_branch = l >= 1 && l <= GD_N_BRANCHES;
    float gain = is_branch ? step->gain[l - 1] : 1.0f;
    if (is_branch && (step->skipped >> (l - 1) & 1u)) {
      memset(layers[l].affine, 0, n_outputs * sizeof(float));
      gain = 0.0f;
    } else {
      gd_reference_affine(input, layers[l].weight, layers[l].bias, layers[l].affine, n, w[l],
                          w[l + 1]);
    }
    if (is_branch) {
      gd_reference_bypass(input, layers[l].affine, gain, layers[l].h, n, w[l], w[l + 1]);
    } else {
      for (size_t k = 0; k < n_outputs; k++) {
        layers[l].h[k] = l == 0 ? relu(layers[l].affine[k]) : layers[l].affine[k];
      }
    }
  }
  const reference_layer *classifier = &layers[GD_N_LAYERS - 1];
  double loss = 0.0;
  for (uint32_t b = 0; b < n; b++) {
    const size_t at = (size_t)b * GD_N_CLASSES;
    loss += gd_softmax_gradient(classifier->h + at, minibatch->labels[images[b]], n,
                                classifier->dy + at);
  }
  for (unsigned l = GD_N_LAYERS - 1; l < GD_N_LAYERS; l--) {
    const size_t n_outputs = (size_t)n * w[l + 1];
    const int is_branch = l >= 1 && l <= GD_N_BRANCHES;
    const int is_skipped = is_branch && (step->skipped >> (l - 1) & 1u);
    for (size_t k = 0; k < n_outputs && l < GD_N_LAYERS - 1; k++) {
      const float gain = is_branch ? step->gain[l - 1] : 1.0f;
      layers[l].dy[k] = is_skipped ? 0.0f : gain * layers[l].dz[k];
    }
    if (l > 0) {
      gd_reference_input_gradient(layers[l].dy, layers[l].dz, is_branch ? w[l + 1] : 0,
                                  layers[l].weight, layers[l - 1].h, layers[l - 1].dz, n, w[l],
                                  w[l + 1]);
    }
    if (!is_skipped) {
      gd_reference_update(l == 0 ? x : layers[l - 1].h, layers[l].dy, layers[l].weight,
                          layers[l].bias, layers[l].weight_velocity, layers[l].bias_velocity,
                          step->learning_rate, step->momentum, n, w[l], w[l + 1]);
    }
  }
  return loss / n;
}
