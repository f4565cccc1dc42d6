#include "nn/network.h"

#include "nn/dense.h"
#include "nn/layout.h"
#include "nn/loss.h"
#include "nn/pool.h"
#include "nn/sparse.h"
#include "nn/vector.h"

#define N_HIDDEN (GD_N_LAYERS - 1)

/* One layer's activations. A skipped branch's are its input's: the first rows of the same panels. */
typedef struct activation {
  gd_panels batch;
  float *features; /* the same in feature panels: of layer 0, NULL for the others */
} activation;

struct gd_workspace {
  gd_shape shape;
  uint32_t n_rows;   /* images that a panel has room for */
  uint32_t n_images; /* of the last minibatch */
  int training;
  gd_sparse_batch *sparse;
  activation own[N_HIDDEN]; /* each layer's memory */
  activation h[N_HIDDEN];   /* where each layer's activations are: own, or the layer's below */
  gd_panels logits;
  gd_panels dz[N_HIDDEN]; /* odd layers share one memory, even ones another */
  gd_panels dlogits;
  gd_panels dy;         /* gain dz, of one layer at a time */
  float *update_inputs; /* an update's images in feature panels, of one layer at a time */
  double losses[GD_MAX_BATCH];
};

static gd_panels take_panels(gd_arena *arena, uint32_t n_rows, uint32_t width) {
  const size_t stride = (size_t)width * GD_BATCH_PANEL;
  return (gd_panels){gd_arena_take(arena, n_rows / GD_BATCH_PANEL * stride, sizeof(float)), stride};
}

static float *take_features(gd_arena *arena, uint32_t n_rows, uint32_t width) {
  return gd_arena_take(arena, (size_t)gd_round_up(width, GD_FEATURE_PANEL) * n_rows, sizeof(float));
}

gd_status gd_workspace_take(gd_arena *arena, const gd_shape *shape, uint32_t n_max_batch,
                            int training, gd_workspace **out) {
  const uint32_t n_rows = gd_round_up(n_max_batch, GD_BATCH_PANEL);
  gd_workspace made = {.shape = *shape, .n_rows = n_rows, .training = training};
  gd_workspace *workspace = gd_arena_take(arena, 1, sizeof *workspace);
  made.sparse = gd_sparse_take(arena, n_max_batch, training);
  for (unsigned l = 0; l < N_HIDDEN; l++) {
    const uint32_t width = shape->widths[l + 1];
    made.own[l].batch = take_panels(arena, n_rows, width);
    if (training && l < 2) {
      made.dz[l] = take_panels(arena, n_rows, width);
    } else if (training) {
      made.dz[l] = (gd_panels){made.dz[l % 2].values, (size_t)width * GD_BATCH_PANEL};
    }
  }
  made.own[0].features = take_features(arena, n_rows, shape->widths[1]);
  made.logits = take_panels(arena, n_rows, GD_N_CLASSES);
  if (training) {
    made.dlogits = take_panels(arena, n_rows, GD_N_CLASSES);
    made.dy = take_panels(arena, n_rows, shape->widths[2]);
    made.update_inputs = take_features(arena, n_rows, shape->widths[1]);
  }
  if (arena->failed) {
    return GD_OUT_OF_MEMORY;
  }
  if (workspace != NULL) {
    *workspace = made;
  }
  *out = workspace;
  return GD_OK;
}

const char *gd_network_numerics(void) {
#ifdef GD_FUSED
  return "fused";
#else
  return "mul-add";
#endif
}

static gd_affine affine_layer(const gd_parameters *parameters, unsigned layer) {
  return (gd_affine){gd_parameters_weight(parameters, layer), gd_parameters_bias(parameters, layer),
                     gd_row_stride(&parameters->shape, layer), parameters->shape.widths[layer],
                     parameters->shape.widths[layer + 1]};
}

/* What the workers of one step or forward pass share. */
typedef struct network_pass {
  gd_parameters *parameters;
  gd_parameters *velocities;
  gd_workspace *workspace;
  const gd_minibatch *minibatch;
  const gd_step *step;
  unsigned first_part; /* of a step: these parts of it */
  unsigned end_part;
  unsigned skipped;
  float gain[GD_N_BRANCHES];
  float *logits;
} network_pass;

static int is_skipped(const network_pass *pass, unsigned layer) {
  return layer >= 1 && layer <= GD_N_BRANCHES && (pass->skipped >> (layer - 1) & 1u);
}

