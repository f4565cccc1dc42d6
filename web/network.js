// Weights that the page has put into a client's engine. Made by Client.openWeights().

/** @typedef {import('./channel.js').Channel} Channel */
/** @typedef {import('./types.js').Evaluation} Evaluation */

/** Weights in the engine. Close them when they are not needed: they hold the engine's memory. */
export class Network {
  #channel;
  #id;

  /**
   * Use Client.openWeights().
   * @param {Channel} channel
   * @param {number} id
   * @param {{widths: number[], sha256: string}} about
   */
  constructor(channel, id, { widths, sha256 }) {
    this.#channel = channel;
    this.#id = id;
    this.widths = widths;
    /** Of the weights as little-endian bytes. */
    this.sha256 = sha256;
  }

  /**
   * @param {object} options
   * @param {string} options.split           'validation', 'test', 'test-full'; fetched if it is not there yet
   * @param {number} [options.mask]          branches that stay active; default 15, full depth
   * @param {AbortSignal} [options.signal]
   * @param {(progress: {done: number, n: number}) => void} [options.onProgress]
   * @returns {Promise<Evaluation>}
   */
  evaluate({ split, mask = 15, signal, onProgress }) {
    const params = { network: this.#id, split, mask };
    return this.#channel.ask('evaluate', params, { signal, onEvent: (_, data) => onProgress?.(data) });
  }

  /**
   * @param {Uint8Array} pixels   784, row-major, 0 black, 255 white; copied
   * @param {number} [mask]
   * @returns {Promise<Float32Array>} ten probabilities
   */
  predict(pixels, mask = 15) {
    return this.#channel.ask('predict', { network: this.#id, pixels, mask });
  }

  /**
   * What each layer gives for one picture: the features, then the four branches' outputs.
   * @param {Uint8Array} pixels
   * @param {number} [mask]
   * @returns {Promise<Float32Array[]>}
   */
  activations(pixels, mask = 15) {
    return this.#channel.ask('activations', { network: this.#id, pixels, mask });
  }

  /**
   * @param {number} units
   * @returns {Promise<Float32Array>} (units, 784)
   */
  firstLayer(units) {
    return this.#channel.ask('firstLayer', { network: this.#id, units });
  }

  /** @returns {Promise<void>} */
  close() {
    return this.#channel.ask('closeWeights', { network: this.#id });
  }
}
