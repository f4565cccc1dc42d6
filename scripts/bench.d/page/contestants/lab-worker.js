// The lab's engine at work: the exports that the page's own worker calls, and a watch around the training steps alone.

import { answerCalls } from '../caller.js';
import { applyConfig, Dataset, httpSource, LAB_URLS, openEngine } from '../lab-modules.js';
import { measure, traceLosses } from '../measure.js';
import { Peak } from '../peak.js';
import { BATCH, LEARNING_RATE, N_TRAIN, SEED } from '../protocol.js';
import { median } from '../statistics.js';

/** @typedef {import('../measure.js').Amount} Amount */
/** @typedef {import('../tab.js').Contestant} Contestant */
/** @typedef {import('../../../../web/engine.js').Engine} Engine */

const N_EPOCHS = 100;
const TRAINING_EVENTS = ['minibatch', 'epochTrained'];
const VALIDATION_EVENTS = ['validating', 'epoch'];
const LAST_EVENTS = ['finished', 'diverged'];

/** @implements {Contestant} */
class Lab {
  #engine;
  #splits;
  #widths;
  /** Handle of the run; 0: none. A run that has ended is followed by another one. */
  #run = 0;
  /** Seconds in the epoch that is under way. */
  #epoch = { training: 0, validation: 0 };
  /** What part of each epoch's time went into its validation. @type {number[]} */
  validationShares = [];

  /**
   * @param {Engine} engine
   * @param {{train: number, validation: number}} splits   handles
   * @param {number[]} widths
   */
  constructor(engine, splits, widths) {
    this.#engine = engine;
    this.#splits = splits;
    this.#widths = widths;
    this.about = `${engine.info.build}, ${engine.info.numerics}, ${engine.info.threads} thread(s)`;
  }

  /** @param {number} nMinibatches */
  async train(nMinibatches) {
    let [nImages, seconds, loss] = [0, 0, NaN];
    for (let n = 0; n < nMinibatches; ) {
      if (this.#run === 0) {
        this.#open();
      }
      const start = performance.now();
      const event = this.#engine.description.events[this.#engine.status('gd_run_step', this.#run)] ?? '';
      const elapsed = (performance.now() - start) / 1000;
      if (event === 'part' || TRAINING_EVENTS.includes(event)) {
        seconds += elapsed;
        this.#epoch.training += elapsed;
      }
      if (TRAINING_EVENTS.includes(event)) {
        n++;
        nImages += this.#progress('lastImages');
        loss = this.#progress('loss');
      } else if (VALIDATION_EVENTS.includes(event)) {
        this.#epoch.validation += elapsed;
        if (event === 'epoch') {
          this.#endEpoch();
        }
      } else if (LAST_EVENTS.includes(event)) {
        this.#close(event);
      }
    }
    return { nImages, seconds, loss };
  }

  #open() {
    const [widths, epochs] = [this.#widths, N_EPOCHS];
    applyConfig(this.#engine, { widths, epochs, trainN: N_TRAIN, batch: BATCH, lr: LEARNING_RATE, seed: SEED, mask: 0 });
    const { train, validation } = this.#splits;
    this.#run = this.#engine.status('gd_run_open', train, validation, 0);
  }

  #endEpoch() {
    const { training, validation } = this.#epoch;
    this.validationShares.push(validation / (training + validation));
    this.#epoch = { training: 0, validation: 0 };
  }

  /** @param {string} event */
  #close(event) {
    if (event !== 'finished') {
      throw new Error(`the run has ${event}`);
    }
    this.#engine.status('gd_run_close', this.#run);
    this.#run = 0;
  }

  /** @param {string} column */
  #progress(column) {
    const at = this.#engine.description.progress.indexOf(column);
    return Number(this.#engine.view('run', this.#run, 'progress')[at]);
  }
}

/** @type {Lab} */
let lab;
/** @type {Promise<Peak>|undefined} */
let peak;

answerCalls({
  /** @param {{widths: number[], build: string, nThreads: number}} setting @returns {Promise<string>} what has been opened */
  async open({ widths, build, nThreads }) {
    const engine = await openEngine({ wasmUrl: LAB_URLS.wasm, build, threads: nThreads });
    const dataset = new Dataset(engine, httpSource(LAB_URLS.dataset));
    const [train, validation] = [await dataset.load('train'), await dataset.load('validation')];
    lab = new Lab(engine, { train: train.handle, validation: validation.handle }, widths);
    return lab.about;
  },
  async measure(/** @type {Amount} */ amount) {
    peak ??= Peak.open();
    return measure(lab, await peak, amount);
  },
  /** @returns {number} of an epoch's time */
  validationShare: () => median(lab.validationShares),
  traceLosses: (/** @type {number} */ n) => traceLosses(lab, n),
});
