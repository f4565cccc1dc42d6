// Drives one run of C from its first weights to its last digest: in slices, with a watch beside it.

import { faultSentence } from './engine.js';
import { LabError } from './fault.js';
import { hexOf } from './model.js';
import { breathe, SLICE_MS } from './pace.js';
import { ThreadTrial } from './trial.js';

/** @typedef {import('./control.js').RunControl} RunControl */
/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./types.js').EpochRow} EpochRow */
/** @typedef {import('./types.js').LabFault} LabFault */
/** @typedef {import('./types.js').Provenance} Provenance */
/** @typedef {import('./types.js').RunProgress} RunProgress */

/** The rate shown is that of the last so many seconds of training. */
const RATE_WINDOW_S = 0.5;

/**
 * @typedef {object} TrainingListeners
 * @property {(progress: RunProgress) => void} onProgress   after each slice
 * @property {(row: EpochRow) => void} onEpoch
 */

/** A run of C, opened without validation images, with what JavaScript adds to it: the time. */
export class Training {
  #engine;
  #handle;
  /** Gives the run its validation images; then undefined. @type {(() => Promise<void>)|undefined} */
  #bringValidation;
  #nEpochs;
  #nParameters;
  #watch = new Watch();
  #trial;
  /** @type {EpochRow[]} */
  history = [];

  /**
   * @param {Engine} engine
   * @param {number} handle        of the run
   * @param {() => Promise<void>} bringValidation   gives the run its validation images
   * @param {{nEpochs: number, nParameters: number, widths: number[]}} facts
   */
  constructor(engine, handle, bringValidation, { nEpochs, nParameters, widths }) {
    this.#engine = engine;
    this.#handle = handle;
    this.#bringValidation = bringValidation;
    this.#nEpochs = nEpochs;
    this.#nParameters = nParameters;
    this.#trial = new ThreadTrial(engine, widths, () => this.#validateBeside(true));
  }

  /**
   * Trains until the run is finished, has diverged, or is stopped.
   * @param {RunControl} control
   * @param {TrainingListeners} listeners
   * @returns {Promise<'finished'|'diverged'|'stopped'>}
   */
  async drive(control, { onProgress, onEpoch }) {
    control.onChange(() => onProgress(this.progress(control.isPaused)));
    try {
      return await this.#loop(control, { onProgress, onEpoch });
    } finally {
      this.#trial.evaluate(false); // it may have ended in a validation
    }
  }

  /**
   * @param {RunControl} control
   * @param {TrainingListeners} listeners
   * @returns {Promise<'finished'|'diverged'|'stopped'>}
   */
  async #loop(control, { onProgress, onEpoch }) {
    let event = '';
    for (;;) {
      if (event === 'epochTrained') {
        await this.#bringValidation?.();
        this.#bringValidation = undefined;
      }
      this.#validateBeside(control.isFree && this.#trial.validatesBeside);
      // A pause is between two minibatches, so that the weights can be looked at, and after the row of the epoch before.
      if (!isUnfinished(event) && !(this.#column('epoch') - this.#column('epochsDone') > 1)) {
        await control.ready();
      }
      if (control.isStopped) {
        this.#engine.status('gd_run_stop', this.#handle);
        return 'stopped';
      }
      event = this.#slice(control, onEpoch);
      if (this.#watch.trainingSeconds > 0) {
        onProgress(this.progress(control.isPaused)); // of drawn weights it would only delay the news of the first minibatch
      }
      if (event === 'finished' || event === 'diverged') {
        return event;
      }
      await breathe();
    }
  }

