// Runs that were asked for, carried out by as many workers as the machine has use for. What comes of each goes into the
// store's list of runs; a run that waits there is the queue.

import { Client } from './client.js';
import { faultOf, LabError } from './fault.js';
import { isUnderWay, runById } from './state.js';

/** @typedef {import('./run.js').Run} Run */
/** @typedef {import('./vault.js').Vault} Vault */
/** @typedef {import('./state.js').LabState} LabState */
/** @typedef {import('./state.js').Live} Live */
/** @typedef {import('./state.js').RunRecord} RunRecord */

/** Memory that runs side by side may take, all together; more of them wait. */
const MEMORY_BYTES = 1.5e9;

/**
 * @typedef {object} QueueOptions
 * @property {import('./state.js').Store<LabState>} store
 * @property {() => Promise<Client>} mainClient   the page's own engine: carries out a run that is alone
 * @property {Vault} vault                      keeps what has ended
 */

export class Queue {
  #store;
  #mainClient;
  #vault;
  /** Runs under way. @type {Map<string, Run>} */
  #active = new Map();
  #nWorkers = 0;
  /** Engines on their way. @type {Set<Client>} */
  #starting = new Set();
  /** Ends when runs that were struck are not kept any more: a reload would go on with them. */
  #struck = Promise.resolve();
  /** Once a run has failed the rest mostly waits, for it would fail as well. @type {'run'|'stop'|'halt'} */
  #mode = 'run';

  /** @param {QueueOptions} options */
  constructor({ store, mainClient, vault }) {
    this.#store = store;
    this.#mainClient = mainClient;
    this.#vault = vault;
  }

  /** Starts workers for the runs that wait; ends when all have ended or one has failed. Never throws. */
  async drain() {
    this.#mode = 'run';
    const waiting = this.#store.state.runs.filter((run) => run.status === 'waiting');
    const affordable = Math.max(1, Math.floor(MEMORY_BYTES / Math.max(1, ...waiting.map((run) => run.bytes ?? 0))));
    const wanted = Math.min(waiting.length, navigator.hardwareConcurrency || 1, affordable);
    const workers = [];
    while (this.#nWorkers < wanted) {
      this.#nWorkers++;
      workers.push(this.#work(wanted === 1).finally(() => this.#nWorkers--));
    }
    this.#store.update({ isRunning: true });
    await Promise.all(workers);
    await this.#struck;
    if (this.#nWorkers === 0) {
      this.#store.update({ isRunning: false });
    }
  }

  /** Ends all runs under way and strikes those that wait. */
  stop() {
    this.#mode = 'stop';
    for (const run of this.#active.values()) {
      void run.stop();
    }
    this.#starting.forEach((client) => client.close());
    const all = this.#store.state.runs;
    const runs = all.filter((run) => run.status !== 'waiting');
    this.#store.update({ runs, isPaused: false });
    const struck = all.filter((run) => run.status === 'waiting').map((run) => run.id);
    this.#struck = this.#vault.forget(struck).catch((error) => this.#store.update({ problem: faultOf(error) }));
    for (const { id, status } of runs) {
      if (status === 'loading' && !this.#active.has(id)) {
        this.#change(id, { status: 'stopped' });
      }
    }
  }

  /** @param {'pause'|'resume'|'stepMinibatch'|'stepEpoch'} action */
  control(action) {
    this.#store.update({ isPaused: action !== 'resume' });
    for (const run of this.#active.values()) {
      void run[action]();
    }
  }

  /** @param {string} id @returns {Run|null} */
  active(id) {
    return this.#active.get(id) ?? null;
  }

  /** One worker: takes run after run from the queue. @param {boolean} isAlone */
  async #work(isAlone) {
    /** @type {Client|null} */
    let client = null;
    for (;;) {
      const next = this.#store.state.runs.find((run) => run.status === 'waiting');
      if (next === undefined || this.#mode !== 'run') {
        break;
      }
      this.#change(next.id, { status: 'loading' });
      this.#follow(next);
      try {
        client ??= isAlone ? await this.#mainClient() : await this.#open();
        await this.#carryOut(client, next);
      } catch (error) {
        await this.#fail(next.id, error);
        if (!isAlone) {
          client?.close();
        }
        client = null;
      }
    }
    if (!isAlone) {
      client?.close();
    }
  }

