// The protocol's random streams once more, as its text describes them and independent of the C code.

import { createHash } from 'node:crypto';

/**
 * @param {number} seed
 * @returns {() => number} the next u in [0, 1)
 */
export function mulberry32(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * @param {number[]} widths
 * @param {number} seed
 * @returns {Float32Array} all parameters: layer by layer, weight then bias
 */
export function initialWeights(widths, seed) {
  const next = mulberry32(seed);
  const values = [];
  for (let layer = 0; layer < widths.length - 1; layer++) {
    const fanIn = widths[layer];
    const n = widths[layer + 1] * (fanIn + 1);
    for (let i = 0; i < n; i++) {
      values.push((2 * next() - 1) / Math.sqrt(fanIn));
    }
  }
  return Float32Array.from(values);
}

/**
 * @param {Float32Array} values
 * @returns {string}
 */
export function sha256Of(values) {
  return createHash('sha256').update(new Uint8Array(values.buffer)).digest('hex');
}

/** FNV-1a's step on whole 32-bit values. */
class RunningHash {
  #h = 2166136261;

  /** @param {number} value */
  add(value) {
    this.#h = Math.imul(this.#h ^ value, 16777619) >>> 0;
  }

  toString() {
    return this.#h.toString(16).padStart(8, '0');
  }
}

/**
 * @param {{trainN: number, epochs: number, seed: number}} config
 * @returns {string}
 */
export function orderHash({ trainN, epochs, seed }) {
  const next = mulberry32(seed + 100000);
  const hash = new RunningHash();
  for (let epoch = 0; epoch < epochs; epoch++) {
    const order = Array.from({ length: trainN }, (_, i) => i);
    for (let i = trainN - 1; i >= 1; i--) {
      const j = Math.floor(next() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    order.forEach((index) => hash.add(index));
  }
  return hash.toString();
}

/**
 * @param {{trainN: number, epochs: number, seed: number, batch: number, mask: number, p: number}} config
 * @returns {{hash: string, skipped: number[]}} skipped: minibatches that leave branch 0..3 out
 */
export function gates({ trainN, epochs, seed, batch, mask, p }) {
  const next = mulberry32(seed + 200000);
  const hash = new RunningHash();
  const skipped = [0, 0, 0, 0];
  const nMinibatches = epochs * Math.ceil(trainN / batch);
  for (let minibatch = 0; minibatch < nMinibatches; minibatch++) {
    for (let branch = 0; branch < 4; branch++) {
      const u = next();
      hash.add(Math.floor(u * 2 ** 32));
      if ((mask & (1 << branch)) !== 0 && u < p) {
        skipped[branch]++;
      }
    }
  }
  return { hash: hash.toString(), skipped };
}
