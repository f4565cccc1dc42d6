/* A training run as a machine that is driven step by step: whoever drives it decides when it pauses
 * and when it stops. It knows nothing of time and of test images. */
#ifndef GD_LAB_RUN_H
#define GD_LAB_RUN_H

#include "base/arena.h"
#include "base/sha256.h"
#include "base/status.h"
#include "lab/beside.h"
#include "lab/config.h"
#include "lab/evaluation.h"
#include "lab/random.h"
#include "lab/weights.h"
#include "nn/network.h"

#include <stdint.h>

/* Validation images that there is room for where they are not there yet. */
#define GD_MAX_VALIDATION 2000u

/* v = momentum v + g, in every run. */
#define GD_MOMENTUM 0.9f

/* GD_RUN_STATES(X): X(NAME, id). What the next step will do, or why there is none. */
#define GD_RUN_STATES(X)                                                                           \
  X(INITIALIZING, "initializing") /* a slice of the initial weights */                             \
  X(TRAINING, "training")         /* a minibatch, of large networks a part of one */               \
  X(VALIDATING, "validating")     /* a chunk of the validation images */                           \
  X(HASHING, "hashing")           /* a slice of the digests of the two checkpoints */              \
  X(FINISHED, "finished")                                                                          \
  X(DIVERGED, "diverged")                                                                          \
  X(STOPPED, "stopped")

typedef enum gd_run_state {
#define GD_RUN_STATE_ENUM(name, id) GD_RUN_##name,
  GD_RUN_STATES(GD_RUN_STATE_ENUM)
#undef GD_RUN_STATE_ENUM
      GD_N_RUN_STATES
} gd_run_state;

/* GD_RUN_EVENTS(X): X(NAME, id). What a step has just done. */
#define GD_RUN_EVENTS(X)                                                                           \
  X(INITIALIZING, "initializing")  /* some initial weights; more to come */                        \
  X(INITIALIZED, "initialized")    /* the last of them: initializationSHA256 is known */           \
  X(PART, "part")                  /* a part of a minibatch, others of it to come */               \
  X(MINIBATCH, "minibatch")        /* one minibatch, others of the epoch to come */                \
  X(EPOCH_TRAINED, "epochTrained") /* the epoch's last minibatch */                                \
  X(VALIDATING, "validating")      /* one chunk, others to come */                                 \
  X(EPOCH, "epoch")                /* the last chunk: the epoch's row stands in the history */     \
  X(VALIDATED, "validated") /* the same, of the epoch before the one that is being trained */      \
  X(HASHING, "hashing")     /* a part of the digests */                                            \
  X(FINISHED, "finished")   /* the digests are known, the run is complete */                       \
  X(DIVERGED, "diverged")   /* a loss was not finite */

typedef enum gd_run_event {
#define GD_RUN_EVENT_ENUM(name, id) GD_EVENT_##name,
  GD_RUN_EVENTS(GD_RUN_EVENT_ENUM)
#undef GD_RUN_EVENT_ENUM
      GD_N_RUN_EVENTS
} gd_run_event;

/* GD_CHECKPOINTS(X): X(NAME, id). The weights that a run can be asked for. */
#define GD_CHECKPOINTS(X)                                                                          \
  X(SELECTED, "selected") /* after the earliest epoch with the lowest validation cross-entropy */  \
  X(FINAL, "final")       /* after the last epoch, once the run is finished */                     \
  X(LIVE, "live")         /* as they are now */

typedef enum gd_checkpoint {
#define GD_CHECKPOINT_ENUM(name, id) GD_CHECKPOINT_##name,
  GD_CHECKPOINTS(GD_CHECKPOINT_ENUM)
#undef GD_CHECKPOINT_ENUM
      GD_N_CHECKPOINTS
} gd_checkpoint;

