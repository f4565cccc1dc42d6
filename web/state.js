// What the page knows, in one place. Parts watch it and draw; lab.js alone changes it.

/** @typedef {import('./types.js').ConfigInput} ConfigInput */
/** @typedef {import('./types.js').Description} Description */
/** @typedef {import('./types.js').DownloadProgress} DownloadProgress */
/** @typedef {import('./types.js').EngineInfo} EngineInfo */
/** @typedef {import('./types.js').EpochRow} EpochRow */
/** @typedef {import('./types.js').LabFault} LabFault */
/** @typedef {import('./types.js').RunProgress} RunProgress */
/** @typedef {import('./types.js').RunResult} RunResult */

/** @typedef {'train'|'compare'|'inspect'|'draw'|'data'} Place */

/** @typedef {'waiting'|'loading'|'training'|'testing'|'finished'|'stopped'|'diverged'|'failed'} RunStatus */

/**
 * A run as the page lists it, from the queue to its end.
 * @typedef {object} RunRecord
 * @property {string} id
 * @property {string} label
 * @property {ConfigInput} config
 * @property {RunStatus} status
 * @property {EpochRow[]} history
 * @property {RunResult|null} result   once it has ended
 * @property {LabFault|null} fault     why it failed or diverged
 */

/**
 * What changes many times a second while a run goes on; kept apart, so that lists need not be drawn anew.
 * @typedef {object} Live
 * @property {string} runId
 * @property {DownloadProgress|null} download
 * @property {RunProgress|null} progress
 */

/**
 * @typedef {object} LabState
 * @property {Place} place
 * @property {EngineInfo|null} engine             null until the engine has started
 * @property {Description|null} description
 * @property {ConfigInput} config                 the settings as they stand
 * @property {LabFault|null} configFault          what C says against them
 * @property {RunRecord[]} runs                   oldest first
 * @property {string|null} shownRun               the run that Train shows
 * @property {Live|null} live
 * @property {LabFault|null} problem              shown until the next start
 */

/** @returns {LabState} */
export function emptyState() {
  return {
    place: 'train',
    engine: null,
    description: null,
    config: {},
    configFault: null,
    runs: [],
    shownRun: null,
    live: null,
    problem: null,
  };
}

/** @param {RunStatus} status */
export function isUnderWay(status) {
  return status === 'waiting' || status === 'loading' || status === 'training' || status === 'testing';
}

/**
 * The run that Train shows.
 * @param {LabState} state
 * @returns {RunRecord|null}
 */
export function shownRun(state) {
  return state.runs.find((run) => run.id === state.shownRun) ?? null;
}

/**
 * A value that can be watched. Values inside are replaced, never changed in place, so `===` tells what is new.
 * @template {object} T
 */
export class Store {
  #state;
  /** @type {Set<() => void>} */
  #watchers = new Set();
  #notifying = false;

  /** @param {T} initial */
  constructor(initial) {
    this.#state = initial;
  }

  get state() {
    return this.#state;
  }

  /** @param {Partial<T>} changes */
  update(changes) {
    this.#state = { ...this.#state, ...changes };
    if (!this.#notifying) {
      this.#notifying = true;
      queueMicrotask(() => this.#notify());
    }
  }

  /**
   * Calls `draw` now, and whenever what `select` picks from the state has changed.
   * @template V
   * @param {(state: T) => V} select
   * @param {(value: V, state: T) => void} draw
   * @returns {() => void} ends the watch
   */
  watch(select, draw) {
    let last = select(this.#state);
    const check = () => {
      const value = select(this.#state);
      if (!Object.is(value, last)) {
        last = value;
        draw(value, this.#state);
      }
    };
    this.#watchers.add(check);
    draw(last, this.#state);
    return () => this.#watchers.delete(check);
  }

  #notify() {
    this.#notifying = false;
    for (const check of [...this.#watchers]) {
      check();
    }
  }
}
