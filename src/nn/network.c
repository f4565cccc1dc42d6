#include "nn/network.h"

#include "nn/dense.h"
#include "nn/layout.h"
#include "nn/loss.h"
#include "nn/pool.h"
#include "nn/sparse.h"
#include "nn/vector.h"

#define N_HIDDEN (GD_N_LAYERS - 1)

struct gd_workspace {
  gd_shape shape;
  uint32_t n_rows;   /* images that a panel has room for */
  uint32_t n_images; /* of the last minibatch */
  float scaled[256]; /* value / 255 */
  uint8_t *seen;     /* (784) this pixel has not been zero in some image so far */
  gd_sparse pixels;
  gd_sparse dy;            /* of one layer at a time */
  gd_panels own[N_HIDDEN]; /* each layer's activations */
  gd_panels h[N_HIDDEN]; /* where they are: own, or of a skipped branch its input's first columns */
  float *features_0;     /* layer 0's in feature panels */
  float *input_copy;     /* another layer's input in feature panels, of one layer at a time */
  gd_panels logits;
  float *dz
      [GD_N_LAYERS]; /* feature panels; of 5 the logits'; odd layers share one memory, even ones too */
  double losses[GD_MAX_BATCH];
};

static gd_panels take_panels(gd_arena *arena, uint32_t n_rows, uint32_t width) {
  const size_t stride = (size_t)width * GD_BATCH_PANEL;
  return (gd_panels){gd_arena_take(arena, n_rows / GD_BATCH_PANEL * stride, sizeof(float)), stride};
}

static float *take_features(gd_arena *arena, uint32_t n_rows, uint32_t width) {
  return gd_arena_take(arena, (size_t)gd_round_up(width, GD_FEATURE_PANEL) * n_rows, sizeof(float));
}

