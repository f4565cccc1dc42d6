// What the page can do: starts engines and runs, and writes what comes of it into the store. Draws nothing.

import { Client } from './client.js';
import { faultOf } from './fault.js';
import { isUnderWay } from './state.js';

/** @typedef {import('./client.js').Run} Run */
/** @typedef {import('./state.js').LabState} LabState */
/** @typedef {import('./state.js').Live} Live */
/** @typedef {import('./state.js').RunRecord} RunRecord */
/** @typedef {import('./types.js').ConfigInput} ConfigInput */
/** @typedef {import('./types.js').Description} Description */
/** @typedef {import('./types.js').EpochRow} EpochRow */

const DEFAULT_PRESET = 'small';

export class Lab {
  /** @type {import('./state.js').Store<LabState>} */
  #store;
  /** @type {Promise<Client>|null} */
  #client = null;
  /** @type {Run|null} */
  #run = null;
  #stopAsked = false;
  #nextRun = 1;

  /** @param {import('./state.js').Store<LabState>} store */
  constructor(store) {
    this.#store = store;
  }

  /**
   * The engine, started at the first call. After a failure the next call tries anew.
   * @returns {Promise<Client>}
   */
  client() {
    this.#client ??= this.#openClient();
    return this.#client;
  }

  async #openClient() {
    try {
      const client = await Client.open();
      const { engine, description } = client;
      const config = { ...defaultConfig(description), ...this.#store.state.config };
      this.#store.update({ engine, description, config });
      return client;
    } catch (error) {
      this.#client = null;
      throw error;
    }
  }

  /** @param {import('./state.js').Place} place */
  goTo(place) {
    this.#store.update({ place });
  }

  /**
   * Takes new settings, and asks C what it says of them.
   * @param {ConfigInput} changes
   */
  async configure(changes) {
    const config = { ...this.#store.state.config, ...changes };
    this.#store.update({ config });
    const client = await this.client();
    const { fault } = await client.checkConfig(config);
    if (this.#store.state.config === config) {
      this.#store.update({ configFault: fault });
    }
  }

  /** Trains what the settings say. Returns when it has ended, however it ended; never throws. */
  async train() {
    if (this.#run !== null || this.#store.state.runs.some((run) => isUnderWay(run.status))) {
      return;
    }
    const id = `run-${this.#nextRun++}`;
    this.#stopAsked = false;
    const { config, runs } = this.#store.state;
    /** @type {RunRecord} */
    const record = { id, label: '', config, status: 'waiting', history: [], result: null, fault: null };
    this.#store.update({
      runs: [...runs, record],
      shownRun: id,
      live: { runId: id, download: null, progress: null },
      problem: null,
    });
    try {
      await this.#carryOut(id);
    } catch (error) {
      const fault = faultOf(error);
      const stopped = fault.code === 'STOPPED';
      this.#change(id, { status: stopped ? 'stopped' : 'failed', fault: stopped ? null : fault });
      this.#store.update({ problem: stopped ? null : fault });
    } finally {
      this.#run = null;
    }
  }

  /** @param {string} id */
  async #carryOut(id) {
    const client = await this.client();
    const config = this.#store.state.config;
    const { fault } = await client.checkConfig(config);
    if (fault !== null || this.#stopAsked) {
      this.#store.update({ configFault: fault });
      this.#change(id, { status: fault === null ? 'stopped' : 'failed', config, fault });
      return;
    }
    this.#change(id, { status: 'loading', config });
    this.#run = client.startRun(config, {
      onPhase: (phase) => this.#enterPhase(id, phase),
      onDownload: (download) => this.#showLive({ download }),
      onProgress: (progress) => this.#showLive({ progress }),
      onEpoch: (row) => this.#addEpoch(id, row),
    });
    const result = await this.#run.finished;
    this.#change(id, { status: result.status, history: result.history, result, fault: result.fault });
    if (result.fault !== null) {
      this.#store.update({ problem: result.fault });
    }
  }

  /** Ends downloads and training; what there is of the run stays listed as stopped. */
  stop() {
    this.#stopAsked = true;
    void this.#run?.stop();
  }

  /** @param {string} id @param {import('./types.js').RunPhase} phase */
  #enterPhase(id, phase) {
    if (phase === 'train') {
      this.#change(id, { status: 'training' });
    } else if (phase === 'download-test' || phase === 'evaluate') {
      this.#change(id, { status: 'testing' });
    }
    this.#showLive({ download: null });
  }

  /** @param {string} id @param {EpochRow} row */
  #addEpoch(id, row) {
    const run = this.#store.state.runs.find((candidate) => candidate.id === id);
    this.#change(id, { history: [...(run?.history ?? []), row] });
  }

  /** @param {Partial<Live>} changes */
  #showLive(changes) {
    const { live } = this.#store.state;
    if (live !== null) {
      this.#store.update({ live: { ...live, ...changes } });
    }
  }

  /** @param {string} id @param {Partial<RunRecord>} changes */
  #change(id, changes) {
    const runs = this.#store.state.runs.map((run) => (run.id === id ? { ...run, ...changes } : run));
    this.#store.update({ runs });
  }
}

/**
 * @param {Description} description
 * @returns {ConfigInput}
 */
function defaultConfig(description) {
  const numbers = description.fields
    .filter((field) => field.n === 1)
    .map((field) => [field.id, field.default]);
  return { preset: DEFAULT_PRESET, ...Object.fromEntries(numbers) };
}
