// What the page can do: settings, plans, engines, and what is looked at. It writes into the store and draws nothing.

import { Client } from './client.js';
import { faultOf, LabError, unlessAborted } from './fault.js';
import { Inspector } from './inspector.js';
import { readLink } from './link.js';
import { later } from './part.js';
import { defaultConfig, planCells } from './planning.js';
import { Queue } from './queue.js';
import { isUnderWay } from './state.js';

/** @typedef {import('./state.js').Checkpoint} Checkpoint */
/** @typedef {import('./state.js').LabState} LabState */
/** @typedef {import('./state.js').PlanSettings} PlanSettings */
/** @typedef {import('./state.js').RunRecord} RunRecord */
/** @typedef {import('./types.js').ConfigInput} ConfigInput */
/** @typedef {import('./state.js').Cell} Cell */

export class Lab {
  /** @type {import('./state.js').Store<LabState>} */
  #store;
  #queue;
  #vault;
  /** @type {Promise<Client>|null} */
  #client = null;
  #started = Client.start();
  /** Settings that C was asked about last. @type {unknown[]} */
  #checked = [];
  #answered = Promise.resolve();
  #nextRun = 1;
  /** Of what Train waits for before its runs are listed. */
  #starting = new AbortController();
  #link;

  /**
   * @param {import('./state.js').Store<LabState>} store
   * @param {import('./vault.js').Vault} vault
   * @param {string} link   hash of an address whose settings are taken as soon as there is an engine; '' where there is none
   */
  constructor(store, vault, link) {
    this.#store = store;
    this.#vault = vault;
    this.#link = link;
    this.inspector = new Inspector(() => this.client(), vault);
    this.#queue = new Queue({ store, vault, mainClient: () => this.client() });
  }

  /**
   * The page's own engine, started at the first call. After a failure the next call tries anew.
   * @returns {Promise<Client>}
   */
  async client() {
    if ((await this.#client)?.isClosed) {
      this.#client = null;
    }
    this.#client ??= this.#openClient();
    return this.#client;
  }

  async #openClient() {
    this.#started = this.#started.isClosed ? Client.start() : this.#started;
    try {
      const { engine, description } = await this.#started.opened;
      const config = { ...defaultConfig(description), ...this.#store.state.config };
      this.#store.update({ engine, description, config });
      return this.#started;
    } catch (error) {
      this.#client = null;
      throw error;
    }
  }

  /** Does something that may fail; a fault is shown. @param {() => Promise<unknown>} task */
  async attempt(task) {
    try {
      await task();
    } catch (error) {
      this.#store.update({ problem: faultOf(error) });
    }
  }

  /** Starts the engine and asks what it says of the settings, the link's if there is one. A fault is shown. */
  start() {
    return this.attempt(() => this.#ready());
  }

  #ready() {
    return this.#link === '' ? this.#check() : this.openLink(this.#link);
  }

  /** For the live region; only the latest of what is said in a few seconds is spoken. @param {string} sentence */
  say(sentence) {
    this.#store.update({ said: sentence });
  }

  /** @param {import('./state.js').Place} place */
  goTo(place) {
    this.#store.update({ place });
  }

  /** Takes the settings of an address; what it does not name stays as it is. @param {string} hash */
  async openLink(hash) {
    this.#link = hash; // for the next start, if this engine cannot be had
    const { description } = await this.client();
    this.#link = '';
    const { config: named, plan, run, expect, numerics } = readLink(hash, description);
    const config = { ...this.#store.state.config, ...named };
    this.#store.update({
      isTouched: true,
      start: null,
      config,
      plan: { ...this.#store.state.plan, ...plan },
      expected: expect === null ? null : { sha256: expect, numerics, config },
    });
    await this.#check();
    const problem = this.#settingsFault();
    this.#store.update({ problem, question: run && problem === null && !this.#store.state.isRunning });
  }

  /** What C says against the settings, or the plan. */
  #settingsFault() {
    const { configFault, planFault } = this.#store.state;
    return configFault ?? planFault;
  }

  /** The question whether to start has its answer. */
  answerLink() {
    this.#store.update({ question: false });
  }

  /** @param {ConfigInput} changes */
  async configure(changes) {
    this.#store.update({ isTouched: true, config: { ...this.#store.state.config, ...changes } });
    await this.#check();
  }

  /** @param {Partial<PlanSettings>} changes */
  async configurePlan(changes) {
    this.#store.update({ isTouched: true, plan: { ...this.#store.state.plan, ...changes } });
    await this.#check();
  }

