/* The lab's training step on OpenBLAS, natively, one thread: what the page is measured against.
 *
 * usage: openblas TRAIN.bin W0 W1 W2 W3 W4 W5 W6      (the seven widths)
 *
 * Answers lines on standard input: "N" trains the next N minibatches and prints "images seconds
 * loss" (the loss of the last one). First it prints the name of OpenBLAS's kernels. The network, its
 * initial weights and the order of the images are those of page/protocol.js. */
#include <cblas.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N_LAYERS = 6, N_PIXELS = 784, N_CLASSES = 10, BATCH = 64, N_TRAIN = 4000, SEED = 201 };
enum { ORDER_STREAM = 100000, HEADER_BYTES = 32, PIXELS_OFFSET_AT = 20, LABELS_OFFSET_AT = 24 };

static const float LEARNING_RATE = 0.03f;
static const float MOMENTUM = 0.9f;

/* One layer and what training it needs; weights (in, out) row-major. */
typedef struct layer {
  int n_in, n_out;
  int is_branch; /* adds the first n_out of its inputs */
  float *weight, *weight_velocity;
  float *bias, *bias_velocity;
  float *output;   /* (batch, n_out) */
  float *gradient; /* (batch, n_out): of the loss by this layer's sum, before its ReLU */
} layer;

static layer layers[N_LAYERS];
static float input[BATCH * N_PIXELS];

static uint8_t *pixels, *labels;
static int order[N_TRAIN];
static int next_image = N_TRAIN;
static uint32_t order_random = SEED + ORDER_STREAM;

static void fail(const char *what) {
  fprintf(stderr, "openblas: %s\n", what);
  exit(1);
}

/* mulberry32, a draw in [0, 1) */
static double draw(uint32_t *state) {
  *state += 0x6D2B79F5u;
  uint32_t t = *state;
  t = (t ^ t >> 15) * (t | 1);
  t ^= t + (t ^ t >> 7) * (t | 61);
  return (t ^ t >> 14) / 4294967296.0;
}

static float *take_floats(size_t n) {
  float *floats = NULL;
  if (posix_memalign((void **)&floats, 64, n * sizeof *floats) != 0) {
    fail("no memory");
  }
  memset(floats, 0, n * sizeof *floats);
  return floats;
}

static uint32_t read_u32(const uint8_t *from) {
  return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static void read_images(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    fail("the training images cannot be opened");
  }
  long bytes = ftell(file);
  rewind(file);
  uint8_t *content = malloc((size_t)bytes);
  if (content == NULL || bytes < HEADER_BYTES + N_TRAIN * (N_PIXELS + 1) ||
      fread(content, 1, (size_t)bytes, file) != (size_t)bytes) {
    fail("the training images cannot be read");
  }
  fclose(file);
  pixels = content + read_u32(content + PIXELS_OFFSET_AT);
  labels = content + read_u32(content + LABELS_OFFSET_AT);
}

static void open_network(const int widths[N_LAYERS + 1]) {
  uint32_t random = SEED;
  for (int l = 0; l < N_LAYERS; l++) {
    layer *layer = &layers[l];
    size_t n_in = (size_t)widths[l], n_out = (size_t)widths[l + 1];
    *layer = (struct layer){
        .n_in = widths[l],
        .n_out = widths[l + 1],
        .is_branch = l > 0 && l < N_LAYERS - 1,
        .weight = take_floats(n_in * n_out),
        .weight_velocity = take_floats(n_in * n_out),
        .bias = take_floats(n_out),
        .bias_velocity = take_floats(n_out),
        .output = take_floats(BATCH * n_out),
        .gradient = take_floats(BATCH * n_out),
    };
    double scale = sqrt((double)n_in);
    for (size_t o = 0; o < n_out; o++) {
      for (size_t i = 0; i < n_in; i++) {
        layer->weight[i * n_out + o] = (float)((2 * draw(&random) - 1) / scale);
      }
    }
    for (size_t o = 0; o < n_out; o++) {
      layer->bias[o] = (float)((2 * draw(&random) - 1) / scale);
    }
  }
}

/* Fills `input`; the epoch's last minibatch is short. Returns how many images; their labels in
 * `batch_labels`. */
static int take_minibatch(uint8_t batch_labels[BATCH]) {
  if (next_image == N_TRAIN) {
    next_image = 0;
    for (int i = 0; i < N_TRAIN; i++) {
      order[i] = i;
    }
    for (int i = N_TRAIN - 1; i > 0; i--) {
      int j = (int)(draw(&order_random) * (i + 1));
      int swapped = order[i];
      order[i] = order[j];
      order[j] = swapped;
    }
  }
  int n = N_TRAIN - next_image < BATCH ? N_TRAIN - next_image : BATCH;
  for (int b = 0; b < n; b++) {
    const uint8_t *image = pixels + (size_t)order[next_image + b] * N_PIXELS;
    for (int i = 0; i < N_PIXELS; i++) {
      input[b * N_PIXELS + i] = (float)image[i] / 255.0f;
    }
    batch_labels[b] = labels[order[next_image + b]];
  }
  next_image += n;
  return n;
}

