// One run from its settings to its results: data, training, then (and only then) the test images.

import { applyConfig, countParameters } from './config.js';
import { faultOf } from './fault.js';
import { Model, openWeights } from './model.js';
import { SCHEMA_VERSION } from './results.js';
import { Training } from './training.js';

/** @typedef {import('./control.js').RunControl} RunControl */
/** @typedef {import('./dataset.js').LoadedSplit} LoadedSplit */
/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('./types.js').Config} Config */
/** @typedef {import('./types.js').Endpoint} Endpoint */
/** @typedef {import('./types.js').RunPhase} RunPhase */
/** @typedef {import('./types.js').RunResult} RunResult */
/** @typedef {import('./types.js').Weights} Weights */

/**
 * @typedef {object} ExperimentOptions
 * @property {RunControl} control
 * @property {(event: string, data: any) => void} emit   'phase', 'download', 'progress', 'epoch'
 * @property {Float32Array} [initialWeights]
 * @property {(model: Model|null) => void} [onLive]      the network in training; null when it is gone
 */

/**
 * Carries a checked configuration out. A run that is stopped or diverges gives a result too.
 * @param {Session} session
 * @param {Config} config
 * @param {ExperimentOptions} options
 * @returns {Promise<RunResult>}
 */
export async function carryOut(session, config, options) {
  const experiment = new Experiment(session, config, options);
  try {
    return await experiment.run();
  } finally {
    experiment.close();
  }
}

class Experiment {
  #session;
  #engine;
  #config;
  #options;
  #run = 0;
  #initial = 0;
  /** The validation images, on their way. @type {Promise<LoadedSplit>|undefined} */
  #validation;
  /** @type {RunResult} */
  #result;

  /**
   * @param {Session} session
   * @param {Config} config
   * @param {ExperimentOptions} options
   */
  constructor(session, config, options) {
    this.#session = session;
    this.#engine = session.engine;
    this.#config = config;
    this.#options = options;
    this.#result = emptyResult(session.engine, config);
    this.#result.startedFrom = options.initialWeights === undefined ? 'seed' : 'weights';
  }

  /** @returns {Promise<RunResult>} */
  async run() {
    const { control, emit } = this.#options;
    const result = this.#result;
    if (!(await this.#unlessStopped(() => this.#openRun()))) {
      return this.#end('stopped');
    }
    this.#phase('train');
    const { epochs: nEpochs, widths } = this.#config;
    const facts = { nEpochs, nParameters: countParameters(widths), widths };
    const training = new Training(this.#engine, this.#run, () => this.#bringValidation(), facts);
    const status = await training.drive(control, {
      onProgress: (progress) => emit('progress', progress),
      onEpoch: (row) => emit('epoch', row),
    });
    result.history = training.history;
    result.bestEpoch = training.bestEpoch();
    result.timing = training.timing();
    const { reasons, ...engine } = this.#engine.info;
    const verdict = training.threadVerdict;
    result.engine = { ...engine, reasons: verdict === null ? reasons : [...reasons, verdict] };
    const { gatesKept, gatesSkipped } = training.progress(false);
    result.gates = { kept: gatesKept, skipped: gatesSkipped };
    Object.assign(result.provenance, training.provenance());
    if (status === 'diverged') {
      result.fault = training.fault();
    }
    if (status !== 'finished') {
      return this.#end(status);
    }
    return this.#test();
  }

  /** Gives back what the run held in the engine. */
  close() {
    this.#options.onLive?.(null);
    if (this.#run > 0) {
      this.#engine.number('gd_run_close', this.#run);
    }
    if (this.#initial > 0) {
      this.#engine.number('gd_weights_close', this.#initial);
    }
  }

  async #openRun() {
    this.#phase('download');
    const train = await this.#split('train');
    this.#result.provenance.trainSHA256 = train.audit.sha256;
    this.#validation = this.#split('validation'); // they come while the first epoch is trained
    this.#validation.catch(() => {}); // who waits for them hears of it
    const { initialWeights } = this.#options;
    if (initialWeights !== undefined) {
      this.#initial = openWeights(this.#engine, this.#config.widths, initialWeights);
    }
    // Another run's settings may have stood there meanwhile.
    applyConfig(this.#engine, this.#config);
    this.#run = this.#engine.status('gd_run_open', train.handle, 0, this.#initial);
    this.#options.onLive?.(this.#model('live'));
  }

  async #bringValidation() {
    await this.#unlessStopped(async () => {
      const { handle, audit } = await /** @type {Promise<LoadedSplit>} */ (this.#validation);
      this.#engine.status('gd_run_set_validation', this.#run, handle);
      this.#result.provenance.validationSHA256 = audit.sha256;
    });
  }

