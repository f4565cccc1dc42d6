// A run as the page sees it: its controls and its end. Made by Client.startRun().

/** @typedef {import('./channel.js').Channel} Channel */
/** @typedef {import('./types.js').RunResult} RunResult */
/** @typedef {import('./types.js').Weights} Weights */

/** A run under way. Controls may be called at any time; after the end they do nothing. */
export class Run {
  #channel;
  #id;

  /**
   * Use Client.startRun().
   * @param {Channel} channel
   * @param {number} id   of the request that it is
   * @param {Promise<RunResult>} finished
   */
  constructor(channel, id, finished) {
    this.#channel = channel;
    this.#id = id;
    /**
     * Resolves for a finished, a stopped, and a diverged run; rejects with a LabError if it could not be carried out.
     */
    this.finished = finished;
  }

  /** @returns {Promise<void>} resolved when no further minibatch will be computed */
  pause() {
    return this.#control('pause');
  }

  /** @returns {Promise<void>} */
  resume() {
    return this.#control('resume');
  }

  /** One minibatch, then pause again. @returns {Promise<void>} */
  stepMinibatch() {
    return this.#control('stepMinibatch');
  }

  /** To the end of this epoch, its validation included, then pause again. @returns {Promise<void>} */
  stepEpoch() {
    return this.#control('stepEpoch');
  }

  /** Ends the run, downloads too; `finished` then gives what there is. @returns {Promise<void>} */
  stop() {
    return this.#control('stop');
  }

  /** The weights as they stand now; from the state 'training' on. @returns {Promise<Weights>} */
  weights() {
    return this.#channel.ask('runWeights', { run: this.#id });
  }

  /**
   * The first layer's weights as they stand now, to draw; from the state 'training' on.
   * @param {number} units   how many, from unit 0 on
   * @returns {Promise<Float32Array>} (units, 784)
   */
  firstLayer(units) {
    return this.#channel.ask('firstLayer', { run: this.#id, units });
  }

  /** @param {string} action @returns {Promise<void>} */
  #control(action) {
    return this.#channel.ask('control', { run: this.#id, action });
  }
}