/* One row a finished epoch. */
#define GD_HISTORY_COLUMNS(X)                                                                      \
  X(training_loss, "trainingLoss") /* mean over the epoch's images, each before its update */      \
  X(validation_accuracy, "validationAccuracy")                                                     \
  X(validation_cross_entropy, "validationCrossEntropy")

typedef struct gd_history_row {
#define GD_HISTORY_FIELD(name, id) double name;
  GD_HISTORY_COLUMNS(GD_HISTORY_FIELD)
#undef GD_HISTORY_FIELD
} gd_history_row;

/* Where a run stands: all doubles, so that it can be read as one array. Epochs and minibatches
 * count from 1; 0: none yet. */
#define GD_PROGRESS_COLUMNS(X)                                                                     \
  X(state, "state")             /* a gd_run_state */                                               \
  X(epoch, "epoch")             /* the epoch that is under way, or was last */                     \
  X(epochs_done, "epochsDone")  /* trained and validated: the history's rows */                    \
  X(minibatch, "minibatch")     /* of the epoch */                                                 \
  X(minibatches, "minibatches") /* that an epoch has */                                            \
  X(images, "images")           /* trained since the run began */                                  \
  X(last_images, "lastImages")  /* of the last minibatch */                                        \
  X(loss, "loss")               /* of the last minibatch */                                        \
  X(epoch_loss, "epochLoss")    /* mean over the epoch's images so far */                          \
  X(skipped, "skipped")         /* mask of the branches that the last minibatch skipped */         \
  X(draw_1, "draw1")            /* the last minibatch's four u */                                  \
  X(draw_2, "draw2")                                                                               \
  X(draw_3, "draw3")                                                                               \
  X(draw_4, "draw4")                                                                               \
  X(gated_minibatches, "gatedMinibatches") /* minibatches since the run began */                   \
  X(skips_1, "skips1")                     /* how many of them skipped the branch */               \
  X(skips_2, "skips2")                                                                             \
  X(skips_3, "skips3")                                                                             \
  X(skips_4, "skips4")                                                                             \
  X(selected_epoch, "selectedEpoch") /* 0: no epoch is done */                                     \
  X(part_done, "partDone")           /* of the state's own work: numbers, minibatches or images */ \
  X(part_total, "partTotal")                                                                       \
  X(step_part, "stepPart") /* parts done of the minibatch under way; 0: between two minibatches */

typedef struct gd_progress {
#define GD_PROGRESS_FIELD(name, id) double name;
  GD_PROGRESS_COLUMNS(GD_PROGRESS_FIELD)
#undef GD_PROGRESS_FIELD
} gd_progress;

/* Where a run stood when an epoch had been trained. */
typedef struct gd_run_mark {
  gd_progress progress;
  uint32_t order_hash;
  uint32_t gate_draw_hash;
} gd_run_mark;

/* The run; its inside is for run.c, apart from what is marked as readable. */
typedef struct gd_run {
  gd_config config;         /* readable */
  gd_progress progress;     /* readable, after every step */
  gd_history_row *history;  /* readable: (progress.epochs_done) rows of finite numbers */
  gd_evaluation validation; /* readable: of the last validated epoch */
  gd_workspace *workspace;  /* between two minibatches anyone may use it for forward passes */
  float *row;               /* the same: (GD_MAX_WIDTH) */
  uint32_t order_hash;      /* over the order of every epoch begun */
  uint32_t gate_draw_hash;  /* over the gates drawn so far */
  uint8_t initialization_sha256[GD_SHA256_BYTES]; /* from INITIALIZED on */
  uint8_t selected_sha256[GD_SHA256_BYTES];       /* once FINISHED */
  uint8_t final_sha256[GD_SHA256_BYTES];          /* once FINISHED */

  gd_images train;
  gd_images validation_images;
  const gd_parameters *initial; /* weights to go on from; NULL: drawn ones */
  gd_parameters live;
  gd_parameters velocities;
  gd_parameters selected;
  gd_beside beside;        /* the validation of the epoch before, while it is under way */
  int validates_beside;    /* epochs are to be validated in this way */
  gd_run_mark beside_mark; /* of the end of that epoch */
  gd_run_mark epoch_mark;  /* of the end of the epoch trained last */
  uint32_t *order;         /* (n_train) */
  gd_random random_initialization;
  gd_random random_order;
  gd_random random_gates;
  gd_weights_cursor cursor;
  gd_sha256 sha;
  gd_checkpoint hashing; /* the checkpoint whose digest is under way */
  double epoch_loss_sum;
  uint32_t epoch_images;
  uint32_t gate_draws[GD_N_BRANCHES]; /* of the minibatch under way */
  gd_step step;                       /* the same */
} gd_run;