  /**
   * Works until the slice is over or there is something to wait for.
   * @param {RunControl} control
   * @param {(row: EpochRow) => void} onEpoch
   * @returns {string} the last event
   */
  #slice(control, onEpoch) {
    const end = performance.now() + SLICE_MS;
    let event;
    do {
      event = this.#step(onEpoch);
      const isLast = event === 'epoch' && this.history.length === this.#nEpochs;
      if (!isLast) {
        control.happened(event);
      }
      if (event === 'epochTrained' && this.#bringValidation !== undefined) {
        break;
      }
    } while (mayGoOn(control, event) && performance.now() < end);
    return event;
  }

  /** One piece of work. @param {(row: EpochRow) => void} onEpoch @returns {string} what it was */
  #step(onEpoch) {
    const { events } = this.#engine.description;
    const start = performance.now();
    const event = events[this.#engine.status('gd_run_step', this.#handle)] ?? '';
    this.#watch.add(event, (performance.now() - start) / 1000, this.#column('images'));
    if (this.#trial.isGoingOn && (event === 'minibatch' || event === 'epochTrained')) {
      const { lastImages: nImages, skipped } = this.#columns();
      this.#trial.add({ seconds: this.#watch.minibatchSeconds, nImages, skipped });
    }
    if (event === 'epochTrained') {
      this.#trial.evaluate(true);
    }
    if (event === 'epoch' || event === 'validated') {
      this.#trial.evaluate(false);
      const row = this.#readRow();
      this.history.push(row);
      onEpoch(row);
    }
    return event;
  }

  /** @param {boolean} isOn @returns {boolean} whether the run does so from now on */
  #validateBeside(isOn) {
    return this.#engine.number('gd_run_validate_beside', this.#handle, Number(isOn)) === 1;
  }

  /**
   * @param {boolean} paused
   * @returns {RunProgress}
   */
  progress(paused) {
    const columns = this.#columns();
    const minibatchesDone = columns.gatedMinibatches;
    const gatesSkipped = [columns.skips1, columns.skips2, columns.skips3, columns.skips4];
    const imagesPerSecond = this.#watch.rate;
    return {
      state: /** @type {RunProgress['state']} */ (this.#engine.description.states[columns.state]),
      epoch: columns.epoch,
      nEpochs: this.#nEpochs,
      minibatch: columns.minibatch,
      nMinibatches: columns.minibatches,
      minibatchesDone,
      loss: columns.loss,
      skipped: columns.skipped,
      gatesKept: gatesSkipped.map((n) => minibatchesDone - n),
      gatesSkipped,
      imagesPerSecond,
      gflops: (6 * this.#nParameters * imagesPerSecond) / 1e9,
      paused,
    };
  }

  /** @returns {{seconds: number, trainingSeconds: number, imagesPerSecond: number}} of the whole run */
  timing() {
    const { seconds, trainingSeconds } = this.#watch;
    const images = this.#column('images');
    return { seconds, trainingSeconds, imagesPerSecond: trainingSeconds > 0 ? images / trainingSeconds : 0 };
  }

  /** How many threads served the run best, in words; null where that was no question. */
  get threadVerdict() {
    return this.#trial.verdict;
  }

  /** @returns {LabFault} why it diverged */
  fault() {
    const { statuses } = this.#engine.description;
    const text = statuses.find(({ name }) => name === 'DIVERGED')?.text ?? '';
    const found = `a loss of ${this.#column('loss')} in epoch ${this.#column('epoch')}`;
    const message = faultSentence(text, { found });
    return new LabError({ code: 'DIVERGED', message, subject: 'loss', expected: 'a finite number', found }).toFault();
  }

  /** @returns {number|null} */
  bestEpoch() {
    return this.#column('selectedEpoch') || null;
  }

  /** @returns {Pick<Provenance, 'initializationSHA256'|'orderHash'|'gateDrawHash'|'weightsSHA256'>} */
  provenance() {
    const selected = this.#digest('selectedSHA256');
    const final = this.#digest('finalSHA256');
    return {
      initializationSHA256: this.#digest('initializationSHA256') ?? '',
      orderHash: this.#hash('orderHash'),
      gateDrawHash: this.#hash('gateDrawHash'),
      weightsSHA256: selected !== null && final !== null ? { selected, final } : null,
    };
  }

  /** @returns {EpochRow} the history's last */
  #readRow() {
    const { history } = this.#engine.description;
    const row = named(history, this.#view('history').slice(-history.length));
    return /** @type {any} */ ({ epoch: this.#column('epochsDone'), ...row, ...this.#watch.lap() });
  }

  /** @returns {Record<string, number>} where the run stands, by C's ids */
  #columns() {
    return named(this.#engine.description.progress, this.#view('progress'));
  }

  /** @param {string} id */
  #column(id) {
    return Number(this.#view('progress')[this.#engine.description.progress.indexOf(id)]);
  }

  /** @param {string} view @returns {string|null} null: not known yet */
  #digest(view) {
    const digest = this.#view(view);
    return digest.length === 0 ? null : hexOf(digest);
  }

  /** @param {string} view */
  #hash(view) {
    return Number(this.#view(view)[0]).toString(16).padStart(8, '0');
  }

  /** @param {string} id */
  #view(id) {
    return this.#engine.view('run', this.#handle, id);
  }
}

/**
 * C's numbers by their ids.
 * @param {string[]} ids
 * @param {ArrayLike<number|bigint>} values
 * @returns {Record<string, number>}
 */
function named(ids, values) {
  return Object.fromEntries(ids.map((id, at) => [id, Number(values[at])]));
}

/** Whether a pause must wait: for the rest of a minibatch, or the validation that follows it. @param {string} event   the last */
function isUnfinished(event) {
  return event === 'part' || event === 'epochTrained' || event === 'validating';
}

/**
 * Whether the next step may be done without waiting.
 * @param {RunControl} control
 * @param {string} event   of the last step
 */
function mayGoOn(control, event) {
  if (event === 'finished' || event === 'diverged') {
    return false;
  }
  return isUnfinished(event) ? !control.isStopped : control.mayGoOn;
}

/** Counts the seconds of work, pauses left out. */
class Watch {
  seconds = 0;
  trainingSeconds = 0;
  /** Of the last minibatch. */
  minibatchSeconds = 0;
  /** Images a second, lately. */
  rate = 0;
  #partSeconds = 0;
  /** Where the last row's epoch ended, and those whose row is still to come: when trained, if they are validated beside the next. */
  #epochEnds = [{ seconds: 0, trainingSeconds: 0 }];
  #windowStart = { trainingSeconds: 0, images: 0 };

  /**
   * @param {string} event     what the step did
   * @param {number} seconds   that it took
   * @param {number} images    trained since the run began
   */
  add(event, seconds, images) {
    this.seconds += seconds;
    if (event === 'part') {
      this.#partSeconds += seconds;
    }
    if (event === 'epoch') {
      this.#epochEnds.pop(); // it ends with its validation
      this.#endEpoch();
    }
    if (event !== 'minibatch' && event !== 'epochTrained') {
      return;
    }
    this.minibatchSeconds = this.#partSeconds + seconds;
    this.#partSeconds = 0;
    this.trainingSeconds += this.minibatchSeconds;
    const window = this.trainingSeconds - this.#windowStart.trainingSeconds;
    if (window > 0 && (window >= RATE_WINDOW_S || this.rate === 0)) {
      this.rate = (images - this.#windowStart.images) / window;
      this.#windowStart = { trainingSeconds: this.trainingSeconds, images };
    }
    if (event === 'epochTrained') {
      this.#endEpoch();
    }
  }

  #endEpoch() {
    this.#epochEnds.push({ seconds: this.seconds, trainingSeconds: this.trainingSeconds });
  }

  /** @returns {{seconds: number, trainingSeconds: number}} of the epoch whose row has come */
  lap() {
    const [start, end] = this.#epochEnds;
    this.#epochEnds.shift();
    return { seconds: end.seconds - start.seconds, trainingSeconds: end.trainingSeconds - start.trainingSeconds };
  }
}
