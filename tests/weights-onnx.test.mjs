// ONNX files: ONNX Runtime gives the logits that the lab gives.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import * as ort from 'onnxruntime-web';

import { openSession } from '../scripts/lib/node-session.mjs';
import { aboutOf, weightsFile } from '../web/export.js';
import { writeOnnx } from '../web/onnx.js';
import { integerOf, joined, networkOf, randomOf, widthsOf } from './lib/networks.mjs';

/** @typedef {import('../web/types.js').Weights} Weights */

const N_IMAGES = 100;
const N_PIXELS = 784;
/** What the lab promises of networks as its defaults make them; the largest difference that was measured is 7.3e-6. */
const TOLERANCE = 1e-5;
/**
 * The runtime computes in double precision, so what differs is the lab's rounding, which grows with the logits. Of the
 * largest one it is 1.8 to 4.5 roundings (2^-24) for the networks that were measured (web/FORMATS.md).
 */
const N_ROUNDINGS = 10;

const session = await openSession();
await session.split('test', {});

before(() => {
  ort.env.wasm.numThreads = 1;
});

/**
 * The first test images' logits by ONNX Runtime.
 * @param {Uint8Array} file
 * @param {Uint8Array} pixels   (n, 784)
 * @returns {Promise<Float32Array>} (n, 10)
 */
async function logitsOfRuntime(file, pixels) {
  const model = await ort.InferenceSession.create(file);
  try {
    const n = pixels.length / N_PIXELS;
    const { logits } = await model.run({ pixels: new ort.Tensor('uint8', pixels, [n, N_PIXELS]) });
    assert.deepEqual(logits.dims, [n, 10]);
    return /** @type {Float32Array} */ (logits.data);
  } finally {
    await model.release();
  }
}

/**
 * The same by the lab. Its engine gives what goes into the classifier, and the probabilities that come of it; the ten
 * sums between them are computed here.
 * @param {Weights} weights
 * @param {Uint8Array} pixels
 * @returns {number[]}
 */
function logitsOfLab({ widths, values }, pixels) {
  const { network } = session.openWeights({ widths, values });
  const nIn = widths[5];
  const [weight, bias] = [values.subarray(-10 * (nIn + 1), -10), values.subarray(-10)];
  const all = [];
  for (let image = 0; image < pixels.length / N_PIXELS; image++) {
    const picture = pixels.subarray(image * N_PIXELS, (image + 1) * N_PIXELS);
    const h = session.activations({ network, pixels: picture, mask: 15 })[4];
    const logits = Array.from(bias, (b, o) => h.reduce((sum, x, i) => sum + x * weight[o * nIn + i], b));
    const probabilities = session.predict({ network, pixels: picture, mask: 15 });
    const total = logits.reduce((sum, z) => sum + Math.exp(z), 0);
    logits.forEach((z, o) => assert.ok(Math.abs(Math.exp(z) / total - probabilities[o]) < TOLERANCE));
    all.push(...logits);
  }
  session.closeWeights({ network });
  return all;
}

/** @param {Weights} weights @param {Uint8Array} file @param {Uint8Array} pixels */
async function largestDifference(weights, file, pixels) {
  const found = await logitsOfRuntime(file, pixels);
  const expected = logitsOfLab(weights, pixels);
  return expected.reduce((largest, z, i) => Math.max(largest, Math.abs(z - found[i])), 0);
}

const { pixels: images } = session.images({ split: 'test', indices: Array.from({ length: N_IMAGES }, (_, i) => i) });

