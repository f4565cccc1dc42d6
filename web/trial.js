// Finds out, on a run's own first minibatches, with how many threads it goes fastest. The number changes no bit of a result.

/** @typedef {import('./engine.js').Engine} Engine */

/** The trial ends with the first round after this much time. */
const TRIAL_S = 0.25;

/** Minibatches that follow each other on the same threads: at least so many, or as many as take so long. */
const BLOCK_MINIBATCHES = 4;
const BLOCK_S = 0.02;

/** Another thread must save at least this part of the time, or it is left to the rest of the machine. */
const WORTHWHILE = 0.05;

/** Of a weight of the first layer, against another one: most pixels are zero, and they have no gradient. */
const FIRST_LAYER_WORK = 1 / 4;

/** Evaluations share less and update nothing: they get every thread that has not made training slower than this. */
const HARMLESS = 1.1;

/**
 * A minibatch that has been trained.
 * @typedef {object} Sample
 * @property {number} seconds
 * @property {number} nImages
 * @property {number} skipped   mask of the branches that were left out
 */

/** Tells the engine how many threads to use: one number after the other, and then the best. */
export class ThreadTrial {
  #engine;
  #widths;
  #canValidateBeside;
  #counts;
  /** Seconds for one unit of work: a list for each number of threads. @type {number[][]} */
  #costs;
  /** The number whose turn it is. */
  #turn = 0;
  #block = { minibatches: 0, seconds: 0 };
  #seconds = 0;
  #isWarm = false;
  /** Which number serves evaluations; undefined while the trial goes on. @type {number|undefined} */
  #forEvaluation;
  /** Whether one thread trains best and another one validates meanwhile. */
  validatesBeside = false;
  /** In words what came out; null while it goes on, and where there was nothing to choose. @type {string|null} */
  verdict = null;

  /**
   * @param {Engine} engine
   * @param {number[]} widths   of the network
   * @param {() => boolean} canValidateBeside   whether the run can, with the threads that are in use
   */
  constructor(engine, widths, canValidateBeside) {
    this.#engine = engine;
    this.#canValidateBeside = canValidateBeside;
    this.#widths = widths;
    this.#counts = engine.threadCounts;
    this.#costs = this.#counts.map(() => []);
    this.#use(0);
  }

  get isGoingOn() {
    return this.#counts.length > 1 && this.verdict === null;
  }

  /** Hears of each minibatch, in order, while it is going on. @param {Sample} sample */
  add({ seconds, nImages, skipped }) {
    if (!this.#isWarm) {
      this.#isWarm = true; // the first one has met with memory that nobody had touched and code that was not compiled
      return;
    }
    this.#costs[this.#turn]?.push(seconds / (nImages * workOf(this.#widths, skipped)));
    this.#seconds += seconds;
    this.#block.minibatches++;
    this.#block.seconds += seconds;
    if (this.#block.minibatches >= BLOCK_MINIBATCHES || this.#block.seconds >= BLOCK_S) {
      this.#nextBlock();
    }
  }

  #nextBlock() {
    const next = (this.#turn + 1) % this.#counts.length;
    if (next === 0 && this.#seconds >= TRIAL_S) {
      this.#decide();
    } else {
      this.#block = { minibatches: 0, seconds: 0 };
      this.#use(next);
    }
  }

  #decide() {
    const medians = this.#costs.map(median);
    const one = Number(medians.at(-1));
    let best = medians.length - 1;
    for (let at = best - 1; at >= 0; at--) {
      if (Number(medians[at]) < (1 - WORTHWHILE) * Number(medians[best])) {
        best = at;
      }
    }
    if (this.#counts[best] === 1) {
      this.#engine.useThreads(2); // they share nothing, so neither waits for the other
      this.validatesBeside = this.#canValidateBeside();
    }
    if (!this.validatesBeside) {
      this.#use(best);
      this.#forEvaluation = medians.findIndex((cost) => cost <= HARMLESS * one);
    }
    const speedups = medians.map((cost) => one / cost);
    const meanwhile = this.validatesBeside ? ' Another one validated meanwhile.' : '';
    this.verdict = sentenceOf(this.#counts, speedups, best) + meanwhile;
  }

  /** Says that the network is evaluated now, or trained on. @param {boolean} isEvaluated */
  evaluate(isEvaluated) {
    if (this.#forEvaluation !== undefined) {
      const at = isEvaluated ? this.#forEvaluation : this.#turn;
      this.#engine.useThreads(Number(this.#counts[at]));
    }
  }

  /** @param {number} at   of the counts */
  #use(at) {
    this.#turn = at;
    this.#engine.useThreads(Number(this.#counts[at]));
  }
}

/**
 * What one image costs, in weights.
 * @param {number[]} widths
 * @param {number} skipped   mask; branch j leads from layer j to the next
 */
function workOf(widths, skipped) {
  let work = 0;
  for (const [layer, nIn] of widths.slice(0, -1).entries()) {
    const isSkipped = layer > 0 && ((skipped >> (layer - 1)) & 1) === 1;
    const nWeights = isSkipped ? 0 : nIn * Number(widths[layer + 1]);
    work += layer === 0 ? FIRST_LAYER_WORK * nWeights : nWeights;
  }
  return work;
}

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (Number(sorted[(sorted.length - 1) >> 1]) + Number(sorted[sorted.length >> 1])) / 2;
}

/**
 * @param {number[]} counts      of threads; the last is 1
 * @param {number[]} speedups    of each, against one thread
 * @param {number} best
 */
function sentenceOf(counts, speedups, best) {
  const others = counts
    .map((count, at) => `${count} threads ${Number(speedups[at]).toFixed(2)} ×`)
    .filter((_, at) => at !== best && at !== counts.length - 1);
  const rest = others.length > 0 ? ` (${others.join(', ')})` : '';
  return counts[best] === 1
    ? `This run went fastest on one thread${rest}.`
    : `This run went ${Number(speedups[best]).toFixed(2)} × as fast on ${counts[best]} threads as on one${rest}.`;
}
