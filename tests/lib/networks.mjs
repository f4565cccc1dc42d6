// Networks for tests of the files that carry them: seeded random shapes and weights.

import process from 'node:process';

import { initialWeights, mulberry32, sha256Of } from './reference.mjs';

/** @typedef {import('../../web/tensors.js').About} About */
/** @typedef {import('../../web/types.js').Weights} Weights */

/**
 * Random numbers that a failed test can be repeated with: GD_TEST_SEED of the environment, else a usual one.
 * @param {import('node:test').TestContext} t   prints the seed
 * @param {number} usual
 */
export function randomOf(t, usual) {
  const seed = Number(process.env.GD_TEST_SEED ?? usual);
  t.diagnostic(`GD_TEST_SEED=${seed}`);
  return mulberry32(seed);
}

/**
 * @param {() => number} next
 * @param {number} low
 * @param {number} high
 * @returns {number} whole, from low to high
 */
export function integerOf(next, low, high) {
  return low + Math.floor(next() * (high - low + 1));
}

/**
 * A shape that the lab allows: 784, five widths that do not increase, 10. About every third one is as wide as the one
 * before, so that a bypass is not cropped.
 * @param {() => number} next
 * @param {number} widest
 */
export function widthsOf(next, widest) {
  const widths = [784];
  let width = integerOf(next, 1, widest);
  for (let i = 0; i < 5; i++) {
    width = next() < 1 / 3 ? width : integerOf(next, 1, width);
    widths.push(width);
  }
  return [...widths, 10];
}

/**
 * A network that looks trained, as far as its file tells.
 * @param {number[]} widths
 * @param {number} seed
 * @returns {{weights: Weights, about: About}}
 */
export function networkOf(widths, seed) {
  const values = initialWeights(widths, seed);
  const sha256 = sha256Of(values);
  const config = {
    preset: '', widths, trainN: 1000, testSet: 2000, epochs: 10, batch: 64, lr: 0.03, p: 0.5, mask: 5, seed,
  };
  return {
    weights: { widths, values, sha256, epoch: 7 },
    about: {
      config,
      checkpoint: 'selected',
      epoch: 7,
      build: 'fused',
      numerics: 'fused',
      startedFrom: 'seed',
      weightsSHA256: sha256,
      initializationSHA256: sha256Of(initialWeights(widths, seed + 1)),
      orderHash: '0123abcd',
      gateDrawHash: '89efcdab',
      trainSHA256: '1'.repeat(64),
      validationSHA256: '2'.repeat(64),
    },
  };
}

/** @param {Uint8Array<ArrayBuffer>[]} pieces @returns {Promise<Uint8Array<ArrayBuffer>>} */
export async function joined(pieces) {
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
