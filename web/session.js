// One engine at work: its splits, its runs, the weights kept in it. The worker answers the page's messages with the
// methods of the same names; Node calls them directly.

import { applyConfig, measureConfig } from './config.js';
import { RunControl } from './control.js';
import { faultOf, LabError, unlessAborted } from './fault.js';
import { hexOf, Model, openWeights } from './model.js';
import { breathe } from './pace.js';
import * as protocol from './protocol.js';
import { carryOut } from './experiment.js';

/** @typedef {import('./control.js').Action} Action */
/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./splits.js').Splits} Splits */
/** @typedef {import('./types.js').ConfigInput} ConfigInput */
/** @typedef {import('./types.js').Evaluation} Evaluation */
/** @typedef {import('./types.js').LabFault} LabFault */
/** @typedef {import('./types.js').RunResult} RunResult */
/** @typedef {import('./types.js').Weights} Weights */

/**
 * What goes with a request: who asks, a way to give up, a way to tell how it goes.
 * @typedef {object} Context
 * @property {number} id   of the request; a run is controlled by it
 * @property {AbortSignal} [signal]
 * @property {(event: string, data: any) => void} emit
 */

/** An engine and all that is open in it. */
export class Session {
  #splits;
  /** @type {Map<number, RunControl>} from the request to its end */
  #controls = new Map();
  /** @type {Map<number, Model>} runs that are training, as they stand */
  #live = new Map();
  /** @type {Map<number, Model>} weights that were put in, by handle */
  #networks = new Map();
  /** Ends when the last run that was asked for ends. @type {Promise<unknown>} */
  #lastRun = Promise.resolve();

  /**
   * @param {Engine} engine
   * @param {Splits} splits   of that engine, some of them perhaps on their way
   */
  constructor(engine, splits) {
    this.engine = engine;
    this.#splits = splits;
  }

  /**
   * @param {{split: string}} params
   * @param {Pick<Context, 'signal'|'emit'>} context
   */
  async loadSplit({ split }, { signal, emit }) {
    const { audit } = await this.split(split, { signal, onProgress: (data) => emit('progress', data) });
    return audit;
  }

  /**
   * @param {string} name
   * @param {import('./dataset.js').LoadOptions} options
   */
  split(name, options) {
    return this.#splits.ask(name, options);
  }

  /**
   * @param {{config: ConfigInput}} params
   * @returns {{fault: LabFault|null, bytes: number, nParameters: number}}
   */
  checkConfig({ config }) {
    try {
      const { bytes, nParameters } = measureConfig(this.engine, config);
      return { fault: null, bytes, nParameters };
    } catch (error) {
      return { fault: faultOf(error), bytes: 0, nParameters: 0 };
    }
  }