static void forward_features(const network_pass *pass, const gd_share *share) {
  gd_workspace *ws = pass->workspace;
  const uint32_t width = ws->shape.widths[1];
  uint32_t begin = 0;
  uint32_t end = 0;
  if (share->index == 0) {
    gd_sparse_gather(ws->sparse, pass->minibatch);
  }
  gd_share_barrier(share);
  gd_share_range(share, gd_n_panels(width, GD_FEATURE_PANEL), 1, &begin, &end);
  for (uint32_t q = begin; q < end; q++) { /* copied while it is in the cache */
    gd_sparse_forward(ws->sparse, gd_parameters_weight(pass->parameters, 0),
                      gd_parameters_bias(pass->parameters, 0), ws->own[0].features, ws->n_rows, q,
                      q + 1);
    gd_feature_to_batch_panels(ws->own[0].features, ws->n_rows, ws->own[0].batch.values,
                               ws->own[0].batch.stride, width, ws->n_images, q, q + 1);
  }
  gd_share_barrier(share);
}

static void forward_branch(const network_pass *pass, unsigned layer, const gd_share *share) {
  if (is_skipped(pass, layer)) {
    return;
  }
  gd_workspace *ws = pass->workspace;
  const gd_affine affine = affine_layer(pass->parameters, layer);
  uint32_t begin = 0;
  uint32_t end = 0;
  gd_share_range(share, affine.n_out, 4, &begin, &end);
  gd_dense_forward_branch(&affine, ws->h[layer - 1].batch, ws->own[layer].batch,
                          gd_n_panels(ws->n_images, GD_BATCH_PANEL), pass->gain[layer - 1], begin,
                          end);
  gd_share_barrier(share);
}

/* Every worker would write the same: done by the caller before they start. */
static void place_activations(const network_pass *pass) {
  gd_workspace *ws = pass->workspace;
  ws->n_images = pass->minibatch->n_images;
  for (unsigned l = 0; l < N_HIDDEN; l++) {
    ws->h[l] = is_skipped(pass, l) ? ws->h[l - 1] : ws->own[l];
  }
}

static void forward_classifier(const network_pass *pass, const gd_share *share) {
  const gd_workspace *ws = pass->workspace;
  const gd_affine classifier = affine_layer(pass->parameters, N_HIDDEN);
  uint32_t begin = 0;
  uint32_t end = 0;
  gd_share_range(share, GD_N_CLASSES, 1, &begin, &end);
  gd_dense_forward(&classifier, ws->h[N_HIDDEN - 1].batch, ws->logits,
                   gd_n_panels(ws->n_images, GD_BATCH_PANEL), begin, end);
  gd_share_barrier(share);
}

static void read_logits(const gd_workspace *ws, uint32_t image, float logits[GD_N_CLASSES]) {
  const float *lane =
      ws->logits.values + image / GD_BATCH_PANEL * ws->logits.stride + image % GD_BATCH_PANEL;
  for (uint32_t c = 0; c < GD_N_CLASSES; c++) {
    logits[c] = lane[c * GD_BATCH_PANEL];
  }
}

static void loss_gradient(const network_pass *pass, const gd_share *share) {
  gd_workspace *ws = pass->workspace;
  const gd_minibatch *minibatch = pass->minibatch;
  uint32_t begin = 0;
  uint32_t end = 0;
  gd_share_range(share, ws->n_images, GD_BATCH_PANEL, &begin, &end);
  for (uint32_t b = begin; b < end; b++) {
    const uint32_t image = minibatch->order == NULL ? minibatch->first + b : minibatch->order[b];
    float logits[GD_N_CLASSES];
    float dlogits[GD_N_CLASSES];
    read_logits(ws, b, logits);
    ws->losses[b] = gd_softmax_gradient(logits, minibatch->labels[image], ws->n_images, dlogits);
    float *lane = ws->dlogits.values + b / GD_BATCH_PANEL * ws->dlogits.stride + b % GD_BATCH_PANEL;
    for (uint32_t c = 0; c < GD_N_CLASSES; c++) {
      lane[c * GD_BATCH_PANEL] = dlogits[c];
    }
  }
  gd_share_barrier(share);
}

/* dz below a skipped branch: the bypass alone, no gradient for the rows that it crops away. */
static void pass_by(const gd_workspace *ws, unsigned layer, const gd_share *share) {
  uint32_t begin = 0;
  uint32_t end = 0;
  const size_t kept = (size_t)ws->shape.widths[layer + 1] * GD_BATCH_PANEL;
  gd_share_range(share, gd_n_panels(ws->n_images, GD_BATCH_PANEL), 1, &begin, &end);
  for (uint32_t p = begin; p < end; p++) {
    float *to = ws->dz[layer - 1].values + p * ws->dz[layer - 1].stride;
    memcpy(to, ws->dz[layer].values + p * ws->dz[layer].stride, kept * sizeof *to);
    memset(to + kept, 0, (ws->dz[layer - 1].stride - kept) * sizeof *to);
  }
  gd_share_barrier(share);
}

