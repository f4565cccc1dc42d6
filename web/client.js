// The page's end of a worker: one Client is one worker is one engine. See README.md for the messages.

import { Channel } from './channel.js';
import { Network } from './network.js';
import { Run } from './run.js';

export { Network, Run };

/** @typedef {import('./types.js').Comparison} Comparison */
/** @typedef {import('./types.js').ConfigInput} ConfigInput */
/** @typedef {import('./types.js').Description} Description */
/** @typedef {import('./types.js').DownloadProgress} DownloadProgress */
/** @typedef {import('./types.js').EngineInfo} EngineInfo */
/** @typedef {import('./types.js').EpochRow} EpochRow */
/** @typedef {import('./types.js').LabFault} LabFault */
/** @typedef {import('./types.js').OpenOptions} OpenOptions */
/** @typedef {import('./types.js').Paired} Paired */
/** @typedef {import('./types.js').RunPhase} RunPhase */
/** @typedef {import('./types.js').RunProgress} RunProgress */
/** @typedef {import('./types.js').RunResult} RunResult */
/** @typedef {import('./types.js').SplitAudit} SplitAudit */
/** @typedef {import('./types.js').Summary} Summary */
/** @typedef {import('./types.js').Weights} Weights */

/** @typedef {import('./channel.js').EventSink} EventSink */
/** @typedef {import('./fault.js').LabError} LabError */

/**
 * What a page hears of a run. All are optional.
 * @typedef {object} RunListeners
 * @property {(phase: RunPhase) => void} [onPhase]
 * @property {(progress: DownloadProgress) => void} [onDownload]
 * @property {(progress: RunProgress) => void} [onProgress]   at most 20 times a second
 * @property {(row: EpochRow) => void} [onEpoch]
 */

/**
 * @typedef {object} RunOptions
 * @property {Float32Array} [initialWeights]   start from these instead of the seed's; copied
 * @property {boolean} [startPaused]           wait before the first minibatch for resume() or a step
 */

/** A worker with an engine. Make one with Client.open() or Client.start(). */
export class Client {
  #channel;
  /** The engine that runs, and why it is this one; known once `opened` has resolved. @type {EngineInfo} */
  engine = /** @type {any} */ (null);
  /** C's own tables: presets, fields, orders, statuses; known then too. @type {Description} */
  description = /** @type {any} */ (null);

  /**
   * Starts a worker and an engine in it.
   * @param {OpenOptions} [options]
   * @returns {Promise<Client>}
   * @throws {LabError} NO_ENGINE where no build runs here
   */
  static open(options = {}) {
    return Client.start(options).opened;
  }

  /**
   * The same, without waiting for the engine.
   * @param {OpenOptions} [options]
   */
  static start(options = {}) {
    const here = new URL('.', document.baseURI);
    const channel = new Channel(new Worker(new URL('worker.js', here), { type: 'module' }));
    return new Client(channel, {
      ...options,
      datasetUrl: new URL(options.datasetUrl ?? 'dataset/', here).href,
      wasmUrl: new URL(options.wasmUrl ?? 'wasm/', here).href,
    });
  }

  /**
   * Use Client.open() or Client.start().
   * @param {Channel} channel
   * @param {OpenOptions} options
   */
  constructor(channel, options) {
    this.#channel = channel;
    /** Gives this client when its engine runs. Nothing but expectRun() and close() may be called before. @type {Promise<Client>} */
    this.opened = this.#open(options);
    this.opened.catch(() => {}); // whoever waits for it hears of it
  }

  /** @param {OpenOptions} options */
  async #open(options) {
    try {
      return Object.assign(this, await this.#channel.ask('open', options));
    } catch (error) {
      this.#channel.close();
      throw error;
    }
  }

  /**
   * Says, while the engine starts, that a run will be asked for: its images can be on their way meanwhile.
   * @param {boolean} [isExpected]   false: no more
   */
  expectRun(isExpected = true) {
    const splits = isExpected ? ['train', 'validation'] : [];
    this.#channel.ask('expect', { splits }).catch(() => {}); // the run tells what is wrong
  }

  /** Nothing more can be asked: close() was called, or the worker broke down. */
  get isClosed() {
    return this.#channel.isClosed;
  }

  /** Ends the worker. What is under way is rejected with STOPPED. */
  close() {
    this.#channel.close();
  }

