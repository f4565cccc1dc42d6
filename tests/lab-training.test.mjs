// Training on real images, minibatch by minibatch, against an independent double-precision network.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { configure, openSplits, progressOf, stepUntil } from './lib/open-splits.mjs';
import { forward, layersOf, trainStep } from './lib/reference-network.mjs';
import { initialWeights, mulberry32 } from './lib/reference.mjs';

const WIDTHS = [784, 37, 30, 22, 17, 12, 10];
const CONFIG = { widths: WIDTHS, trainN: 200, epochs: 3, batch: 64, lr: 0.03, seed: 11 };
const N_COMPARED = 100; // validation images

/**
 * Floats round to 6e-8 of a value, and most of a loss's roundings cancel: agreement within 1e-8 has been seen. A gain
 * that is wrong by one part in a thousand shows as 1e-4.
 */
const TOLERANCE = 1e-6;

/**
 * @param {number} actual
 * @param {number} expected
 * @param {string} what
 */
function close(actual, expected, what) {
  assert.ok(Math.abs(actual - expected) <= TOLERANCE * Math.abs(expected), `${what}: ${actual}, not ${expected}`);
}

/**
 * The orders of all epochs.
 * @param {number} n
 * @param {number} nEpochs
 * @param {number} seed
 */
function ordersOf(n, nEpochs, seed) {
  const next = mulberry32(seed + 100000);
  return Array.from({ length: nEpochs }, () => {
    const order = Array.from({ length: n }, (_, i) => i);
    for (let i = n - 1; i >= 1; i--) {
      const j = Math.floor(next() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  });
}

/**
 * The images of a split.
 * @param {import('../web/engine.js').Engine} engine
 * @param {number} split
 * @param {number} n
 */
function imagesOf(engine, split, n) {
  const pixels = engine.copyU8(engine.pointer('gd_split_pixels', split), n * 784);
  const labels = engine.copyU8(engine.pointer('gd_split_labels', split), n);
  return Array.from({ length: n }, (_, i) => ({ pixels: pixels.subarray(i * 784, (i + 1) * 784), label: labels[i] }));
}

for (const build of ['mul-add', 'fused']) {
  const { engine, train, validation } = await openSplits(build);
  for (const { mask, p } of [{ mask: 0, p: 0.5 }, { mask: 11, p: 0.25 }, { mask: 15, p: 0.75 }]) {
    test(`${build}: mask ${mask}, p ${p} trains as the protocol's arithmetic says`, () => {
      configure(engine, { ...CONFIG, mask, p });
      const run = engine.status('gd_run_open', train, validation, 0);
      const images = imagesOf(engine, train, CONFIG.trainN);
      const layers = layersOf(WIDTHS, initialWeights(WIDTHS, CONFIG.seed));
      const nextGate = mulberry32(CONFIG.seed + 200000);
      for (const order of ordersOf(CONFIG.trainN, CONFIG.epochs, CONFIG.seed)) {
        for (let first = 0; first < order.length; first += CONFIG.batch) {
          const gains = Array.from({ length: 4 }, (_, j) => {
            const isEligible = (mask & (1 << j)) !== 0;
            const u = nextGate();
            return isEligible && u < p ? null : isEligible ? 1 / (1 - p) : 1;
          });
          const minibatch = order.slice(first, first + CONFIG.batch).map((i) => images[i]);
          const expected = trainStep(layers, minibatch, gains, CONFIG.lr);
          stepUntil(engine, run, first + CONFIG.batch < order.length ? 'minibatch' : 'epochTrained');
          close(progressOf(engine, run).loss, expected, `loss of minibatch ${first / CONFIG.batch}`);
        }
      }
      const live = engine.description.checkpoints.indexOf('live');
      engine.withRoom(784 + 48, (address) => {
        for (const { pixels } of imagesOf(engine, validation, N_COMPARED)) {
          engine.write(address, pixels);
          engine.status('gd_model_predict', run, live, 15, address, address + 784);
          const { probabilities } = forward(layers, pixels, [1, 1, 1, 1]);
          engine.copyF32(address + 784, 10).forEach((probability, c) => {
            // Of probabilities it is the difference that is small, not the ratio.
            assert.ok(Math.abs(probability - probabilities[c]) < TOLERANCE, `${probability}, not ${probabilities[c]}`);
          });
        }
      });
      engine.status('gd_run_close', run);
    });
  }

  test(`${build}: a removed branch is removed from the forward pass alone`, () => {
    configure(engine, { ...CONFIG, epochs: 1 });
    const run = engine.status('gd_run_open', train, validation, 0);
    stepUntil(engine, run, 'finished');
    const model = engine.description.checkpoints.indexOf('final');
    const n = engine.status('gd_model_n_parameters', run);
    const values = engine.withRoom(4 * n, (address) => {
      engine.status('gd_model_read', run, model, 0, n, address);
      return engine.copyF32(address, n);
    });
    const layers = layersOf(WIDTHS, values);
    const [{ pixels }] = imagesOf(engine, validation, 1);
    for (let mask = 0; mask < 16; mask++) {
      const gains = Array.from({ length: 4 }, (_, j) => ((mask & (1 << j)) !== 0 ? 1 : null));
      const { inputs, probabilities } = forward(layers, pixels, gains);
      engine.withRoom(4096, (address) => {
        engine.write(address, pixels);
        engine.status('gd_model_predict', run, model, mask, address, address + 784);
        engine.copyF32(address + 784, 10).forEach((probability, c) => {
          assert.ok(Math.abs(probability - probabilities[c]) < TOLERANCE);
        });
        for (let layer = 0; layer < 5; layer++) {
          const width = engine.status('gd_model_activation', run, layer, address);
          assert.equal(width, WIDTHS[layer + 1]);
          engine.copyF32(address, width).forEach((value, i) => {
            assert.ok(Math.abs(value - inputs[layer + 1][i]) < TOLERANCE);
          });
        }
      });
    }
    engine.status('gd_run_close', run);
  });
}
