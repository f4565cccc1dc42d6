// Weights that the page has put into a client's engine. Made by Client.openWeights().

/** @typedef {import('./types.js').Evaluation} Evaluation */
/** @typedef {(event: string, data: any) => void} EventSink */

/** Weights in the engine. Close them when they are not needed: they hold the engine's memory. */
export class Network {
  #id;
  #ask;

  /**
   * Use Client.openWeights().
   * @param {number} id
   * @param {number[]} widths
   * @param {string} sha256
   * @param {(method: string, params: object, options?: {signal?: AbortSignal, onEvent?: EventSink}) => Promise<any>} ask
   */
  constructor(id, widths, sha256, ask) {
    this.#id = id;
    this.#ask = ask;
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
    return this.#ask('evaluate', params, { signal, onEvent: (_, data) => onProgress?.(data) });
  }

  /**
   * @param {Uint8Array} pixels   784, row-major, 0 black, 255 white; copied
   * @param {number} [mask]
   * @returns {Promise<Float32Array>} ten probabilities
   */
  predict(pixels, mask = 15) {
    return this.#ask('predict', { network: this.#id, pixels, mask });
  }

  /**
   * What each layer gives for one picture: the features, then the four branches' outputs.
   * @param {Uint8Array} pixels
   * @param {number} [mask]
   * @returns {Promise<Float32Array[]>}
   */
  activations(pixels, mask = 15) {
    return this.#ask('activations', { network: this.#id, pixels, mask });
  }

  /**
   * @param {number} units
   * @returns {Promise<Float32Array>} (units, 784)
   */
  firstLayer(units) {
    return this.#ask('firstLayer', { network: this.#id, units });
  }

  /** @returns {Promise<void>} */
  close() {
    return this.#ask('closeWeights', { network: this.#id });
  }
}