for (const config of [
  ...['tiny', 'small', 'uniform', 'wide'].map((preset) => ({ preset, mask: 0 })),
  { preset: 'uniform', mask: 15 },
  { preset: 'full', mask: 0, trainN: 1000, epochs: 1 }, // the rest of a default run would take as long as all other tests here
]) {
  const { preset, mask } = config;
  test(`a trained ${preset} network, mask ${mask}, gives the same logits on ${N_IMAGES} test images`, async (t) => {
    const result = await session.run({ config }, { id: 1, emit: () => {} });
    assert.ok(result.weights && result.endpoints);
    const { blob, name } = weightsFile('onnx', result, 'selected', result.weights.selected);
    const { epoch } = result.weights.selected;
    assert.equal(name, `mnist-${preset}${mask === 0 ? '' : '-mask15-p0.5'}-seed201-epoch${epoch}.onnx`);
    const file = new Uint8Array(await blob.arrayBuffer());
    const found = await logitsOfRuntime(file, images);
    const expected = logitsOfLab(result.weights.selected, images);
    const difference = expected.reduce((largest, z, i) => Math.max(largest, Math.abs(z - found[i])), 0);
    t.diagnostic(`largest difference ${difference.toExponential(2)}, largest logit ${Math.max(...expected).toFixed(1)}`);
    assert.ok(difference <= TOLERANCE, `they differ by ${difference}`);

    const right = result.endpoints.selected.predictions.subarray(0, N_IMAGES);
    for (const [image, digit] of right.entries()) {
      const row = [...found.subarray(10 * image, 10 * image + 10)];
      assert.equal(row.indexOf(Math.max(...row)), digit);
    }
  });
}

test('a network that was trained hard differs by no more roundings, for its logits are larger', async (t) => {
  const config = { preset: 'tiny', mask: 0, lr: 0.1, trainN: 10000, epochs: 6 };
  const { weights } = await session.run({ config }, { id: 3, emit: () => {} });
  assert.ok(weights);
  const { about } = networkOf(weights.final.widths, 1);
  const found = await logitsOfRuntime(await joined(writeOnnx(weights.final, about)), images);
  const expected = logitsOfLab(weights.final, images);
  const difference = expected.reduce((largest, z, i) => Math.max(largest, Math.abs(z - found[i])), 0);
  const size = expected.reduce((largest, z) => Math.max(largest, Math.abs(z)), 0);
  t.diagnostic(`largest difference ${difference.toExponential(2)}, largest logit ${size.toFixed(1)}`);
  assert.ok(difference <= N_ROUNDINGS * 2 ** -24 * size, `they differ by ${difference}, the largest logit is ${size}`);
});

test('networks of any shape give the same logits', async (t) => {
  const next = randomOf(t, 31);
  for (let trial = 0; trial < 8; trial++) {
    const { weights, about } = networkOf(widthsOf(next, 200), integerOf(next, 0, 1e6));
    const file = await joined(writeOnnx(weights, about));
    const difference = await largestDifference(weights, file, images.subarray(0, 10 * N_PIXELS));
    assert.ok(difference <= TOLERANCE, `widths ${weights.widths}: they differ by ${difference}`);
  }
});

test('the file says what it is', async () => {
  const { weights, about } = networkOf([784, 30, 20, 20, 15, 10, 10], 5);
  const model = await ort.InferenceSession.create(await joined(writeOnnx(weights, about)));
  assert.deepEqual(model.inputMetadata, [{ name: 'pixels', isTensor: true, type: 'uint8', shape: ['N', 784] }]);
  assert.deepEqual(model.outputMetadata, [{ name: 'logits', isTensor: true, type: 'float32', shape: ['N', 10] }]);
  const text = new TextDecoder('latin1').decode(await joined(writeOnnx(weights, about)));
  for (const value of [about.weightsSHA256, about.initializationSHA256, about.orderHash, '[784,30,20,20,15,10,10]']) {
    assert.ok(text.includes(value));
  }
});

test('what is said of a run’s weights is what its result says', async () => {
  const result = await session.run({ config: { preset: 'tiny', trainN: 500, epochs: 2, seed: 9 } }, { id: 2, emit: () => {} });
  assert.ok(result.weights && result.provenance.weightsSHA256);
  const about = aboutOf(result, 'final', result.weights.final);
  assert.equal(about.epoch, 2);
  assert.equal(about.weightsSHA256, result.provenance.weightsSHA256.final);
  assert.equal(about.startedFrom, 'seed');
  assert.deepEqual(about.config, result.config);
});
