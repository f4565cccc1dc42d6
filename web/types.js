// The types of everything that crosses between page, worker and session. No code.

/**
 * What an engine is, and why it is this one.
 * @typedef {object} EngineInfo
 * @property {string} build     'mul-add', 'fused', 'mul-add-threads' or 'fused-threads'
 * @property {string} numerics  'mul-add' (plain SIMD, rounds twice) or 'fused' (rounds once)
 * @property {number} threads   threads that compute
 * @property {string[]} reasons sentences: what was found, and why no faster build was taken
 */

/**
 * One setting: the table that C checks with. Ids: widths, trainN, testSet, epochs, batch, lr, p, mask, seed.
 * @typedef {object} Field
 * @property {string} id       the key in a Config
 * @property {string} label
 * @property {string} unit     '' where there is none
 * @property {'integer'|'real'|'choice'} kind
 * @property {number} first    where its numbers stand in a configuration
 * @property {number} n        1, for widths 7
 * @property {number} min
 * @property {number} max
 * @property {number} step     of an integer: min + a multiple of it is allowed
 * @property {number[]} values what a choice is one of; suggestions for an integer
 * @property {number|number[]} default
 */

/**
 * @typedef {object} Preset
 * @property {string} id
 * @property {string} label
 * @property {number[]} widths       7 widths, 784 first, 10 last
 * @property {number} nParameters
 */

/**
 * What C says of itself. Lists of ids stand in the order of C's numbers.
 * @typedef {object} Description
 * @property {number} abi
 * @property {string} numerics
 * @property {Preset[]} presets
 * @property {string} defaultPreset
 * @property {Field[]} fields
 * @property {{name: string, text: string}[]} statuses
 * @property {number[][]} orders   all 24 orders of the four branches 0..3
 * @property {string[]} plans
 * @property {string[]} outcomes
 * @property {string[]} events     of a run
 * @property {number} maxGridRuns
 * @property {string[]} states     of a run
 * @property {string[]} checkpoints
 * @property {View[]} runViews
 * @property {string[]} progress
 * @property {string[]} history
 * @property {View[]} evaluationViews
 * @property {string[]} summary
 * @property {{summary: string[], paired: string[]}} statistics
 * @property {StructLayout} identity
 * @property {StructLayout} expectation
 */

/** @typedef {{id: string, type: 'u8'|'u32'|'f32'|'f64'}} View */

/**
 * @typedef {object} StructLayout
 * @property {number} bytes
 * @property {Record<string, {offset: number, type: 'u8'|'u32'|'f64'|'char', items: number}>} fields
 */

/**
 * What the producer module says of itself.
 * @typedef {object} ProducerDescription
 * @property {number} abi
 * @property {{name: string, text: string}[]} statuses
 * @property {StructLayout} expectation
 * @property {StructLayout} original
 * @property {StructLayout & {originals: StructArray, splits: StructArray}} plan
 * @property {{id: string, takesFile: boolean}[]} steps   in their order
 * @property {string[]} outputs                           what a step can give, by number
 */

/** @typedef {{offset: number, itemBytes: number, items: number}} StructArray */

/**
 * A run's settings by field id. `preset` goes with the widths: '' for custom ones.
 * @typedef {object} Config
 * @property {string} preset
 * @property {number[]} widths   7
 * @property {number} trainN
 * @property {number} testSet    2000 (test) or 10000 (test-full)
 * @property {number} epochs
 * @property {number} batch
 * @property {number} lr
 * @property {number} p          chance that an eligible branch is skipped in a minibatch
 * @property {number} mask       branches eligible for that; bit j is branch j, 0..3
 * @property {number} seed
 */

/**
 * What is left out takes its default; a preset without widths brings its own.
 * @typedef {Partial<Config>} ConfigInput
 */

/**
 * One check on a split, as the audit panel shows it.
 * @typedef {object} Check
 * @property {string} name
 * @property {'passed'|'failed'|'not needed'|'not made'} state
 * @property {string} status     the fault's name where it failed
 * @property {string} expected
 * @property {string} found
 * @property {number|null} offset   the byte at which a fault stands
 */

/**
 * @typedef {object} SplitAudit
 * @property {string} split           'train', 'validation', 'test', 'test-full'
 * @property {number} nImages
 * @property {number} bytes           decoded
 * @property {number} receivedBytes   as they came
 * @property {boolean} wasGzip        false: the server had decoded it, so there is no compressed hash to check
 * @property {string} route           'DecompressionStream', 'zlib' or 'already decoded'
 * @property {boolean} retried        the first answer was wrong, and a second one past the caches was right
 * @property {number} seconds
 * @property {string} sha256          of the decoded file
 * @property {Check[]} checks
 */

/**
 * @typedef {object} DownloadProgress
 * @property {string} split
 * @property {number} receivedBytes
 * @property {number} totalBytes   by the manifest, in the form (compressed or decoded) that arrives
 * @property {boolean} retrying    this is the second attempt
 */

/** @typedef {'download'|'train'|'download-test'|'evaluate'|'done'} RunPhase */

