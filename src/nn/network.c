#include "nn/network.h"

#include "nn/layout.h"
#include "nn/lists.h"
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
  gd_sparse listed;     /* of one layer at a time: its input, later its gradient dy */
  float *tables;        /* one for each worker */
  float *own[N_HIDDEN]; /* each layer's activations; these and all below in feature panels */
  float *h[N_HIDDEN];   /* where they are: own, or of a skipped branch its input's first columns */
  float *logits;
  float *dz[GD_N_LAYERS]; /* of 5 the logits'; odd layers share one memory, even ones too */
  double losses[GD_MAX_BATCH];
};

static float *take_features(gd_arena *arena, uint32_t n_rows, uint32_t width) {
  return gd_arena_take(arena, (size_t)gd_round_up(width, GD_FEATURE_PANEL) * n_rows, sizeof(float));
}

static uint32_t wider(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

static void take_for_training(gd_arena *arena, gd_workspace *workspace) {
  const uint32_t *widths = workspace->shape.widths;
  const uint32_t n_rows = workspace->n_rows;
  float *even = take_features(arena, n_rows, widths[1]);
  float *odd = take_features(arena, n_rows, wider(widths[2], GD_N_CLASSES));
  for (unsigned l = 0; l < GD_N_LAYERS; l++) {
    workspace->dz[l] = l % 2 == 0 ? even : odd;
  }
  workspace->seen = gd_arena_take(arena, GD_N_PIXELS, 1);
  if (workspace->seen != NULL) {
    memset(workspace->seen, 0, GD_N_PIXELS);
  }
}

gd_status gd_workspace_take(gd_arena *arena, const gd_shape *shape, uint32_t n_max_batch,
                            int training, gd_workspace **out) {
  const uint32_t n_rows = gd_round_up(n_max_batch, 4);
  gd_workspace made = {.shape = *shape, .n_rows = n_rows};
  gd_workspace *workspace = gd_arena_take(arena, 1, sizeof *workspace);
  gd_lists_take(arena, n_max_batch, GD_N_PIXELS, training, &made.pixels);
  gd_lists_take(arena, n_max_batch, wider(shape->widths[1], GD_N_CLASSES), training, &made.listed);
  made.tables = gd_arena_take(arena, GD_MAX_THREADS * GD_TABLE_FLOATS, sizeof *made.tables);
  for (unsigned l = 0; l < N_HIDDEN; l++) {
    made.own[l] = take_features(arena, n_rows, shape->widths[l + 1]);
  }
  made.logits = take_features(arena, n_rows, GD_N_CLASSES);
  for (int value = 0; value < 256; value++) {
    made.scaled[value] = (float)value / 255.0f;
  }
  if (training) {
    take_for_training(arena, &made);
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
    gd_lists_write_pixels(&ws->pixels, pass->minibatch, ws->scaled,
                          pass->step == NULL ? NULL : ws->seen);
  }
  gd_share_barrier(share);
  gd_share_range(share, gd_n_panels(width, GD_FEATURE_PANEL), 1, &begin, &end);
  gd_sparse_forward_features(&ws->pixels, gd_parameters_weight(pass->parameters, 0),
                             gd_parameters_bias(pass->parameters, 0), ws->own[0], ws->n_rows, begin,
                             end);
  gd_share_barrier(share);
}

/* Room for the lists of a layer's input or gradient. */
static gd_sparse lists_for(const gd_workspace *ws, uint32_t n_columns) {
  gd_sparse listed = ws->listed;
  gd_lists_resize(&listed, ws->n_images, n_columns);
  return listed;
}

/* The affine map of layer 1..5, with or without what a branch does around it. */
static void forward_affine(const network_pass *pass, unsigned layer, const float *bypass,
                           float gain, float *out, const gd_share *share) {
  const gd_workspace *ws = pass->workspace;
  const gd_affine affine = affine_layer(pass->parameters, layer);
  const gd_sparse x = lists_for(ws, affine.n_in);
  uint32_t begin = 0;
  uint32_t end = 0;
  gd_share_range(share, ws->n_images, 1, &begin, &end);
  gd_lists_write_images(&x, ws->h[layer - 1], ws->n_rows, 1.0f, begin, end);
  gd_share_barrier(share);
  gd_share_range(share, gd_n_panels(affine.n_out, GD_FEATURE_PANEL), 1, &begin, &end);
  gd_sparse_forward_affine(&x, &affine, bypass, gain, ws->tables + share->index * GD_TABLE_FLOATS,
                           out, ws->n_rows, begin, end);
  gd_share_barrier(share);
}

/* Whether a skipped branch's output can be its input, seen as far as the output is wide: beyond it there must be zeros, up to
 * the end of its last panel. */
static int is_input_itself(const gd_shape *shape, unsigned layer) {
  const uint32_t n_out = shape->widths[layer + 1];
  return n_out == shape->widths[layer] || n_out % GD_FEATURE_PANEL == 0;
}

/* h of a skipped branch where it is a copy of its input's first columns. */
static void crop_input(const gd_workspace *ws, unsigned layer, const gd_share *share) {
  const uint32_t n_out = ws->shape.widths[layer + 1];
  const size_t panel = (size_t)ws->n_rows * GD_FEATURE_PANEL;
  uint32_t begin = 0;
  uint32_t end = 0;
  gd_share_range(share, gd_n_panels(n_out, GD_FEATURE_PANEL), 1, &begin, &end);
  for (uint32_t q = begin; q < end; q++) {
    float *to = ws->h[layer] + q * panel;
    memcpy(to, ws->h[layer - 1] + q * panel, ws->n_images * GD_FEATURE_PANEL * sizeof *to);
    gd_panel_clear_beyond(to, ws->n_images, n_out - q * GD_FEATURE_PANEL);
  }
  gd_share_barrier(share);
}

static void forward_branch(const network_pass *pass, unsigned layer, const gd_share *share) {
  const gd_workspace *ws = pass->workspace;
  if (!is_skipped(pass, layer)) {
    forward_affine(pass, layer, ws->h[layer - 1], pass->gain[layer - 1], ws->h[layer], share);
  } else if (!is_input_itself(&ws->shape, layer)) {
    crop_input(ws, layer, share);
  }
}

static void forward_classifier(const network_pass *pass, const gd_share *share) {
  forward_affine(pass, N_HIDDEN, NULL, 1.0f, pass->workspace->logits, share);
}

/* Every worker would write the same: done by the caller before they start. */
static void place_activations(const network_pass *pass) {
  gd_workspace *ws = pass->workspace;
  ws->n_images = pass->minibatch->n_images;
  for (unsigned l = 0; l < N_HIDDEN; l++) {
    const int is_input = is_skipped(pass, l) && is_input_itself(&ws->shape, l);
    ws->h[l] = is_input ? ws->h[l - 1] : ws->own[l];
  }
}

static const float *logits_of(const gd_workspace *ws, uint32_t image) {
  return ws->logits + (size_t)image * GD_FEATURE_PANEL;
}

static void loss_gradient(const network_pass *pass, const gd_share *share) {
  gd_workspace *ws = pass->workspace;
  const gd_minibatch *minibatch = pass->minibatch;
  uint32_t begin = 0;
  uint32_t end = 0;
  gd_share_range(share, ws->n_images, 1, &begin, &end);
  for (uint32_t b = begin; b < end; b++) {
    const uint32_t image = minibatch->order == NULL ? minibatch->first + b : minibatch->order[b];
    float *dlogits = ws->dz[N_HIDDEN] + (size_t)b * GD_FEATURE_PANEL;
    memset(dlogits, 0, GD_FEATURE_PANEL * sizeof *dlogits);
    ws->losses[b] =
        gd_softmax_gradient(logits_of(ws, b), minibatch->labels[image], ws->n_images, dlogits);
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
  const gd_sparse dy = lists_for(ws, affine.n_out);
  uint32_t begin = 0;
  uint32_t end = 0;
  gd_share_range(share, ws->n_images, 1, &begin, &end);
  gd_lists_write_images(&dy, ws->dz[layer], ws->n_rows, gain_of(pass, layer), begin, end);
  gd_share_barrier(share);
  /* By panels, so that each weight is read by one worker alone. */
  gd_share_range(share, gd_n_panels(affine.n_in, GD_FEATURE_PANEL), 1, &begin, &end);
  gd_sparse_input_gradient(&dy, affine.weight, ws->dz[layer],
                           layer <= GD_N_BRANCHES ? affine.n_out : 0, ws->h[layer - 1],
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
  const gd_workspace *ws = pass->workspace;
  const gd_descent descent = {pass->step->learning_rate, pass->step->momentum};
  const gd_sparse dy = lists_for(ws, ws->shape.widths[layer + 1]);
  const uint32_t n_in = ws->shape.widths[layer];
  gd_weight_range range = {.end_panel = gd_n_panels(n_in, GD_FEATURE_PANEL)};
  gd_share_range(share, ws->shape.widths[layer + 1], 4, &range.first_column, &range.end_column);
  gd_lists_write_columns(&dy, ws->dz[layer], ws->n_rows, gain_of(pass, layer), range.first_column,
                         range.end_column);
  gd_sparse_update(&dy, ws->h[layer - 1], ws->n_rows, NULL,
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
      float *logits = pass->logits + (size_t)b * GD_N_CLASSES;
      memcpy(logits, logits_of(pass->workspace, b), GD_N_CLASSES * sizeof *logits);
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
  const uint32_t width = workspace->shape.widths[layer + 1];
  for (uint32_t f = 0; f < width; f += GD_FEATURE_PANEL) {
    const float *row =
        workspace->h[layer] + (size_t)f * workspace->n_rows + (size_t)k * GD_FEATURE_PANEL;
    const uint32_t left = width - f;
    memcpy(out + f, row, (left < GD_FEATURE_PANEL ? left : GD_FEATURE_PANEL) * sizeof *out);
  }
}