  /** Asks C what it says of settings and plan, unless these are what it was asked last. */
  #check() {
    const settings = [this.#store.state.config, this.#store.state.plan, this.#store.state.start];
    if (settings.some((setting, i) => setting !== this.#checked[i])) {
      [this.#checked, this.#answered] = [settings, this.#askC()];
      this.#answered.catch(() => (this.#checked = []));
    }
    return this.#answered;
  }

  async #askC() {
    const client = await this.client();
    const { config, plan, start } = this.#store.state;
    // Both at once, for each answer takes its time while the engine or the page is busy.
    const [checked, planned] = await Promise.all([client.checkConfig(config), planCells(client, this.#store.state)]);
    const { fault, bytes, nParameters } = checked;
    const { cells, planFault } = fault === null ? planned : { cells: [], planFault: null };
    if (planFault !== null) {
      this.#checked = []; // it may have been the network's
    }
    const isLatest = config === this.#store.state.config && plan === this.#store.state.plan && start === this.#store.state.start;
    if (!isLatest) {
      await this.#check(); // who waits for an answer waits for that to the latest settings
      return;
    }
    this.#store.update({ configFault: fault, need: { bytes, nParameters }, planned: cells, planFault });
  }

  /** Runs what the settings and the plan say. Returns when all has ended, however it ended; never throws. */
  async train() {
    if (this.#store.state.isRunning) {
      return;
    }
    this.#starting = new AbortController();
    const { signal } = this.#starting;
    this.#store.update({ problem: null, isRunning: true, isPaused: this.#store.state.plan.startPaused });
    this.#started.expectRun();
    const problem = await unlessAborted(this.#ready(), signal).then(() => this.#settingsFault(), faultOf);
    if (problem !== null || signal.aborted) {
      this.#store.update({ problem: signal.aborted ? null : problem, isRunning: false });
      return;
    }
    const { planned, runs } = this.#store.state;
    const records = this.#newRecords(planned);
    this.#store.update({ runs: [...runs, ...records], shownRun: records[0].id, isFollowing: true });
    if (records.length > 1) {
      await this.#vault.own(records[0].plan);
      await this.#vault.keep(records); // what a reload would cut off goes on after it
    }
    await this.#queue.drain();
  }

  /** @param {Cell[]} cells @returns {RunRecord[]} */
  #newRecords(cells) {
    const { config, need, start } = this.#store.state;
    const asked = Date.now();
    const stamp = asked.toString(36);
    const plan = `${stamp}-${this.#nextRun}`;
    return cells.map((cell) => ({
      id: `${stamp}-${this.#nextRun++}`,
      plan,
      asked,
      config: { ...config, ...cell },
      status: 'waiting',
      history: [],
      result: null,
      fault: null,
      isImported: false,
      hasWeights: false,
      only: null,
      start,
      bytes: need.bytes,
    }));
  }

  /**
   * After a failure: the failed runs wait again, and the queue goes on. Without one it is the engine that is tried. What
   * was trained and not tested is tested.
   */
  async retry() {
    const failed = this.#store.state.runs.some((run) => run.status === 'failed');
    const runs = this.#store.state.runs.map((run) =>
      run.status === 'failed' ? { ...run, status: /** @type {const} */ ('waiting'), fault: null, history: [] } : run);
    this.#store.update({ runs, problem: null });
    if (!failed) {
      await this.start();
    }
    await this.#storeAgain();
    await this.#testUntested();
    if (failed) {
      await this.#queue.drain();
    }
  }

  /** Of this visit and of earlier ones; ends at the first fault, for the others would meet with it too. */
  #testUntested() {
    const untested = this.#store.state.runs.filter((run) => run.status === 'untested' && run.hasWeights);
    return this.attempt(async () => {
      for (const run of untested) {
        await this.test(run);
      }
    });
  }

  /** Tests a run whose test images could not be had when it was trained. @param {RunRecord} run */
  async test(run) {
    if (run.result === null) {
      return;
    }
    const result = await this.inspector.test(run, run.result);
    const tested = { ...run, status: result.status, result, fault: null };
    this.#store.update({ problem: null });
    await this.#vault.keep([tested], await this.#vault.weights(run.id));
    this.#store.update({ runs: this.#store.state.runs.map((other) => (other.id === run.id ? tested : other)) });
  }

  /** Lists the runs of earlier visits; what the last one left undone of a plan goes on. Never throws. */
  async resume() {
    await this.attempt(async () => {
      const earlier = await this.#vault.all();
      const unfinished = new Set(earlier.filter((run) => isUnderWay(run.status)).map((run) => run.plan));
      this.#list(earlier.filter((run) => !unfinished.has(run.plan)));
      await Promise.all([...unfinished].map((plan) => this.#resumePlan(plan)));
    });
  }

  /** Goes on with a plan, at once or when the page that carries it out is closed. @param {string} plan */
  async #resumePlan(plan) {
    await this.#vault.own(plan);
    const runs = (await this.#vault.all()).filter((run) => run.plan === plan).map((run) =>
      isUnderWay(run.status) ? { ...run, status: /** @type {const} */ ('waiting'), history: [] } : run);
    this.#list(runs);
    const next = runs.find((run) => run.status === 'waiting');
    if (next !== undefined) {
      if (!this.#store.state.isRunning) {
        this.#store.update({ shownRun: next.id });
      }
      await this.#queue.drain();
    }
  }

  /** @param {RunRecord[]} earlier   they go among the others, oldest first */
  #list(earlier) {
    const all = [...earlier, ...this.#store.state.runs].map((run) => /** @type {const} */ ([run.id, run]));
    const runs = [...new Map(all).values()].sort((a, b) => a.asked - b.asked); // what ends meanwhile may be kept already
    this.#store.update({ runs });
  }

  /** Ends downloads and training; what there is of a run stays listed as stopped, what waits is struck. */
  stop() {
    this.#starting.abort();
    this.#started.expectRun(false);
    this.#queue.stop();
  }

  /** @param {'pause'|'resume'|'stepMinibatch'|'stepEpoch'} action */
  control(action) {
    this.#queue.control(action);
  }

  /**
   * First-layer weights of a run that is under way, to draw.
   * @param {string} id
   * @param {number} units
   * @returns {Promise<Float32Array|null>} (units, 784); null once the run has ended
   */
  async liveFirstLayer(id, units) {
    try {
      return await (this.#queue.active(id)?.firstLayer(units) ?? null);
    } catch {
      return null; // it ended in the meantime
    }
  }

  /** @param {string} id */
  show(id) {
    this.#store.update({ shownRun: id, isFollowing: false });
  }

  /** Opens Inspect on a run. @param {string} id @param {Checkpoint} [checkpoint] */
  inspect(id, checkpoint = 'selected') {
    this.#store.update({ inspectedRun: id, checkpoint, place: 'inspect' });
  }

  /** @param {Checkpoint} checkpoint */
  choose(checkpoint) {
    this.#store.update({ checkpoint });
  }

  /** All runs that have ended, as a results file. */
  async exportResults() {
    const { resultsFile } = await later();
    return resultsFile(this.#store.state.runs);
  }

  /**
   * Lists the runs of a results file, or the network of a file of weights, marked as imported.
   * @param {File} file
   */
  async importFile(file) {
    const { readFile } = await later();
    const { records: read, weights } = await readFile(file, await this.client());
    const asked = Date.now();
    const plan = `${asked.toString(36)}-${this.#nextRun}`;
    const records = read.map((run) => ({ ...run, id: `${asked.toString(36)}-${this.#nextRun++}`, plan, asked }));
    await this.#vault.keep(records, weights);
    this.#store.update({ runs: [...this.#store.state.runs, ...records] });
  }

  /**
   * The weights of a run that has ended, as a file.
   * @param {RunRecord} run
   * @param {Checkpoint} checkpoint
   * @param {import('./export.js').Format} format
   */
  async exportWeights(run, checkpoint, format) {
    const { weightsFile } = await later();
    const weights = await this.#vault.weights(run.id);
    if (run.result === null || weights === null) {
      throw new LabError({ code: 'NO_WEIGHTS', message: 'The weights of this run are not here.', subject: run.id });
    }
    return weightsFile(format, run.result, run.only ?? checkpoint, weights[checkpoint]);
  }

  /**
   * Makes Train go on from a run's weights, with that run's settings until others are chosen. null: from the seed's.
   * @param {{run: RunRecord, checkpoint: Checkpoint}|null} from
   */
  async startFrom(from) {
    if (from === null) {
      this.#store.update({ start: null });
    } else {
      const { run, checkpoint } = from;
      this.#store.update({
        start: { run: run.id, checkpoint },
        config: run.config,
        expected: null, // a link foretells what comes of a seed
        isTouched: true,
        place: 'train',
      });
    }
    await this.#check();
  }

  /** What is kept, and what room it takes. */
  async storage() {
    const ended = this.#store.state.runs.filter((run) => run.result !== null).map((run) => run.id);
    const unstored = this.#vault.unstored().filter((id) => ended.includes(id));
    return { nRuns: ended.length, nUnstored: unstored.length, usage: await this.#vault.usage() };
  }

  /** Forgets those runs that nobody is at; what is not listed any more does not come back. @param {string[]} ids */
  async forget(ids) {
    const { isRunning, runs: all } = this.#store.state;
    const idle = all.filter((run) => !isRunning || !isUnderWay(run.status)).map((run) => run.id);
    const gone = new Set(idle.filter((id) => ids.includes(id)));
    await this.#vault.forget([...gone]);
    const { runs, start } = this.#store.state;
    this.#store.update({
      runs: runs.filter((run) => !gone.has(run.id)),
      start: start !== null && gone.has(start.run) ? null : start,
    });
    await this.#storeAgain(); // there is room now
  }

  /** Tries once more to store what could not be stored. */
  async #storeAgain() {
    if (this.#vault.unstored().length > 0) {
      this.#store.update({ problem: null });
      await this.#vault.keepUnstored();
      this.#store.update({ runs: [...this.#store.state.runs] }); // how many are kept is another figure now
    }
  }
}
