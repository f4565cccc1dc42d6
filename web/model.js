// What can be asked of parameters in the engine: of a run's checkpoint, or of weights that were put in.

import { inSlices } from './pace.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./types.js').Evaluation} Evaluation */

/** Numbers of one piece on the way in or out. */
const PIECE = 64 * 1024;

/** One model: a handle of C, and which of its checkpoints. */
export class Model {
  #engine;

  /**
   * @param {Engine} engine
   * @param {number} handle   of a run or of weights
   * @param {string} checkpoint   'selected', 'final', 'live'; weights take any
   * @param {number[]} widths
   */
  constructor(engine, handle, checkpoint, widths) {
    this.#engine = engine;
    this.handle = handle;
    this.checkpoint = engine.description.checkpoints.indexOf(checkpoint);
    this.widths = widths;
  }

  /** Of a run: whether it is in the middle of a minibatch, when its live weights cannot be had. */
  get isUnsettled() {
    const at = this.#engine.description.progress.indexOf('stepPart');
    return Number(this.#engine.view('run', this.handle, 'progress')[at]) > 0;
  }

  /** @returns {Float32Array<ArrayBuffer>} all parameters in the canonical order */
  read() {
    const engine = this.#engine;
    const n = engine.status('gd_model_n_parameters', this.handle);
    const values = new Float32Array(n);
    engine.withRoom(4 * PIECE, (address) => {
      for (let first = 0; first < n; first += PIECE) {
        const nPiece = Math.min(PIECE, n - first);
        engine.status('gd_model_read', this.handle, this.checkpoint, first, nPiece, address);
        values.set(engine.copyF32(address, nPiece), first);
      }
    });
    return values;
  }

  /**
   * @param {number} nUnits   at most the layer's
   * @returns {Float32Array<ArrayBuffer>} (units, 784): the first units' incoming weights
   */
  firstLayer(nUnits) {
    const engine = this.#engine;
    const nPixels = Number(this.widths[0]);
    const n = Math.min(nUnits, Number(this.widths[1]));
    const pictures = new Float32Array(n * nPixels);
    engine.withRoom(4 * nPixels, (address) => {
      for (let unit = 0; unit < n; unit++) {
        engine.status('gd_model_row', this.handle, this.checkpoint, 0, unit, address);
        pictures.set(engine.copyF32(address, nPixels), unit * nPixels);
      }
    });
    return pictures;
  }

  /**
   * @param {Uint8Array} pixels   (784)
   * @param {number} mask         branches that take part
   * @returns {Float32Array<ArrayBuffer>} ten probabilities
   */
  predict(pixels, mask) {
    const engine = this.#engine;
    return engine.withRoom(pixels.length + 40, (address) => {
      const probabilities = address + pixels.length;
      engine.write(address, pixels);
      engine.status('gd_model_predict', this.handle, this.checkpoint, mask, address, probabilities);
      return engine.copyF32(probabilities, 10);
    });
  }

  /**
   * @param {Uint8Array} pixels
   * @param {number} mask
   * @returns {Float32Array<ArrayBuffer>[]} h of layers 0..4
   */
  activations(pixels, mask) {
    const engine = this.#engine;
    this.predict(pixels, mask);
    return this.widths.slice(1, -1).map((width, layer) =>
      engine.withRoom(4 * width, (address) => {
        const n = engine.status('gd_model_activation', this.handle, layer, address);
        return engine.copyF32(address, n);
      }),
    );
  }

  /**
   * @param {object} options
   * @param {string} options.split       its name
   * @param {number} options.images      its handle
   * @param {number} options.mask
   * @param {AbortSignal} [options.signal]
   * @param {(progress: {done: number, n: number}) => void} [options.onProgress]
   * @returns {Promise<Evaluation>}
   */
  async evaluate({ split, images, mask, signal, onProgress = () => {} }) {
    const engine = this.#engine;
    const n = engine.number('gd_split_n_images', images);
    const evaluation = engine.status('gd_evaluation_open', this.handle, this.checkpoint, mask, images);
    try {
      let left = n;
      await inSlices(
        () => {
          left = engine.status('gd_evaluation_step', evaluation);
          return left > 0;
        },
        () => {
          signal?.throwIfAborted();
          onProgress({ done: n - left, n });
        },
      );
      return readEvaluation(engine, evaluation, split, mask);
    } finally {
      engine.status('gd_evaluation_close', evaluation);
    }
  }
}

/**
 * @param {Engine} engine
 * @param {number} evaluation
 * @param {string} split
 * @param {number} mask
 * @returns {Evaluation}
 */
function readEvaluation(engine, evaluation, split, mask) {
  const { summary } = engine.description;
  /** @param {string} id */
  const view = (id) => engine.view('evaluation', evaluation, id);
  const figures = view('summary');
  /** @param {string} id */
  const figure = (id) => Number(figures[summary.indexOf(id)]);
  const confusion = view('confusion');
  const perDigit = view('perDigit');
  const digits = Array.from({ length: 10 }, (_, digit) => digit);
  return {
    split,
    mask,
    n: figure('n'),
    accuracy: figure('accuracy'),
    ce: figure('crossEntropy'),
    errors: figure('errors'),
    predictions: Uint8Array.from(view('predictions')),
    probabilities: Float32Array.from(view('probabilities')),
    confusion: digits.map((digit) => [...confusion.subarray(10 * digit, 10 * digit + 10)]),
    perClass: digits.map((digit) => {
      const n = Number(perDigit[2 * digit]);
      const correct = Number(perDigit[2 * digit + 1]);
      return { digit, n, correct, accuracy: correct / n };
    }),
  };
}

/**
 * Puts weights into the engine.
 * @param {Engine} engine
 * @param {number[]} widths
 * @param {Float32Array} values
 * @returns {number} a handle, the caller's to close
 */
export function openWeights(engine, widths, values) {
  const handle = engine.withRoom(4 * widths.length, (address) => {
    engine.writeU32(address, widths);
    return engine.status('gd_weights_open', address);
  });
  try {
    engine.withRoom(4 * PIECE, (address) => {
      for (let first = 0; first < values.length; first += PIECE) {
        const piece = values.subarray(first, first + PIECE);
        engine.writeF32(address, piece);
        engine.status('gd_weights_append', handle, address, piece.length);
      }
    });
    engine.status('gd_weights_finish', handle);
    return handle;
  } catch (error) {
    engine.number('gd_weights_close', handle);
    throw error;
  }
}

/** @param {ArrayLike<number>} digest */
export function hexOf(digest) {
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