static const float *input_of(int l) {
  return l == 0 ? input : layers[l - 1].output;
}

static void forward(int n) {
  for (int l = 0; l < N_LAYERS; l++) {
    const layer *layer = &layers[l];
    const float *x = input_of(l);
    int n_in = layer->n_in, n_out = layer->n_out;
    for (int b = 0; b < n; b++) {
      for (int o = 0; o < n_out; o++) {
        layer->output[b * n_out + o] = layer->bias[o] + (layer->is_branch ? x[b * n_in + o] : 0.0f);
      }
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n_out, n_in, 1.0f, x, n_in,
                layer->weight, n_out, 1.0f, layer->output, n_out);
    if (l < N_LAYERS - 1) {
      for (int k = 0; k < n * n_out; k++) {
        layer->output[k] = layer->output[k] > 0.0f ? layer->output[k] : 0.0f;
      }
    }
  }
}

/* Mean cross-entropy of the logits; its gradient goes into the classifier's. */
static double loss_and_gradient(int n, const uint8_t batch_labels[BATCH]) {
  const layer *classifier = &layers[N_LAYERS - 1];
  double loss = 0.0;
  for (int b = 0; b < n; b++) {
    const float *logits = classifier->output + b * N_CLASSES;
    float *gradient = classifier->gradient + b * N_CLASSES;
    float largest = logits[0], sum = 0.0f;
    for (int c = 1; c < N_CLASSES; c++) {
      largest = logits[c] > largest ? logits[c] : largest;
    }
    for (int c = 0; c < N_CLASSES; c++) {
      gradient[c] = expf(logits[c] - largest);
      sum += gradient[c];
    }
    loss += logf(sum) + largest - logits[batch_labels[b]];
    for (int c = 0; c < N_CLASSES; c++) {
      gradient[c] = (gradient[c] / sum - (float)(c == batch_labels[b])) / (float)n;
    }
  }
  return loss / n;
}

/* Gradient of the layer below, through this layer's weights and its bypass, where that one's ReLU
 * was open. */
static void input_gradient(int l, int n) {
  const layer *layer = &layers[l];
  int n_in = layer->n_in, n_out = layer->n_out;
  const float *dz = layer->gradient, *h = layers[l - 1].output;
  float *below = layers[l - 1].gradient;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n_in, n_out, 1.0f, dz, n_out,
              layer->weight, n_out, 0.0f, below, n_in);
  for (int b = 0; b < n; b++) {
    float *row = below + b * n_in;
    for (int o = 0; layer->is_branch && o < n_out; o++) {
      row[o] += dz[b * n_out + o];
    }
    for (int i = 0; i < n_in; i++) {
      row[i] = h[b * n_in + i] > 0.0f ? row[i] : 0.0f;
    }
  }
}

static void update(int l, int n) {
  const layer *layer = &layers[l];
  int n_in = layer->n_in, n_out = layer->n_out;
  const float *dz = layer->gradient;
  /* The product adds the velocity in the same pass: v = momentum v + x' dz. */
  cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n_in, n_out, n, 1.0f, input_of(l), n_in, dz,
              n_out, MOMENTUM, layer->weight_velocity, n_out);
  for (size_t k = 0; k < (size_t)n_in * (size_t)n_out; k++) {
    layer->weight[k] -= LEARNING_RATE * layer->weight_velocity[k];
  }
  for (int o = 0; o < n_out; o++) {
    layer->bias_velocity[o] *= MOMENTUM;
  }
  for (int b = 0; b < n; b++) {
    for (int o = 0; o < n_out; o++) {
      layer->bias_velocity[o] += dz[b * n_out + o];
    }
  }
  for (int o = 0; o < n_out; o++) {
    layer->bias[o] -= LEARNING_RATE * layer->bias_velocity[o];
  }
}

static double step(int *n_images) {
  uint8_t batch_labels[BATCH];
  int n = take_minibatch(batch_labels);
  forward(n);
  double loss = loss_and_gradient(n, batch_labels);
  for (int l = N_LAYERS - 1; l >= 0; l--) {
    if (l > 0) {
      input_gradient(l, n);
    }
    update(l, n);
  }
  *n_images += n;
  return loss;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int n_arguments, char **arguments) {
  int widths[N_LAYERS + 1];
  int n_minibatches = 0;
  if (n_arguments != N_LAYERS + 3) {
    fail("usage: openblas TRAIN.bin and seven widths");
  }
  for (int l = 0; l <= N_LAYERS; l++) {
    widths[l] = atoi(arguments[2 + l]);
  }
  if (widths[0] != N_PIXELS || widths[N_LAYERS] != N_CLASSES) {
    fail("the widths begin with 784 and end with 10");
  }
  openblas_set_num_threads(1);
  read_images(arguments[1]);
  open_network(widths);
  printf("%s\n", openblas_get_corename());
  fflush(stdout);
  while (scanf("%d", &n_minibatches) == 1) {
    int n_images = 0;
    double loss = NAN, start = now();
    for (int i = 0; i < n_minibatches; i++) {
      loss = step(&n_images);
    }
    printf("%d %.9f %.9f\n", n_images, now() - start, loss);
    fflush(stdout);
  }
  return 0;
}
