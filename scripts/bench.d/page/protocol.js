// What every contestant starts from and sees, by the lab's protocol: the presets, the initial weights, the order of the
// images. All of them train the same network on the same minibatches, so their losses can be compared.

export const SEED = 201;
export const LEARNING_RATE = 0.03;
export const MOMENTUM = 0.9;
export const BATCH = 64;
export const N_TRAIN = 4000;
export const N_LAYERS = 6;

/** @type {Record<string, number[]>} */
export const PRESETS = {
  tiny: [784, 128, 96, 64, 48, 32, 10],
  small: [784, 256, 192, 128, 96, 64, 10],
  wide: [784, 512, 384, 256, 192, 128, 10],
  full: [784, 2500, 2000, 1500, 1000, 500, 10],
};

const ORDER_STREAM = 100000;

/** @param {number} seed @returns {() => number} mulberry32: draws in [0, 1) */
function randomStream(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** @typedef {{weight: Float32Array, bias: Float32Array, nIn: number, nOut: number}} Layer   weight (out, in) row-major */

/** @param {number[]} widths @returns {Layer[]} */
export function initialLayers(widths) {
  const draw = randomStream(SEED);
  const layers = [];
  for (let l = 0; l < N_LAYERS; l++) {
    const [nIn, nOut] = [widths[l], widths[l + 1]];
    const scale = Math.sqrt(nIn);
    const uniform = () => (2 * draw() - 1) / scale;
    const weight = new Float32Array(nIn * nOut).map(uniform);
    const bias = new Float32Array(nOut).map(uniform);
    layers.push({ weight, bias, nIn, nOut });
  }
  return layers;
}

/** @param {Layer} layer @returns {Float32Array} its weight, (in, out) row-major, as the peers want it */
export function transposedWeight({ weight, nIn, nOut }) {
  const transposed = new Float32Array(weight.length);
  for (let o = 0; o < nOut; o++) {
    for (let i = 0; i < nIn; i++) {
      transposed[i * nOut + o] = weight[o * nIn + i];
    }
  }
  return transposed;
}

/** Layers 1..4 add their bypass: the first outputs of the layer below. @param {number} layer */
export function isBranch(layer) {
  return layer > 0 && layer < N_LAYERS - 1;
}

/** The minibatches of a run without end: each epoch a new shuffle. */
export class Minibatches {
  #draw = randomStream(SEED + ORDER_STREAM);
  #order = new Int32Array(N_TRAIN);
  #next = N_TRAIN;

  /** @returns {Int32Array} the images of the next minibatch; the epoch's last one is short */
  next() {
    if (this.#next === N_TRAIN) {
      this.#shuffle();
      this.#next = 0;
    }
    const end = Math.min(this.#next + BATCH, N_TRAIN);
    const minibatch = this.#order.slice(this.#next, end);
    this.#next = end;
    return minibatch;
  }

  #shuffle() {
    const order = this.#order.map((_, i) => i);
    for (let i = N_TRAIN - 1; i > 0; i--) {
      const j = Math.floor(this.#draw() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    this.#order = order;
  }
}