/* dy = gain dz, the gradient by a branch's affine map; dz itself where the gain is 1. */
static gd_panels affine_gradient(const network_pass *pass, unsigned layer) {
  const gd_workspace *ws = pass->workspace;
  if (layer == N_HIDDEN) {
    return ws->dlogits;
  }
  return pass->gain[layer - 1] == 1.0f ? ws->dz[layer]
                                       : (gd_panels){ws->dy.values, ws->dz[layer].stride};
}

static void scale_gradient(const gd_workspace *ws, unsigned layer, float gain, gd_panels dy,
                           const gd_share *share) {
  uint32_t begin = 0;
  uint32_t end = 0;
  const gd_v4 gains = gd_v4_splat(gain);
  gd_share_range(share, gd_n_panels(ws->n_images, GD_BATCH_PANEL), 1, &begin, &end);
  for (size_t i = begin * dy.stride; i < end * dy.stride; i += 4) {
    gd_v4_store(dy.values + i, gd_v4_mul(gains, gd_v4_load(ws->dz[layer].values + i)));
  }
  gd_share_barrier(share);
}

/* The gradient below layer 5..1, while its weights are still the old ones. */
static void backward_input(const network_pass *pass, unsigned layer, const gd_share *share) {
  gd_workspace *ws = pass->workspace;
  if (is_skipped(pass, layer)) {
    pass_by(ws, layer, share);
    return;
  }
  const int is_branch = layer <= GD_N_BRANCHES;
  const gd_affine affine = affine_layer(pass->parameters, layer);
  const gd_panels above = is_branch ? ws->dz[layer] : ws->dlogits;
  const gd_panels dy = affine_gradient(pass, layer);
  uint32_t begin = 0;
  uint32_t end = 0;
  if (dy.values != above.values) {
    scale_gradient(ws, layer, pass->gain[layer - 1], dy, share);
  }
  gd_share_range(share, affine.n_in, 4, &begin, &end);
  gd_dense_input_gradient(&affine, dy, above, is_branch ? affine.n_out : 0, ws->h[layer - 1].batch,
                          ws->dz[layer - 1], gd_n_panels(ws->n_images, GD_BATCH_PANEL), begin, end);
  gd_share_barrier(share);
}

/* The layer's input in feature panels; its rows are the first of them. */
static const float *input_features(const gd_workspace *ws, unsigned layer, const gd_share *share) {
  const activation input = ws->h[layer - 1];
  const uint32_t n_in = ws->shape.widths[layer];
  uint32_t begin = 0;
  uint32_t end = 0;
  if (input.features != NULL) {
    return input.features;
  }
  gd_share_range(share, gd_n_panels(n_in, GD_FEATURE_PANEL), 1, &begin, &end);
  gd_batch_to_feature_panels(input.batch.values, input.batch.stride, ws->update_inputs, ws->n_rows,
                             n_in, ws->n_images, begin, end);
  gd_share_barrier(share);
  return ws->update_inputs;
}

static void update_layer(const network_pass *pass, unsigned layer, const gd_share *share) {
  if (is_skipped(pass, layer)) {
    return;
  }
  const gd_workspace *ws = pass->workspace;
  const gd_affine affine = affine_layer(pass->parameters, layer);
  const gd_affine velocity = affine_layer(pass->velocities, layer);
  const float *input = input_features(ws, layer, share);
  uint32_t begin = 0;
  uint32_t end = 0;
  gd_share_range(share, affine.n_out, 1, &begin, &end);
  gd_dense_update(&affine, &velocity, input, ws->n_rows, affine_gradient(pass, layer), ws->n_images,
                  pass->step->learning_rate, pass->step->momentum, begin, end);
  gd_share_barrier(share);
}

static void backward_features(const network_pass *pass, const gd_share *share) {
  gd_workspace *ws = pass->workspace;
  const uint32_t n_panels = gd_n_panels(ws->shape.widths[1], GD_FEATURE_PANEL);
  uint32_t begin = 0;
  uint32_t end = 0;
  if (share->index == 0) {
    gd_sparse_transpose(ws->sparse);
  }
  gd_share_barrier(share);
  gd_share_range(share, n_panels, 1, &begin, &end);
  for (uint32_t q = begin; q < end; q++) { /* used while it is in the cache */
    gd_batch_to_feature_panels(ws->dz[0].values, ws->dz[0].stride, ws->update_inputs, ws->n_rows,
                               ws->shape.widths[1], ws->n_images, q, q + 1);
    gd_sparse_update(ws->sparse, gd_parameters_weight(pass->parameters, 0),
                     gd_parameters_weight(pass->velocities, 0),
                     gd_parameters_bias(pass->parameters, 0),
                     gd_parameters_bias(pass->velocities, 0), ws->update_inputs, ws->n_rows,
                     pass->step->learning_rate, pass->step->momentum, q, q + 1);
  }
}

