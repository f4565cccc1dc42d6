/* The engine module: what JavaScript can call to train, evaluate, inspect and compare. Each line
 * below is an export; the exports that both modules share (version, report, memory, splits) stand
 * in src/wasm/common.c.
 *
 * Conventions. i32 results: >= 0 is a handle, a count or an event; < 0 is -gd_status, and the last
 * report says more. A pointer is 0 on failure (again with a report). Pointers into the module stay
 * valid until the handle is closed, unless said otherwise; a JavaScript view of them does not
 * survive a call that can allocate (*_open, gd_memory_allocate). Buffers that are passed in are the
 * caller's, 4-byte aligned for u32 and f32, 8-byte for f64. `?` in front: not there yet.
 *
 * Description
 *   gd_describe() -> char*   static JSON; see src/wasm/describe.c for its members
 *
 * Configuration: GD_N_CONFIG_VALUES doubles, laid out as describe().fields say (first, n)
 *   gd_config_values() -> f64*                     the numbers to be filled; start as the defaults
 *   gd_config_default() -> i32                     writes the defaults over them
 *   gd_config_check() -> i32                       checks them; the report names field and range
 *   gd_config_preset() -> i32                      the number of the preset with these widths; -1 custom
 *   gd_run_bytes(n_validation i32) -> f64          bytes that a run of these needs; < 0: -gd_status
 *
 * Runs. The run takes the numbers at gd_config_values() as its configuration, and checks them.
 *   gd_run_open(train i32, validation i32, initial i32) -> i32 handle
 *       train, validation: verified splits, which cannot be closed before the run;
 *       initial: a finished weights handle to continue from (it too stays open), or 0
 *   gd_run_step(run i32) -> i32                    one bounded piece of work: a number of
 *       describe().events; a finished, diverged or stopped run: -WRONG_STATE
 *   gd_run_stop(run i32) -> i32                    ends it for good
 *   gd_run_view(run i32, view i32) -> ptr          views: describe().runViews, by name:
 *       progress f64[describe().progress.length]; history f64[epochsDone][describe().history.length];
 *       initializationSHA256, selectedSHA256, finalSHA256 u8[32]; orderHash, gateDrawHash u32[1];
 *       validationPredictions u8[n], validationConfusion u32[100] (of the last validated epoch)
 *   gd_run_view_items(run i32, view i32) -> i32    elements there are now: 0 for a digest that is
 *       not known yet
 *   gd_run_close(run i32) -> i32                   WRONG_STATE while an evaluation of it is open
 *
 * Weights that came from outside
 *   gd_weights_open(widths u32*[7]) -> i32 handle  room for a network of that shape
 *   gd_weights_append(weights i32, values f32*, n i32) -> i32   the next n numbers, checked
 *   gd_weights_finish(weights i32) -> i32          all are there; until then nothing else works
 *   gd_weights_digest(weights i32) -> u8*[32]      after finish
 *   gd_weights_close(weights i32) -> i32           WRONG_STATE while a run or evaluation uses it
 *
 * Models: a run or weights handle, with a checkpoint (describe().checkpoints: selected, final,
 * live; weights: any). live from INITIALIZED on; selected from the first epoch on; final once
 * finished.
 *   gd_model_n_parameters(model i32) -> i32
 *   gd_model_read(model i32, checkpoint i32, first i32, n i32, out f32*) -> i32
 *       numbers first.. of the canonical sequence
 *   gd_model_row(model i32, checkpoint i32, layer i32, row i32, out f32*) -> i32 numbers written
 *       one unit's incoming weights: layer 0 is a 28 x 28 picture
 *   gd_model_predict(model i32, checkpoint i32, mask i32, pixels u8*[784], probabilities f32*[10])
 *       -> i32 digit (mask: branches that take part, 15 = full depth)
 *   gd_model_activation(model i32, layer i32, out f32*) -> i32 numbers written
 *       h of layer 0..4 in the last gd_model_predict of this model; WRONG_STATE after anything else
 *
 * Evaluations of a model on a split, in chunks
 *   gd_evaluation_open(model i32, checkpoint i32, mask i32, split i32) -> i32 handle
 *       of a run: only once it is finished
 *   gd_evaluation_step(evaluation i32) -> i32      images left; 0: complete
 *   gd_evaluation_view(evaluation i32, view i32) -> ptr   describe().evaluationViews, by name:
 *       summary f64[describe().summary.length] (n, done, errors, accuracy, crossEntropy);
 *       confusion u32[true][predicted]; perDigit u32[10][2] (images, right); predictions u8[n];
 *       probabilities f32[n][10]
 *   gd_evaluation_view_items(evaluation i32, view i32) -> i32
 *   gd_evaluation_close(evaluation i32) -> i32
 *
 * Plans
 *   gd_plan_masks(plan i32, order i32, mask f64, out u32*[5]) -> i32 masks
 *       plan: number in describe().plans; order: number in describe().orders
 *   gd_plan_order_index(order u8*[4]) -> i32       number of an order
 *   gd_plan_grid(p f64*, n_p i32, masks f64*, n_masks i32, seeds f64*, n_seeds i32,
 *                out f64*[100][3]) -> i32 runs, each p, mask, seed
 *   gd_plan_is_nested(masks u32*, n i32) -> i32    1: a line may join these points, in this order
 *
 * Comparison
 *   gd_identity_layout: describe().identity; gd_identity(which i32) -> ptr of two structs to fill
 *       (0 baseline, 1 treatment): values f64[...], isFused u32, initializationSHA256 u8[32]
 *   gd_compare_identities() -> i32                 0, or -NOT_COMPARABLE with the field in the report
 *   gd_compare_predictions(labels u8*, baseline u8*, treatment u8*, n i32, outcomes u8*,
 *                          counts u32*[4]) -> i32  outcomes: numbers in describe().outcomes
 *   gd_compare_mcnemar(harmed i32, repaired i32) -> f64   exact, two-sided
 *
 * Statistics
 *   gd_statistics_summarize(values f64*, n i32, out f64*[describe().statistics.summary.length])
 *   gd_statistics_pair(baseline f64*, treatment f64*, n i32, out f64*[describe().statistics.paired.length])
 *
 * ? gd_self_check() -> i32                         every fast kernel against its reference
 * ? gd_threads(n i32) -> i32                       threads that share a step's work */
