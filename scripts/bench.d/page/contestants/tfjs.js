// TensorFlow.js with its WebAssembly backend, in two styles:
//   minimize    as its users write it: optimizer.minimize of the loss, gradients by the library
//   hand-tuned  the backward pass written by hand, with explicit transposes, since the backend's fast product is the
//               one without transposed operands

import { gather } from '../images.js';
import { initialLayers, isBranch, LEARNING_RATE, MOMENTUM, N_LAYERS, transposedWeight } from '../protocol.js';
import { loadScript } from '../script.js';

/** @typedef {import('../tab.js').Contestant} Contestant */
/** @typedef {import('../tab.js').Setting} Setting */

const PACKAGES = '/npm/@tensorflow/';

/** @param {number} nThreads */
async function load(nThreads) {
  await loadScript(`${PACKAGES}tfjs/dist/tf.min.js`);
  await loadScript(`${PACKAGES}tfjs-backend-wasm/dist/tf-backend-wasm.min.js`);
  const tf = /** @type {any} */ (globalThis).tf;
  tf.wasm.setWasmPaths(`${PACKAGES}tfjs-backend-wasm/dist/`);
  if (nThreads === 1) {
    tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  } else {
    // It takes half of the cores that the browser tells of; told of twice as many, it takes them all.
    Object.defineProperty(navigator, 'hardwareConcurrency', { get: () => 2 * nThreads });
    tf.wasm.setThreadsCount(nThreads);
  }
  tf.enableProdMode();
  if (!(await tf.setBackend('wasm'))) {
    throw new Error('TensorFlow.js has no wasm backend here');
  }
  await tf.ready();
  if (nThreads > 1 && tf.wasm.getThreadsCount() !== nThreads) {
    throw new Error(`TensorFlow.js took ${tf.wasm.getThreadsCount()} threads`);
  }
  return tf;
}

/** @param {Setting} setting @returns {Promise<Contestant>} */
export async function open({ widths, images, minibatches, style, nThreads }) {
  const tf = await load(nThreads);
  const layers = initialLayers(widths);
  const weights = layers.map((layer) => tf.variable(tf.tensor2d(transposedWeight(layer), [layer.nIn, layer.nOut])));
  const biases = layers.map((layer) => tf.variable(tf.tensor1d(layer.bias)));
  const network = { tf, widths, weights, biases };
  const step = style === 'minimize' ? minimizer(network) : handTuned(network);
  return {
    about: `TensorFlow.js ${tf.version.tfjs}, SIMD ${tf.env().get('WASM_HAS_SIMD_SUPPORT')}`,
    async train(n) {
      let nImages = 0;
      let loss;
      for (let i = 0; i < n; i++) {
        const minibatch = minibatches.next();
        const { x, y } = gather(await images, minibatch);
        const [xTensor, yTensor] = [tf.tensor2d(x, [minibatch.length, 784]), tf.tensor2d(y, [minibatch.length, 10])];
        loss?.dispose();
        loss = step(xTensor, yTensor);
        xTensor.dispose();
        yTensor.dispose();
        nImages += minibatch.length;
      }
      const [value] = await loss.data();
      loss.dispose();
      return { nImages, loss: value };
    },
  };
}

/** @typedef {{tf: any, widths: number[], weights: any[], biases: any[]}} Network */

/** @param {Network} network @param {any} x @returns {any} logits */
function forward({ tf, widths, weights, biases }, x) {
  let h = x;
  for (let l = 0; l < N_LAYERS; l++) {
    let z = tf.add(tf.matMul(h, weights[l]), biases[l]);
    if (isBranch(l)) {
      z = tf.add(z, tf.slice(h, [0, 0], [-1, widths[l + 1]]));
    }
    h = l < N_LAYERS - 1 ? tf.relu(z) : z;
  }
  return h;
}

/** @param {Network} network @returns {(x: any, y: any) => any} one step; its loss */
function minimizer(network) {
  const { tf } = network;
  const optimizer = tf.train.momentum(LEARNING_RATE, MOMENTUM);
  return (x, y) => optimizer.minimize(() => tf.losses.softmaxCrossEntropy(y, forward(network, x)), true);
}

/** @param {Network} network @returns {(x: any, y: any) => any} one step; its loss */
function handTuned({ tf, widths, weights, biases }) {
  const velocities = [weights, biases].map((group) => group.map((each) => tf.variable(tf.zerosLike(each))));
  const [momentum, learningRate] = [tf.scalar(MOMENTUM), tf.scalar(LEARNING_RATE)];

  /** @param {any} parameter @param {any} velocity @param {any} gradient */
  const update = (parameter, velocity, gradient) => {
    velocity.assign(tf.add(tf.mul(velocity, momentum), gradient));
    parameter.assign(tf.sub(parameter, tf.mul(velocity, learningRate)));
  };

  /** @param {any} x @returns {any[]} the input of each layer, then the logits */
  const activations = (x) => {
    const all = [x];
    for (let l = 0; l < N_LAYERS; l++) {
      const a = all[l];
      const activation = l === 0 ? 'relu' : 'linear';
      const z = tf.fused.matMul({ a, b: weights[l], bias: biases[l], activation });
      all.push(isBranch(l) ? tf.relu(tf.add(z, tf.slice(a, [0, 0], [-1, widths[l + 1]]))) : z);
    }
    return all;
  };

  /** @param {number} l @param {any} dz @param {any} h @returns {any} gradient of the layer below, before its ReLU */
  const inputGradient = (l, dz, h) => {
    const product = tf.matMul(dz, tf.transpose(weights[l]));
    const bypass = isBranch(l) ? tf.pad(dz, [[0, 0], [0, widths[l] - widths[l + 1]]]) : null;
    return tf.mul(bypass === null ? product : tf.add(product, bypass), tf.step(h));
  };

  const step = (/** @type {any} */ x, /** @type {any} */ y) => {
    const h = activations(x);
    const probabilities = tf.softmax(h[N_LAYERS]);
    let dz = tf.mul(tf.sub(probabilities, y), 1 / x.shape[0]);
    for (let l = N_LAYERS - 1; l >= 0; l--) {
      const below = l > 0 ? inputGradient(l, dz, h[l]) : null;
      update(weights[l], velocities[0][l], tf.matMul(tf.transpose(h[l]), dz));
      update(biases[l], velocities[1][l], tf.sum(dz, 0));
      dz = below;
    }
    return tf.neg(tf.mean(tf.sum(tf.mul(y, tf.log(tf.add(probabilities, 1e-12))), 1)));
  };
  return (x, y) => tf.tidy(() => step(x, y));
}
