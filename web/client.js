// The page's end of a worker: one Client is one worker is one engine. See README.md for the messages.

import { LabError, stopped } from './fault.js';
import { Network } from './network.js';
import { Run } from './run.js';

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

/** @typedef {(event: string, data: any) => void} EventSink */
/** @typedef {{resolve: (value: any) => void, reject: (error: Error) => void, onEvent: EventSink}} Pending */

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

/** A worker with an engine. Make one with Client.open(). */
export class Client {
  /** @type {Worker} */
  #worker;
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  #nextId = 1;
  #closed = false;

  /**
   * Starts a worker and an engine in it.
   * @param {OpenOptions} [options]
   * @returns {Promise<Client>}
   * @throws {LabError} NO_ENGINE where no build runs here
   */
  static async open(options = {}) {
    const here = new URL('.', document.baseURI);
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    const client = new Client(worker);
    try {
      const opened = await client.#ask('open', {
        ...options,
        datasetUrl: new URL(options.datasetUrl ?? 'dataset/', here).href,
        wasmUrl: new URL(options.wasmUrl ?? 'wasm/', here).href,
      });
      client.engine = opened.engine;
      client.description = opened.description;
    } catch (error) {
      client.close();
      throw error;
    }
    return client;
  }

  /**
   * Use Client.open().
   * @param {Worker} worker
   */
  constructor(worker) {
    this.#worker = worker;
    /** @type {EngineInfo} the engine that runs, and why it is this one */
    this.engine = { build: '', numerics: '', threads: 0, reasons: [] };
    /** @type {Description} C's own tables: presets, fields, orders, statuses */
    this.description = { abi: 0, numerics: '', threads: 0, presets: [], fields: [], statuses: [], orders: [] };
    worker.addEventListener('message', (event) => this.#receive(event.data));
    worker.addEventListener('error', (event) => {
      this.#fail(event.message || 'The worker could not be started.');
    });
    worker.addEventListener('messageerror', () => this.#fail('A message from the worker was lost.'));
  }

  /** Ends the worker. What is under way is rejected with STOPPED. */
  close() {
    this.#closed = true;
    this.#worker.terminate();
    for (const { reject } of this.#pending.values()) {
      reject(stopped());
    }
    this.#pending.clear();
  }

  /**
   * Fetches and verifies a split; at once if it is there already.
   * @param {string} split  'train', 'validation', 'test', 'test-full'
   * @param {{signal?: AbortSignal, onProgress?: (progress: DownloadProgress) => void}} [options]
   * @returns {Promise<SplitAudit>}
   */
  loadSplit(split, { signal, onProgress } = {}) {
    return this.#ask('loadSplit', { split }, { signal, onEvent: (_, data) => onProgress?.(data) });
  }

  /**
   * Whether C accepts a configuration, and the memory that it takes.
   * @param {ConfigInput} config
   * @returns {Promise<{fault: LabFault|null, bytes: number, nParameters: number}>}
   */
  checkConfig(config) {
    return this.#ask('checkConfig', { config });
  }

  /**
   * Starts a run. One run at a time in a client; a second one waits for the first to end.
   * @param {ConfigInput} config
   * @param {RunListeners & RunOptions} [options]
   * @returns {Run}
   */
  startRun(config, options = {}) {
    const { initialWeights, startPaused } = options;
    const id = this.#nextId;
    /** @type {EventSink} */
    const onEvent = (event, data) => {
      if (event === 'phase') {
        options.onPhase?.(data);
      } else if (event === 'download') {
        options.onDownload?.(data);
      } else if (event === 'progress') {
        options.onProgress?.(data);
      } else if (event === 'epoch') {
        options.onEpoch?.(data);
      }
    };
    const finished = this.#ask('run', { config, initialWeights, startPaused }, { onEvent });
    return new Run(id, finished, (method, params) => this.#ask(method, params));
  }

  /**
   * Puts kept weights into the engine, to evaluate and predict with. They are copied; C checks their number, and that
   * each is finite.
   * @param {Weights} weights
   * @returns {Promise<Network>}
   */
  async openWeights({ widths, values }) {
    const { network, sha256 } = await this.#ask('openWeights', { widths, values });
    return new Network(network, widths, sha256, (method, params, options) => this.#ask(method, params, options));
  }

  /**
   * Images of a loaded split (load it first), to draw.
   * @param {string} split
   * @param {number[]} indices   positions in the split
   * @returns {Promise<{pixels: Uint8Array, labels: Uint8Array, originalIndices: Uint32Array}>} pixels (n, 784)
   */
  images(split, indices) {
    return this.#ask('images', { split, indices });
  }

  /**
   * The masks of a plan's runs, in the order in which they run.
   * @param {'single'|'paired'|'sweep'} kind
   * @param {{mask?: number, order?: number[]}} [options]  mask of single and paired; order of the sweep's branches
   * @returns {Promise<number[]>}
   */
  plan(kind, { mask = 0, order = [0, 1, 2, 3] } = {}) {
    return this.#ask('plan', { kind, mask, order });
  }

  /**
   * The runs of a grid, checked: at most 100, whole comparisons first.
   * @param {{p: number[], masks: number[], seeds: number[]}} axes
   * @returns {Promise<{p: number, mask: number, seed: number}[]>}
   */
  grid({ p, masks, seeds }) {
    return this.#ask('grid', { p, masks, seeds });
  }

  /**
   * Image by image, what the treatment harmed and repaired. NOT_COMPARABLE if more than the mask differs.
   * @param {RunResult} baseline
   * @param {RunResult} treatment
   * @param {'selected'|'final'} [checkpoint]
   * @returns {Promise<Comparison>}
   */
  compare(baseline, treatment, checkpoint = 'selected') {
    return this.#ask('compare', {
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
    return this.#ask('summarize', { values });
  }

  /**
   * The paired differences of a figure over seeds.
   * @param {number[]} baseline   one value a seed
   * @param {number[]} treatment  the same seeds in the same order
   * @returns {Promise<Paired>}
   */
  pair(baseline, treatment) {
    return this.#ask('pair', { baseline, treatment });
  }

  /**
   * @param {string} method
   * @param {object} params
   * @param {{signal?: AbortSignal, onEvent?: EventSink}} [options]
   * @returns {Promise<any>}
   */
  #ask(method, params, { signal, onEvent = () => {} } = {}) {
    if (this.#closed || signal?.aborted) {
      return Promise.reject(stopped());
    }
    const id = this.#nextId++;
    const abort = () => this.#worker.postMessage({ abort: id });
    signal?.addEventListener('abort', abort);
    const answer = new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onEvent });
      this.#worker.postMessage({ id, method, params });
    });
    return answer.finally(() => signal?.removeEventListener('abort', abort));
  }

  /** @param {{id: number, event?: string, data?: any, result?: any, error?: LabFault}} message */
  #receive(message) {
    const pending = this.#pending.get(message.id);
    if (pending === undefined) {
      return;
    }
    if (message.event !== undefined) {
      pending.onEvent(message.event, message.data);
      return;
    }
    this.#pending.delete(message.id);
    if (message.error === undefined) {
      pending.resolve(message.result);
    } else {
      pending.reject(new LabError(message.error));
    }
  }

  /** @param {string} message */
  #fail(message) {
    for (const { reject } of this.#pending.values()) {
      reject(new LabError({ code: 'UNKNOWN', message }));
    }
    this.close();
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