  /**
   * @param {{config: ConfigInput, initialWeights?: Float32Array, startPaused?: boolean}} params
   * @param {Context} context
   * @returns {Promise<RunResult>}
   */
  async run({ config: input, initialWeights, startPaused }, { id, emit }) {
    const config = applyConfig(this.engine, input); // a bad setting is told at once, not when its turn comes
    const control = new RunControl({ startPaused });
    this.#controls.set(id, control);
    const before = this.#lastRun;
    const run = (async () => {
      await unlessAborted(before, control.signal).catch(() => {}); // stopped while it waited: carried out as such
      return carryOut(this, config, { control, emit, initialWeights, onLive: (model) => this.#setLive(id, model) });
    })();
    this.#lastRun = Promise.allSettled([before, run]);
    try {
      return await run;
    } finally {
      this.#controls.delete(id);
    }
  }

  /**
   * Tells a run something; nothing happens if it has ended.
   * @param {{run: number, action: Action}} params
   */
  control({ run, action }) {
    this.#controls.get(run)?.tell(action);
    return null;
  }

  /**
   * Waits until the run is in the middle of no minibatch: its weights are neither the old ones nor the new then, and what
   * asks for them is refused.
   * @param {{run?: number}} params
   */
  async settled({ run = 0 }) {
    while (this.#live.get(run)?.isUnsettled) {
      await breathe();
    }
  }

  /** @param {{run: number}} params @returns {Weights} */
  runWeights({ run }) {
    const model = this.#model({ run });
    return { widths: model.widths, values: model.read() };
  }

  /** @param {{run?: number, network?: number, units: number}} params */
  firstLayer({ units, ...which }) {
    return this.#model(which).firstLayer(units);
  }

  /** @param {Weights} weights */
  openWeights({ widths, values }) {
    const network = openWeights(this.engine, widths, values);
    this.#networks.set(network, new Model(this.engine, network, 'live', widths));
    const digest = this.engine.copyU8(this.engine.pointer('gd_weights_digest', network), 32);
    return { network, sha256: hexOf(digest) };
  }

  /** @param {{network: number}} params */
  closeWeights({ network }) {
    this.engine.status('gd_weights_close', network);
    this.#networks.delete(network);
    return null;
  }

  /**
   * @param {{network: number, mask: number, split: string}} params
   * @param {Pick<Context, 'signal'|'emit'>} context
   * @returns {Promise<Evaluation>}
   */
  async evaluate({ network, mask, split }, { signal, emit }) {
    const model = this.#model({ network });
    const { handle } = await this.split(split, { signal });
    return model.evaluate({
      split,
      images: handle,
      mask,
      signal,
      onProgress: (data) => emit('progress', data),
    });
  }

  /** @param {{network: number, pixels: Uint8Array, mask: number}} params */
  predict({ network, pixels, mask }) {
    return this.#model({ network }).predict(pixels, mask);
  }

  /** @param {{network: number, pixels: Uint8Array, mask: number}} params */
  activations({ network, pixels, mask }) {
    return this.#model({ network }).activations(pixels, mask);
  }

  /** @param {{split: string, indices: number[]}} params */
  images({ split, indices }) {
    const loaded = this.#splits.get(split);
    if (loaded === undefined) {
      throw new LabError({ code: 'WRONG_STATE', message: `The split ${split} is not loaded.`, subject: split });
    }
    const { engine } = this;
    const { nImages } = loaded.audit;
    const [pixels, labels, originals] = ['pixels', 'labels', 'indices'].map((part) =>
      engine.pointer(`gd_split_${part}`, loaded.handle),
    );
    const result = {
      pixels: new Uint8Array(784 * indices.length),
      labels: new Uint8Array(indices.length),
      originalIndices: new Uint32Array(indices.length),
    };
    indices.forEach((index, at) => {
      if (!Number.isInteger(index) || index < 0 || index >= nImages) {
        const expected = `0 to ${nImages - 1}`;
        const message = `${split} has images ${expected}; ${index} is none of them.`;
        throw new LabError({ code: 'FIELD_OUT_OF_RANGE', message, subject: 'index', expected, found: String(index) });
      }
      result.pixels.set(engine.copyU8(Number(pixels) + 784 * index, 784), 784 * at);
      result.labels.set(engine.copyU8(Number(labels) + index, 1), at);
      result.originalIndices.set(engine.copyU32(Number(originals) + 4 * index, 1), at);
    });
    return result;
  }

  /** @param {Parameters<typeof protocol.plan>[1]} params */
  plan(params) {
    return protocol.plan(this.engine, params);
  }

  /**
   * The runs of a plan, or of a grid with these masks.
   * @param {Partial<Parameters<typeof protocol.plan>[1]> & {p: number[], masks?: number[], seeds: number[]}} params
   */
  cells({ kind = 'single', order = [0, 1, 2, 3], mask = 0, p, masks = this.plan({ kind, order, mask }), seeds }) {
    return protocol.grid(this.engine, { p, masks, seeds });
  }

  /** @param {{masks: number[]}} params */
  isNested({ masks }) {
    return protocol.isNested(this.engine, masks);
  }

  /**
   * @param {{baseline: protocol.Party, treatment: protocol.Party}} params
   * @param {Pick<Context, 'signal'>} context
   */
  async compare({ baseline, treatment }, { signal }) {
    protocol.checkComparable(this.engine, baseline, treatment);
    const { handle } = await this.split(baseline.endpoint?.split ?? '', { signal });
    return protocol.compare(this.engine, baseline, treatment, handle);
  }

  /** @param {{values: number[]}} params */
  summarize({ values }) {
    return protocol.summarize(this.engine, values);
  }

  /** @param {{baseline: number[], treatment: number[]}} params */
  pair({ baseline, treatment }) {
    return protocol.pair(this.engine, baseline, treatment);
  }

  /** @param {number} id @param {Model|null} model */
  #setLive(id, model) {
    if (model === null) {
      this.#live.delete(id);
    } else {
      this.#live.set(id, model);
    }
  }

  /** @param {{run?: number, network?: number}} which @returns {Model} */
  #model({ run = 0, network = 0 }) {
    const model = this.#live.get(run) ?? this.#networks.get(network);
    if (model === undefined) {
      const message = run > 0 ? 'This run is not training.' : 'These weights are not in the engine.';
      throw new LabError({ code: 'STALE_HANDLE', message });
    }
    return model;
  }
}