  /** @returns {Promise<RunResult>} */
  async #test() {
    const name = this.#config.testSet === 10000 ? 'test-full' : 'test';
    const isSame = this.#result.bestEpoch === this.#config.epochs;
    const values = this.#model('selected').read();
    this.#result.weights = {
      selected: this.#weights('selected', values),
      final: this.#weights('final', isSame ? values : this.#model('final').read()),
    };
    this.#phase('download-test');
    try {
      const isDone = await this.#unlessStopped(async () => {
        const test = await this.#split(name);
        this.#phase('evaluate');
        const selected = await this.#evaluate('selected', test.handle, name);
        const final = isSame ? selected : await this.#evaluate('final', test.handle, name);
        this.#result.provenance.testSHA256 = test.audit.sha256;
        this.#result.endpoints = { selected, final };
      });
      return this.#end(isDone ? 'finished' : 'stopped');
    } catch (error) {
      // The training was good: its weights are kept, and can be tested when the test images are there.
      this.#result.fault = faultOf(error);
      return this.#end('untested');
    }
  }

  /**
   * @param {'selected'|'final'} checkpoint
   * @param {number} images
   * @param {string} split
   * @returns {Promise<Endpoint>}
   */
  async #evaluate(checkpoint, images, split) {
    const { signal } = this.#options.control;
    const evaluation = await this.#model(checkpoint).evaluate({ split, images, mask: 15, signal });
    const { epoch, sha256 } = this.#about(checkpoint);
    return { epoch, weightsSHA256: sha256, ...evaluation };
  }

  /** @param {'selected'|'final'} checkpoint @param {Float32Array} values @returns {Weights} */
  #weights(checkpoint, values) {
    return { widths: this.#config.widths, values, ...this.#about(checkpoint) };
  }

  /** @param {'selected'|'final'} checkpoint */
  #about(checkpoint) {
    const { bestEpoch, provenance } = this.#result;
    const epoch = checkpoint === 'selected' ? Number(bestEpoch) : this.#config.epochs;
    return { epoch, sha256: provenance.weightsSHA256?.[checkpoint] ?? '' };
  }

  /** @param {'selected'|'final'|'live'} checkpoint */
  #model(checkpoint) {
    return new Model(this.#engine, this.#run, checkpoint, this.#config.widths);
  }

  /** @param {string} name */
  #split(name) {
    const { control, emit } = this.#options;
    return this.#session.split(name, { signal: control.signal, onProgress: (data) => emit('download', data) });
  }

  /**
   * @param {() => Promise<void>} work
   * @returns {Promise<boolean>} false: stopped before it was done
   */
  async #unlessStopped(work) {
    const { control } = this.#options;
    try {
      if (!control.isStopped) {
        await work();
      }
    } catch (error) {
      if (!control.isStopped) {
        throw error;
      }
    }
    return !control.isStopped;
  }

  /** @param {RunPhase} phase */
  #phase(phase) {
    this.#options.emit('phase', phase);
  }

  /**
   * @param {RunResult['status']} status
   * @returns {RunResult}
   */
  #end(status) {
    const result = this.#result;
    result.status = status;
    if (status === 'stopped') {
      result.endpoints = null;
      result.weights = null;
      result.provenance.testSHA256 = null;
    }
    this.#phase('done');
    return result;
  }
}

/**
 * @param {Engine} engine
 * @param {Config} config
 * @returns {RunResult} of a run of which nothing is done yet
 */
function emptyResult(engine, config) {
  return {
    schemaVersion: SCHEMA_VERSION,
    status: 'stopped',
    config,
    engine: engine.info,
    startedFrom: 'seed',
    history: [],
    bestEpoch: null,
    gates: { kept: [0, 0, 0, 0], skipped: [0, 0, 0, 0] },
    timing: { seconds: 0, trainingSeconds: 0, imagesPerSecond: 0 },
    endpoints: null,
    provenance: {
      initializationSHA256: '',
      orderHash: '',
      gateDrawHash: '',
      weightsSHA256: null,
      trainSHA256: '',
      validationSHA256: '',
      testSHA256: null,
    },
    fault: null,
    weights: null,
  };
}