  /** An engine of the page's own arithmetic, for the runs of a plan are compared. */
  #open() {
    const client = Client.start({ threads: 1, build: this.#store.state.engine?.numerics });
    this.#starting.add(client);
    return client.opened.finally(() => this.#starting.delete(client));
  }

  /** Shows a run that starts, where the one that is shown has ended. @param {RunRecord} next */
  #follow({ id, plan }) {
    const { isFollowing, shownRun } = this.#store.state;
    const shown = runById(this.#store.state, shownRun);
    if (isFollowing && shown?.plan === plan && !isUnderWay(shown.status)) {
      this.#store.update({ shownRun: id });
    }
  }

  /** @param {Client} client @param {RunRecord} record */
  async #carryOut(client, { id, config, start = null }) {
    const initialWeights = await this.#initialWeights(start);
    if (this.#mode === 'stop') {
      this.#change(id, { status: 'stopped' });
      await this.#keepRecord(id, null);
      return;
    }
    const run = client.startRun(config, {
      initialWeights,
      startPaused: this.#store.state.isPaused,
      onPhase: (phase) => this.#enterPhase(id, phase),
      onDownload: (download) => this.#showLive(id, { download }),
      onProgress: (progress) => this.#showLive(id, { progress }),
      onEpoch: (row) => this.#change(id, { history: [...(runById(this.#store.state, id)?.history ?? []), row] }),
    });
    this.#active.set(id, run);
    try {
      const result = await run.finished;
      const { status, history, fault, weights = null } = result;
      this.#change(id, { status, history, fault, result: { ...result, weights: null }, hasWeights: weights !== null });
      if (fault !== null) {
        this.#store.update({ problem: fault });
      }
      await this.#keepRecord(id, weights);
    } finally {
      this.#active.delete(id);
      this.#forgetLive(id);
    }
  }

  /** @param {import('./state.js').Start|null} start @returns {Promise<Float32Array|undefined>} */
  async #initialWeights(start) {
    if (start === null) {
      return undefined;
    }
    const weights = await this.#vault.weights(start.run);
    if (weights === null) {
      const message = 'The weights to go on from are not here any more.';
      throw new LabError({ code: 'NO_WEIGHTS', message, subject: start.run });
    }
    return weights[start.checkpoint].values;
  }

  /** @param {string} id @param {import('./vault.js').BothWeights|null} weights */
  async #keepRecord(id, weights) {
    const record = runById(this.#store.state, id);
    if (record !== null) {
      await this.#vault.keep([record], weights);
    }
  }

  /** @param {string} id @param {unknown} error */
  async #fail(id, error) {
    const fault = faultOf(error);
    if (fault.code === 'STOPPED') {
      this.#change(id, { status: 'stopped' });
      await this.#keepRecord(id, null);
    } else {
      if (fault.code !== 'NO_WEIGHTS') { // another run may have them
        this.#mode = 'halt';
      }
      this.#change(id, { status: 'failed', fault });
      this.#store.update({ problem: fault });
    }
  }

  /** @param {string} id @param {import('./types.js').RunPhase} phase */
  #enterPhase(id, phase) {
    if (phase === 'train') {
      this.#change(id, { status: 'training' });
    } else if (phase === 'download-test' || phase === 'evaluate') {
      this.#change(id, { status: 'testing' });
    }
    this.#showLive(id, { download: null });
  }

  /** @param {string} id @param {Partial<Live>} changes */
  #showLive(id, changes) {
    const { live } = this.#store.state;
    const before = live[id] ?? { download: null, progress: null };
    this.#store.update({ live: { ...live, [id]: { ...before, ...changes } } });
  }

  /** @param {string} id */
  #forgetLive(id) {
    const live = { ...this.#store.state.live };
    delete live[id];
    this.#store.update({ live });
  }

  /** @param {string} id @param {Partial<RunRecord>} changes */
  #change(id, changes) {
    const runs = this.#store.state.runs.map((run) => (run.id === id ? { ...run, ...changes } : run));
    this.#store.update({ runs });
  }
}