  /**
   * Fetches and verifies a split; at once if it is there already.
   * @param {string} split  'train', 'validation', 'test', 'test-full'
   * @param {{signal?: AbortSignal, onProgress?: (progress: DownloadProgress) => void}} [options]
   * @returns {Promise<SplitAudit>}
   */
  loadSplit(split, { signal, onProgress } = {}) {
    return this.#channel.ask('loadSplit', { split }, { signal, onEvent: (_, data) => onProgress?.(data) });
  }

  /**
   * Whether C accepts a configuration, and the memory that it takes.
   * @param {ConfigInput} config
   * @returns {Promise<{fault: LabFault|null, bytes: number, nParameters: number}>}
   */
  checkConfig(config) {
    return this.#channel.ask('checkConfig', { config });
  }

  /**
   * Starts a run. One run at a time in a client; a second one waits for the first to end.
   * @param {ConfigInput} config
   * @param {RunListeners & RunOptions} [options]
   * @returns {Run}
   */
  startRun(config, options = {}) {
    const { initialWeights, startPaused } = options;
    /** @type {Record<string, ((data: any) => void)|undefined>} */
    const listeners = {
      phase: options.onPhase,
      download: options.onDownload,
      progress: options.onProgress,
      epoch: options.onEpoch,
    };
    /** @type {EventSink} */
    const onEvent = (event, data) => listeners[event]?.(data);
    const { id, answer } = this.#channel.request('run', { config, initialWeights, startPaused }, { onEvent });
    return new Run(this.#channel, id, answer);
  }

  /**
   * Puts kept weights into the engine, to evaluate and predict with. They are copied; C checks their number, and that
   * each is finite.
   * @param {Weights} weights
   * @returns {Promise<Network>}
   */
  async openWeights({ widths, values }) {
    const { network, sha256 } = await this.#channel.ask('openWeights', { widths, values });
    return new Network(this.#channel, network, { widths, sha256 });
  }

  /**
   * Images of a loaded split (load it first), to draw.
   * @param {string} split
   * @param {number[]} indices   positions in the split
   * @returns {Promise<{pixels: Uint8Array, labels: Uint8Array, originalIndices: Uint32Array}>} pixels (n, 784)
   */
  images(split, indices) {
    return this.#channel.ask('images', { split, indices });
  }

  /**
   * The runs of a plan or a grid, checked, in the order in which they run: at most 100, whole comparisons first.
   * @param {{p: number[], seeds: number[], masks?: number[], kind?: 'single'|'paired'|'sweep', mask?: number,
   *   order?: number[]}} plan   masks: of a grid; kind, the mask of single and paired, the sweep's order: of a plan
   * @returns {Promise<{p: number, mask: number, seed: number}[]>}
   */
  cells(plan) {
    return this.#channel.ask('cells', plan);
  }

  /**
   * Whether a line may join the points of these masks, in this order: each holds all branches of the one before.
   * @param {number[]} masks
   * @returns {Promise<boolean>}
   */
  isNested(masks) {
    return this.#channel.ask('isNested', { masks });
  }

  /**
   * Image by image, what the treatment harmed and repaired. NOT_COMPARABLE if more than the mask differs.
   * @param {RunResult} baseline
   * @param {RunResult} treatment
   * @param {'selected'|'final'} [checkpoint]
   * @returns {Promise<Comparison>}
   */
  compare(baseline, treatment, checkpoint = 'selected') {
    return this.#channel.ask('compare', {
      baseline: partyOf(baseline, checkpoint),
      treatment: partyOf(treatment, checkpoint),
    });
  }

  /**
   * Mean, spread and interval of a figure over seeds.
   * @param {number[]} values
   * @returns {Promise<Summary>}
   */
  summarize(values) {
    return this.#channel.ask('summarize', { values });
  }

  /**
   * The paired differences of a figure over seeds.
   * @param {number[]} baseline   one value a seed
   * @param {number[]} treatment  the same seeds in the same order
   * @returns {Promise<Paired>}
   */
  pair(baseline, treatment) {
    return this.#channel.ask('pair', { baseline, treatment });
  }
}

/**
 * What a comparison needs of a run.
 * @param {RunResult} result
 * @param {'selected'|'final'} checkpoint
 */
function partyOf({ config, engine, provenance, endpoints }, checkpoint) {
  return {
    config,
    numerics: engine.numerics,
    initializationSHA256: provenance.initializationSHA256,
    endpoint: endpoints?.[checkpoint],
  };
}