static uint32_t wider(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

static void take_for_training(gd_arena *arena, uint32_t n_max_batch, gd_workspace *workspace) {
  const uint32_t *widths = workspace->shape.widths;
  const uint32_t n_rows = workspace->n_rows;
  workspace->input_copy = take_features(arena, n_rows, widths[1]);
  float *even = take_features(arena, n_rows, widths[1]);
  float *odd = take_features(arena, n_rows, wider(widths[2], GD_N_CLASSES));
  for (unsigned l = 0; l < GD_N_LAYERS; l++) {
    workspace->dz[l] = l % 2 == 0 ? even : odd;
  }
  gd_sparse_take(arena, n_max_batch, wider(widths[2], GD_N_CLASSES), 1, &workspace->dy);
  workspace->seen = gd_arena_take(arena, GD_N_PIXELS, 1);
  if (workspace->seen != NULL) {
    memset(workspace->seen, 0, GD_N_PIXELS);
  }
}

gd_status gd_workspace_take(gd_arena *arena, const gd_shape *shape, uint32_t n_max_batch,
                            int training, gd_workspace **out) {
  const uint32_t n_rows = gd_round_up(n_max_batch, GD_BATCH_PANEL);
  gd_workspace made = {.shape = *shape, .n_rows = n_rows};
  gd_workspace *workspace = gd_arena_take(arena, 1, sizeof *workspace);
  gd_sparse_take(arena, n_max_batch, GD_N_PIXELS, training, &made.pixels);
  for (unsigned l = 0; l < N_HIDDEN; l++) {
    made.own[l] = take_panels(arena, n_rows, shape->widths[l + 1]);
  }
  made.features_0 = take_features(arena, n_rows, shape->widths[1]);
  made.logits = take_panels(arena, n_rows, GD_N_CLASSES);
  for (int value = 0; value < 256; value++) {
    made.scaled[value] = (float)value / 255.0f;
  }
  if (training) {
    take_for_training(arena, n_max_batch, &made);
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
                     parameters->shape.widths[layer], parameters->shape.widths[layer + 1]};
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
    gd_sparse_list_pixels(&ws->pixels, pass->minibatch, ws->scaled,
                          pass->step == NULL ? NULL : ws->seen);
  }
  gd_share_barrier(share);
  gd_share_range(share, gd_n_panels(width, GD_FEATURE_PANEL), 1, &begin, &end);
  for (uint32_t q = begin; q < end; q++) { /* copied while it is in the cache */
    gd_sparse_forward(&ws->pixels, gd_parameters_weight(pass->parameters, 0),
                      gd_parameters_bias(pass->parameters, 0), ws->features_0, ws->n_rows, q,
                      q + 1);
    gd_feature_to_batch_panels(ws->features_0, ws->n_rows, ws->own[0].values, ws->own[0].stride,
                               width, ws->n_images, q, q + 1);
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
  gd_dense_forward_branch(&affine, ws->h[layer - 1], ws->own[layer],
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
  gd_dense_forward(&classifier, ws->h[N_HIDDEN - 1], ws->logits,
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
    float *dlogits = ws->dz[N_HIDDEN] + (size_t)b * GD_FEATURE_PANEL;
    read_logits(ws, b, logits);
    memset(dlogits, 0, GD_FEATURE_PANEL * sizeof *dlogits);
    ws->losses[b] = gd_softmax_gradient(logits, minibatch->labels[image], ws->n_images, dlogits);
  }
  gd_share_barrier(share);
}

/* dz below a skipped branch: the bypass alone, no gradient for the columns that it crops away. */
static void pass_by(const gd_workspace *ws, unsigned layer, const gd_share *share) {
  uint32_t begin = 0;
  uint32_t end = 0;
  const size_t panel = (size_t)ws->n_rows * GD_FEATURE_PANEL;
  const uint32_t n_kept = gd_n_panels(ws->shape.widths[layer + 1], GD_FEATURE_PANEL);
  gd_share_range(share, gd_n_panels(ws->shape.widths[layer], GD_FEATURE_PANEL), 1, &begin, &end);
  for (uint32_t q = begin; q < end; q++) {
    float *to = ws->dz[layer - 1] + q * panel;
    if (q < n_kept) {
      memcpy(to, ws->dz[layer] + q * panel, panel * sizeof *to);
    } else {
      memset(to, 0, panel * sizeof *to);
    }
  }
  gd_share_barrier(share);
}

/* A layer's input in feature panels: layer 0's own, unless a panel of it is cropped; then as for the
 * other layers a copy, which is zero beyond the input's width. */
static float *input_features(const gd_workspace *ws, unsigned layer) {
  const uint32_t n_in = ws->shape.widths[layer];
  const float *batch = ws->h[layer - 1].values;
  const int is_whole = n_in == ws->shape.widths[1] || n_in % GD_FEATURE_PANEL == 0;
  return batch == ws->own[0].values && is_whole ? ws->features_0 : ws->input_copy;
}

static void copy_input(const gd_workspace *ws, unsigned layer, const gd_share *share) {
  const gd_panels input = ws->h[layer - 1];
  const uint32_t n_in = ws->shape.widths[layer];
  uint32_t begin = 0;
  uint32_t end = 0;
  if (input_features(ws, layer) == ws->features_0) {
    return;
  }
  gd_share_range(share, gd_n_panels(n_in, GD_FEATURE_PANEL), 1, &begin, &end);
  gd_batch_to_feature_panels(input.values, input.stride, ws->input_copy, ws->n_rows, n_in,
                             ws->n_images, begin, end);
}

static float gain_of(const network_pass *pass, unsigned layer) {
  return layer >= 1 && layer <= GD_N_BRANCHES ? pass->gain[layer - 1] : 1.0f;
}

/* The gradient below layer 5..1, while its weights are still the old ones. */
static void backward_input(const network_pass *pass, unsigned layer, const gd_share *share) {
  gd_workspace *ws = pass->workspace;
  if (is_skipped(pass, layer)) {
    pass_by(ws, layer, share);
    return;
  }
  const gd_affine affine = affine_layer(pass->parameters, layer);
  uint32_t begin = 0;
  uint32_t end = 0;
  if (share->index == 0) {
    gd_sparse_resize(&ws->dy, ws->n_images, affine.n_out);
  }
  copy_input(ws, layer, share);
  gd_share_barrier(share);
  gd_share_range(share, ws->n_images, 1, &begin, &end);
  gd_sparse_list_images(&ws->dy, ws->dz[layer], ws->n_rows, gain_of(pass, layer), begin, end);
  gd_share_barrier(share);
  /* By panels, so that each weight is read by one worker alone. */
  gd_share_range(share, gd_n_panels(affine.n_in, GD_FEATURE_PANEL), 1, &begin, &end);
  gd_sparse_input_gradient(&ws->dy, affine.weight, ws->dz[layer],
                           layer <= GD_N_BRANCHES ? affine.n_out : 0, input_features(ws, layer),
                           ws->dz[layer - 1], ws->n_rows, begin, end);
  gd_share_barrier(share);
}

static void update_bias(const network_pass *pass, unsigned layer, gd_descent descent,
                        const gd_share *share) {
  const gd_workspace *ws = pass->workspace;
  uint32_t begin = 0;
  uint32_t end = 0;
  gd_share_range(share, gd_n_panels(ws->shape.widths[layer + 1], GD_FEATURE_PANEL), 1, &begin,
                 &end);
  gd_sparse_update_bias(ws->dz[layer], ws->n_rows, ws->n_images, gain_of(pass, layer),
                        gd_parameters_bias(pass->parameters, layer),
                        gd_parameters_bias(pass->velocities, layer), descent, begin, end);
}

/* Of layer 5..1, after backward_input. */
static void update_layer(const network_pass *pass, unsigned layer, const gd_share *share) {
  if (is_skipped(pass, layer)) {
    return;
  }
  gd_workspace *ws = pass->workspace;
  const gd_descent descent = {pass->step->learning_rate, pass->step->momentum};
  const uint32_t n_in = ws->shape.widths[layer];
  gd_weight_range range = {.end_panel = gd_n_panels(n_in, GD_FEATURE_PANEL)};
  gd_share_range(share, ws->shape.widths[layer + 1], 1, &range.first_column, &range.end_column);
  gd_sparse_list_columns(&ws->dy, ws->dz[layer], ws->n_rows, gain_of(pass, layer),
                         range.first_column, range.end_column);
  gd_sparse_update(&ws->dy, input_features(ws, layer), ws->n_rows, NULL,
                   gd_parameters_weight(pass->parameters, layer),
                   gd_parameters_weight(pass->velocities, layer), descent, range);
  update_bias(pass, layer, descent, share);
  gd_share_barrier(share);
}

static void update_features(const network_pass *pass, const gd_share *share) {
  const gd_workspace *ws = pass->workspace;
  const gd_descent descent = {pass->step->learning_rate, pass->step->momentum};
  gd_weight_range range = {.end_column = GD_N_PIXELS};
  gd_share_range(share, gd_n_panels(ws->shape.widths[1], GD_FEATURE_PANEL), 1, &range.first_panel,
                 &range.end_panel);
  gd_sparse_update(&ws->pixels, ws->dz[0], ws->n_rows, ws->seen,
                   gd_parameters_weight(pass->parameters, 0),
                   gd_parameters_weight(pass->velocities, 0), descent, range);
  update_bias(pass, 0, descent, share);
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
    update_features(pass, share);
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
  const gd_panels h = workspace->h[layer];
  const float *lane = h.values + k / GD_BATCH_PANEL * h.stride + k % GD_BATCH_PANEL;
  for (uint32_t f = 0; f < workspace->shape.widths[layer + 1]; f++) {
    out[f] = lane[(size_t)f * GD_BATCH_PANEL];
  }
}
