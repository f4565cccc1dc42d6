// The splits of one engine, each loaded once for all who ask for it.

import { Dataset } from './dataset.js';
import { unlessAborted } from './fault.js';

/** @typedef {import('./dataset.js').LoadedSplit} LoadedSplit */
/** @typedef {import('./dataset.js').LoadOptions} LoadOptions */
/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./types.js').DownloadProgress} DownloadProgress */

/**
 * A load under way.
 * @typedef {object} Load
 * @property {Promise<LoadedSplit>} loaded
 * @property {AbortController} controller
 * @property {Set<{tell: (progress: DownloadProgress) => void}>} askers   none: it was begun before anyone asked
 * @property {DownloadProgress|null} progress   the latest
 */

/** Splits that must share no image. @type {Record<string, string>} */
const DISJOINT = { train: 'validation', validation: 'train' };

export class Splits {
  #engine;
  #dataset;
  /** @type {Map<string, LoadedSplit>} */
  #loaded = new Map();
  /** @type {Map<string, Load>} */
  #loads = new Map();

  /**
   * @param {Engine|Promise<Engine>} engine
   * @param {import('./source.js').Source} source   of the manifest and the splits
   * @param {ConstructorParameters<typeof Dataset>[2]} [options]
   */
  constructor(engine, source, options) {
    this.#engine = engine;
    this.#dataset = new Dataset(engine, source, options);
  }

  /** A split that has been loaded. @param {string} name */
  get(name) {
    return this.#loaded.get(name);
  }

  /**
   * Begins with splits that will be asked for soon: all are fetched at once and taken in one after the other. A fault is not told;
   * who asks after it makes a new attempt. What was expected before and nobody has asked for is given up.
   * @param {string[]} names
   */
  expect(names) {
    for (const [name, load] of this.#loads) {
      if (load.askers.size === 0 && !names.includes(name)) {
        this.#giveUp(name, load);
      }
    }
    /** @type {Promise<unknown>|undefined} */
    let turn;
    for (const name of names) {
      turn = this.#load(name, turn).loaded.catch(() => {});
    }
  }

  /**
   * A split, loaded now or before. All who want it at once share one load, which goes on until the last of them gives up.
   * @param {string} name
   * @param {LoadOptions} [options]
   * @returns {Promise<LoadedSplit>}
   */
  async ask(name, { signal, onProgress: tell = () => {} } = {}) {
    const loaded = this.#loaded.get(name);
    if (loaded !== undefined) {
      return loaded;
    }
    const load = this.#load(name);
    const asker = { tell };
    load.askers.add(asker);
    if (load.progress !== null) {
      tell(load.progress);
    }
    try {
      return await unlessAborted(load.loaded, signal);
    } finally {
      load.askers.delete(asker);
      if (load.askers.size === 0) {
        this.#giveUp(name, load);
      }
    }
  }

  /**
   * The load of a split that is not there: under way, or begun now.
   * @param {string} name
   * @param {Promise<unknown>} [turn]
   * @returns {Load}
   */
  #load(name, turn) {
    const underWay = this.#loads.get(name);
    if (underWay !== undefined) {
      return underWay;
    }
    const controller = new AbortController();
    /** @type {Load} */
    const load = {
      loaded: this.#take(name, {
        signal: controller.signal,
        turn,
        onProgress: (progress) => {
          load.progress = progress;
          load.askers.forEach(({ tell }) => tell(progress));
        },
      }),
      controller,
      askers: new Set(),
      progress: null,
    };
    this.#loads.set(name, load);
    const forget = () => this.#forget(name, load);
    load.loaded.then(forget, forget);
    return load;
  }

  /** @param {string} name @param {Load} load */
  #giveUp(name, load) {
    this.#forget(name, load); // who asks next shall not be given this one
    load.controller.abort(); // no effect once it has ended
  }

  /** @param {string} name @param {Load} load */
  #forget(name, load) {
    if (this.#loads.get(name) === load) {
      this.#loads.delete(name);
    }
  }

  /** @param {string} name @param {LoadOptions} options */
  async #take(name, options) {
    const split = await this.#dataset.load(name, options);
    const engine = await this.#engine; // from here on in one go: of two splits the later one meets the other
    const other = this.#loaded.get(DISJOINT[name]);
    if (other !== undefined) {
      checkDisjoint(engine, split, other);
    }
    this.#loaded.set(name, split);
    return split;
  }
}

/**
 * @param {Engine} engine
 * @param {LoadedSplit} split   closed if it shares an image with the other
 * @param {LoadedSplit} other
 */
function checkDisjoint(engine, split, other) {
  try {
    engine.status('gd_split_disjoint', other.handle, split.handle);
  } catch (error) {
    engine.status('gd_split_close', split.handle);
    throw error;
  }
  split.audit.checks.push({
    name: `no image of ${other.audit.split}`,
    state: 'passed',
    status: 'OK',
    expected: '0 shared',
    found: '0 shared',
    offset: null,
  });
}
