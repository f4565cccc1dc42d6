// What the page knows, in one place. Parts watch it and draw; lab.js alone changes it.

/** @typedef {import('./types.js').ConfigInput} ConfigInput */
/** @typedef {import('./types.js').Description} Description */
/** @typedef {import('./types.js').DownloadProgress} DownloadProgress */
/** @typedef {import('./types.js').Endpoint} Endpoint */
/** @typedef {import('./types.js').EngineInfo} EngineInfo */
/** @typedef {import('./types.js').EpochRow} EpochRow */
/** @typedef {import('./types.js').LabFault} LabFault */
/** @typedef {import('./types.js').RunProgress} RunProgress */
/** @typedef {import('./types.js').RunResult} RunResult */

/** @typedef {'train'|'compare'|'inspect'|'draw'|'data'} Place */

/** @typedef {'waiting'|'loading'|'training'|'testing'|'finished'|'untested'|'stopped'|'diverged'|'failed'} RunStatus */

/** @typedef {'selected'|'final'} Checkpoint */

/**
 * A run as the page lists it, from the queue to its end.
 * @typedef {object} RunRecord
 * @property {string} id
 * @property {string} plan             the plan that it belongs to; runs of one plan were asked for together
 * @property {number} asked            when, in milliseconds since 1970
 * @property {ConfigInput} config
 * @property {RunStatus} status
 * @property {EpochRow[]} history
 * @property {RunResult|null} result   once it has ended; without its weights, which vault.js keeps
 * @property {LabFault|null} fault     why it failed or diverged
 * @property {boolean} isImported      it came from a file
 * @property {boolean} hasWeights      vault.js keeps its weights
 * @property {Checkpoint|null} only    the one checkpoint of a network that came from a file of weights; null: both
 * @property {Start|null} start        weights that it goes on from; null: drawn from the seed
 * @property {number} [bytes]          memory that its training takes, beside the data
 */

/** Where training goes on from. @typedef {{run: string, checkpoint: Checkpoint}} Start */

/**
 * What changes many times a second while a run goes on; kept apart, so that lists need not be drawn anew.
 * @typedef {object} Live
 * @property {DownloadProgress|null} download
 * @property {RunProgress|null} progress
 */

/**
 * What Train would run: each of the masks, with each p, for each of so many seeds.
 * @typedef {object} PlanSettings
 * @property {'single'|'paired'|'sweep'|'grid'} kind
 * @property {number[]} order       of a sweep: branches 0..3
 * @property {number} nSeeds        the setting's seed and those that follow it
 * @property {number[]} ps          of a grid
 * @property {number[]} masks       of a grid
 * @property {boolean} startPaused  wait for Resume or a step
 */

/** What tells the runs of a plan apart. @typedef {{p: number, mask: number, seed: number}} Cell */

/**
 * @typedef {object} LabState
 * @property {Place} place
 * @property {EngineInfo|null} engine             null until the engine has started
 * @property {Description|null} description
 * @property {ConfigInput} config                 the settings as they stand
 * @property {PlanSettings} plan
 * @property {Start|null} start                   weights that Train goes on from; null: drawn from the seed
 * @property {boolean} isTouched                  settings or plan were changed, by hand or by a link
 * @property {boolean} question                   a link asks for a start, and waits for an answer
 * @property {{sha256: string, numerics: string|null, config: ConfigInput}|null} expected   weights that a link foretells of settings
 * @property {LabFault|null} configFault          what C says against them
 * @property {Cell[]} planned                     the runs that Train would start
 * @property {LabFault|null} planFault            what C says against the plan
 * @property {{bytes: number, nParameters: number}} need   of one run: memory beside the data, weights and biases
 * @property {RunRecord[]} runs                   oldest first
 * @property {string|null} shownRun               the run that Train shows; it may be gone
 * @property {boolean} isFollowing                Train goes on to the next run of the plan by itself
 * @property {string|null} inspectedRun           the run that Inspect shows; it may be gone
 * @property {Checkpoint} checkpoint              of the weights that are looked at
 * @property {Record<string, Live>} live          by run, while it is under way
 * @property {boolean} isRunning                  workers are at the queue
 * @property {boolean} isPaused
 * @property {string} said                        for those who listen instead of looking
 * @property {LabFault|null} problem              shown until the next start
 */

/** @returns {LabState} */
export function emptyState() {
  return {
    place: 'train',
    engine: null,
    description: null,
    config: {},
    plan: { kind: 'single', order: [0, 1, 2, 3], nSeeds: 1, ps: [0.5], masks: [0, 15], startPaused: false },
    start: null,
    isTouched: false,
    question: false,
    expected: null,
    configFault: null,
    planned: [],
    planFault: null,
    need: { bytes: 0, nParameters: 0 },
    runs: [],
    shownRun: null,
    isFollowing: true,
    inspectedRun: null,
    checkpoint: 'selected',
    live: {},
    isRunning: false,
    isPaused: false,
    said: '',
    problem: null,
  };
}

/** @param {RunStatus} status */
export function isUnderWay(status) {
  return status === 'waiting' || status === 'loading' || status === 'training' || status === 'testing';
}

/**
 * @param {LabState} state
 * @param {string|null} id
 * @returns {RunRecord|null}
 */
export function runById(state, id) {
  return state.runs.find((run) => run.id === id) ?? null;
}

/**
 * The test figures of one of a run's checkpoints.
 * @param {RunRecord} run
 * @param {Checkpoint} checkpoint
 * @returns {Endpoint|null} null where it was not tested, or has no such checkpoint
 */
export function endpointOf({ only, result }, checkpoint) {
  return (only ?? checkpoint) === checkpoint ? (result?.endpoints?.[checkpoint] ?? null) : null;
}

/** Whether there is something of a run to look at: its test figures, or weights that can be tested. @param {RunRecord} run */
export function isInspectable({ hasWeights, result }) {
  return result !== null && (hasWeights || result.endpoints !== null);
}

/**
 * The epoch that a checkpoint was taken after.
 * @param {RunResult} result   of a run that has its weights or its test figures
 * @param {Checkpoint} checkpoint
 */
export function epochOf({ bestEpoch, config, endpoints }, checkpoint) {
  const trained = checkpoint === 'selected' ? bestEpoch : config.epochs;
  return endpoints?.[checkpoint].epoch ?? Number(trained);
}

/** Whether a run did not start from its seed's weights, so that its settings alone do not tell it. @param {RunRecord} run */
export function isContinued({ result, start }) {
  return (start ?? null) !== null || result?.startedFrom === 'weights';
}

/** The run that Train shows. @param {LabState} state */
export function shownRun(state) {
  return runById(state, state.shownRun);
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