/* Forward through layers 0..4, the classifier both ways, back through layers 4..1 in two halves
 * each, the features' update. */
static void work_on_part(const network_pass *pass, unsigned part, const gd_share *share) {
  if (part == 0) {
    forward_features(pass, share);
  } else if (part <= GD_N_BRANCHES) {
    forward_branch(pass, part, share);
  } else if (part == N_HIDDEN) {
    forward_classifier(pass, share);
    loss_gradient(pass, share);
    backward_input(pass, N_HIDDEN, share);
    update_layer(pass, N_HIDDEN, share);
  } else if (part < GD_N_STEP_PARTS - 1) {
    const unsigned half = part - (N_HIDDEN + 1);
    const unsigned layer = GD_N_BRANCHES - half / 2;
    if (half % 2 == 0) {
      backward_input(pass, layer, share);
    } else {
      update_layer(pass, layer, share);
    }
  } else {
    backward_features(pass, share);
  }
}

static void train(void *context, const gd_share *share) {
  const network_pass *pass = context;
  for (unsigned part = pass->first_part; part < pass->end_part; part++) {
    work_on_part(pass, part, share);
  }
}

static double step_parts(gd_parameters *parameters, gd_parameters *velocities,
                         gd_workspace *workspace, gd_pool *pool, const gd_minibatch *minibatch,
                         const gd_step *step, unsigned first_part, unsigned end_part) {
  network_pass pass = {.parameters = parameters,
                       .velocities = velocities,
                       .workspace = workspace,
                       .minibatch = minibatch,
                       .step = step,
                       .first_part = first_part,
                       .end_part = end_part,
                       .skipped = step->skipped};
  memcpy(pass.gain, step->gain, sizeof pass.gain);
  place_activations(&pass);
  gd_pool_run(pool, train, &pass);
  double sum = 0.0;
  for (uint32_t b = 0; b < minibatch->n_images; b++) {
    sum += workspace->losses[b];
  }
  return sum / minibatch->n_images;
}

double gd_network_step(gd_parameters *parameters, gd_parameters *velocities,
                       gd_workspace *workspace, gd_pool *pool, const gd_minibatch *minibatch,
                       const gd_step *step) {
  return step_parts(parameters, velocities, workspace, pool, minibatch, step, 0, GD_N_STEP_PARTS);
}

double gd_network_step_part(gd_parameters *parameters, gd_parameters *velocities,
                            gd_workspace *workspace, gd_pool *pool, const gd_minibatch *minibatch,
                            const gd_step *step, unsigned part) {
  return step_parts(parameters, velocities, workspace, pool, minibatch, step, part, part + 1);
}

void gd_velocities_settle(gd_parameters *velocities) {
  for (uint64_t i = 0; i < velocities->n_values; i += 4) {
    float *four = velocities->values + i;
    gd_v4_store(four, gd_v4_zero_below(gd_v4_load(four), 0x1p-72f));
  }
}

static void infer(void *context, const gd_share *share) {
  const network_pass *pass = context;
  forward_features(pass, share);
  for (unsigned layer = 1; layer <= GD_N_BRANCHES; layer++) {
    forward_branch(pass, layer, share);
  }
  forward_classifier(pass, share);
  if (share->index == 0) {
    for (uint32_t b = 0; b < pass->workspace->n_images; b++) {
      read_logits(pass->workspace, b, pass->logits + (size_t)b * GD_N_CLASSES);
    }
  }
}

void gd_network_forward(const gd_parameters *parameters, gd_workspace *workspace, gd_pool *pool,
                        const gd_minibatch *minibatch, unsigned active, float *logits) {
  gd_parameters read_only = *parameters;
  network_pass pass = {.parameters = &read_only,
                       .workspace = workspace,
                       .minibatch = minibatch,
                       .skipped = ~active & GD_ALL_BRANCHES,
                       .gain = {1.0f, 1.0f, 1.0f, 1.0f},
                       .logits = logits};
  place_activations(&pass);
  gd_pool_run(pool, infer, &pass);
}

void gd_workspace_read_activation(const gd_workspace *workspace, unsigned layer, uint32_t k,
                                  float *out) {
  const gd_panels h = workspace->h[layer].batch;
  const float *lane = h.values + k / GD_BATCH_PANEL * h.stride + k % GD_BATCH_PANEL;
  for (uint32_t f = 0; f < workspace->shape.widths[layer + 1]; f++) {
    out[f] = lane[(size_t)f * GD_BATCH_PANEL];
  }
}