/* Bytes of the arena that a run needs: weights, velocities, the selected checkpoint, of networks that are not large a copy to
 * validate (lab/beside.h), and little else. SIZE_OVERFLOW where they do not fit this machine's addresses. */
gd_status gd_run_bytes(const gd_config *config, uint32_t n_validation, uint64_t *bytes,
                       gd_report *report);

/* Lays a run out in `arena` (gd_run_bytes bytes free) and starts it. The splits and `initial` are
 * borrowed: they stay as long as the run does. `validation`: NULL if it will come later. `initial`: weights of the same shape to continue
 * from instead of drawing them (NULL: draw); velocities start at zero and the order and gate
 * streams at the seed as ever.
 * FIELD_OUT_OF_RANGE: trainN is more than train holds; WRONG_SHAPE: initial's widths are others;
 * OUT_OF_MEMORY: the arena is too small. *out is set on success only; it goes with the arena, which must stay until
 * gd_pool_end once it has validated beside training. */
gd_status gd_run_create(gd_arena *arena, const gd_config *config, const gd_images *train,
                        const gd_images *validation, const gd_parameters *initial, gd_run **out,
                        gd_report *report);

/* Gives a run that was created without them its validation images, borrowed like those to train with; before it validates, or
 * that step gives WRONG_STATE. WRONG_STATE if it has some; FIELD_OUT_OF_RANGE for more than GD_MAX_VALIDATION. */
gd_status gd_run_set_validation(gd_run *run, const gd_images *images, gd_report *report);

/* Does one bounded piece of work, `pool` (NULL: the caller alone) helping: *event says which. With
 * the event DIVERGED the report says which loss was not finite, though the call itself is OK.
 * WRONG_STATE on a run that is finished, diverged or stopped. Nothing is allocated. */
gd_status gd_run_step(gd_run *run, gd_pool *pool, gd_run_event *event, gd_report *report);

/* From now on (is_on != 0) the caller alone trains, and the rest of the pool validates each epoch but the last while the next one
 * is trained; or (0) all of them do the one and then the other, as in a new run. The results are the same to the bit. A
 * validation that is under way is then waited for by the next step, which does nothing else.
 * Returns whether it is on: never with a large network or a pool of one. */
int gd_run_validate_beside(gd_run *run, const gd_pool *pool, int is_on);

/* progress.state as what it is. */
gd_run_state gd_run_state_of(const gd_run *run);

/* Whether it is finished, diverged or stopped. */
int gd_run_has_ended(const gd_run *run);

/* Ends a run for good: its history stays, without the epoch whose validation is under way; it gets no test figures. In the middle of a minibatch
 * too: the live weights are lost then. No effect on one that has ended. */
void gd_run_stop(gd_run *run);

/* The weights of a checkpoint, to read; WRONG_STATE where they do not exist yet, and for the live
 * ones in the middle of a minibatch. Owned by the run. */
gd_status gd_run_checkpoint(const gd_run *run, gd_checkpoint checkpoint, const gd_parameters **out,
                            gd_report *report);

/* OK for a finished run; WRONG_STATE for one that goes on, was stopped or diverged: it gets no
 * figures on test images. */
gd_status gd_run_check_testable(const gd_run *run, gd_report *report);

#endif