/**
 * @typedef {object} RunProgress
 * @property {'initializing'|'training'|'validating'|'hashing'|'finished'|'diverged'|'stopped'} state
 * @property {number} epoch              1-based, the one that is under way
 * @property {number} nEpochs
 * @property {number} minibatch          done in this epoch
 * @property {number} nMinibatches       of an epoch
 * @property {number} minibatchesDone    in the whole run
 * @property {number} loss               mean cross-entropy of the last minibatch
 * @property {number} skipped            mask of the branches that the last minibatch bypassed
 * @property {number[]} gatesKept        minibatches so far that kept branch 0..3
 * @property {number[]} gatesSkipped     minibatches so far that skipped it
 * @property {number} imagesPerSecond    training, lately
 * @property {number} gflops             10^9 operations a second, counted densely: 6 × parameters × images
 * @property {boolean} paused
 */

/**
 * One row of the history.
 * @typedef {object} EpochRow
 * @property {number} epoch                  1-based
 * @property {number} trainingLoss           mean of the minibatches' losses, weighted by images
 * @property {number} validationAccuracy     0..1
 * @property {number} validationCrossEntropy
 * @property {number} seconds                training and validation of this epoch
 * @property {number} trainingSeconds        training alone
 */

/**
 * What an evaluation gives. Arrays are in the split's order.
 * @typedef {object} Evaluation
 * @property {string} split
 * @property {number} mask             branches active at inference; 15 = full depth
 * @property {number} n
 * @property {number} accuracy         0..1
 * @property {number} ce               mean cross-entropy
 * @property {number} errors
 * @property {Uint8Array} predictions  (n)
 * @property {Float32Array} probabilities  (n, 10) row-major
 * @property {number[][]} confusion    [true digit][predicted digit]
 * @property {{digit: number, n: number, correct: number, accuracy: number}[]} perClass
 */

/** @typedef {Evaluation & {epoch: number, weightsSHA256: string}} Endpoint */

/**
 * A network's parameters: layer 0's weight [out][in], layer 0's bias, layer 1's weight, …
 * @typedef {object} Weights
 * @property {number[]} widths        7
 * @property {Float32Array} values
 * @property {string} [sha256]        of the values as little-endian bytes; given with a result's weights
 * @property {number} [epoch]         after which epoch; given with a result's weights
 */

/**
 * Fingerprints, lower-case hex.
 * @typedef {object} Provenance
 * @property {string} initializationSHA256
 * @property {string} orderHash
 * @property {string} gateDrawHash
 * @property {{selected: string, final: string}|null} weightsSHA256
 * @property {string} trainSHA256
 * @property {string} validationSHA256
 * @property {string|null} testSHA256      null where no test was made
 */

/**
 * A run that has ended, however it ended. `JSON.stringify(resultToJson(result))` (results.js) is what is exported.
 * @typedef {object} RunResult
 * @property {number} schemaVersion
 * @property {'finished'|'untested'|'stopped'|'diverged'} status   untested: trained, but without the test images
 * @property {Config} config
 * @property {EngineInfo} engine
 * @property {'seed'|'weights'} startedFrom   whether the seed's weights or given ones were trained
 * @property {EpochRow[]} history
 * @property {number|null} bestEpoch          1-based; null before the first epoch's end
 * @property {{kept: number[], skipped: number[]}} gates   minibatches, per branch 0..3
 * @property {{seconds: number, trainingSeconds: number, imagesPerSecond: number}} timing
 * @property {{selected: Endpoint, final: Endpoint}|null} endpoints   null unless finished
 * @property {Provenance} provenance
 * @property {LabFault|null} fault            why a run diverged, or could not be tested
 * @property {{selected: Weights, final: Weights}|null} [weights]  not in the exported JSON; null: stopped or diverged.
 *     Both share one array where the last epoch was the best.
 */

/**
 * An error as it crosses from the worker.
 * @typedef {object} LabFault
 * @property {string} code      C's status name or one of README.md's list
 * @property {string} message   a whole sentence
 * @property {string} subject   the field, file or part at fault; '' where there is none
 * @property {string} expected
 * @property {string} found
 * @property {number} offset    byte in the file; -1 where there is none
 */

/**
 * Two runs that differ in their mask alone, image by image on the same test set.
 * @typedef {object} Comparison
 * @property {number} n
 * @property {number} nBothRight
 * @property {number} nBothWrong
 * @property {Uint32Array} harmed     images right in the baseline, wrong in the treatment; ascending
 * @property {Uint32Array} repaired   the reverse
 * @property {number} pValue          McNemar's exact test, two-sided
 */

/**
 * A few values in short. NaN where there are too few.
 * @typedef {object} Summary
 * @property {number} n
 * @property {number} mean
 * @property {number} sd                  standard deviation, divisor n - 1
 * @property {number} halfWidth           of the 95 % interval of the mean, by Student's t
 * @property {number} low
 * @property {number} high
 */

/**
 * Treatment minus baseline, paired by seed.
 * @typedef {object} Paired
 * @property {Summary} difference
 * @property {number} nPositive
 * @property {number} nNegative
 * @property {number} nZero       left out of the sign test
 * @property {number} signPValue  exact sign test, two-sided
 * @property {number} t
 * @property {number} tPValue     paired t test, two-sided
 */

/**
 * @typedef {object} OpenOptions
 * @property {string} [datasetUrl]   folder with manifest.json; default 'dataset/' beside the page
 * @property {string} [wasmUrl]      folder with the engines; default 'wasm/' beside the page
 * @property {string} [build]        take this build and no other
 * @property {number} [threads]      so many, whatever the machine has; default: its cores, as far as they help
 * @property {number} [memoryBytes]  the engine's memory may grow to this; default: 4 GB, with threads 2 GB
 * @property {'auto'|'stream'|'zlib'} [inflate]   how gzip is decoded; default 'auto'
 */

export {};
