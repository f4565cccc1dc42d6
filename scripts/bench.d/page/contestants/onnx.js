// ONNX Runtime Web. It only runs graphs; so the whole training step, forward, backward and update, is one graph, run
// once a minibatch. Parameters and velocities go in and come out of each run. Nobody's published way of training, but
// the strongest matrix products in WebAssembly that can be had for it.

import { gather } from '../images.js';
import { initialLayers, isBranch, LEARNING_RATE, MOMENTUM, N_LAYERS, transposedWeight } from '../protocol.js';
import { GraphBuilder } from './onnx-model.js';

/** @typedef {import('../tab.js').Contestant} Contestant */
/** @typedef {import('../tab.js').Setting} Setting */

const FOLDER = '/npm/onnxruntime-web/dist/';

/** What each layer has: goes in as name + layer, comes out as new + name + layer. */
const STATE = ['weight', 'bias', 'weightVelocity', 'biasVelocity'];

/** @param {Setting} setting @returns {Promise<Contestant>} */
export async function open({ widths, images, minibatches, nThreads }) {
  const ort = await import(`${FOLDER}ort.wasm.min.mjs`);
  ort.env.wasm.numThreads = nThreads;
  ort.env.wasm.wasmPaths = new URL(FOLDER, location.href).href;
  ort.env.logLevel = 'error';
  const options = { executionProviders: ['wasm'], graphOptimizationLevel: 'all', enableMemPattern: true };
  const session = await ort.InferenceSession.create(trainingGraph(widths), options);

  /** @param {Float32Array} values @param {number[]} shape */
  const tensor = (values, shape) => new ort.Tensor('float32', values, shape);
  /** @type {Record<string, any>} */
  const state = {};
  initialLayers(widths).forEach((layer, l) => {
    const { nIn, nOut } = layer;
    state[`weight${l}`] = tensor(transposedWeight(layer), [nIn, nOut]);
    state[`bias${l}`] = tensor(layer.bias, [nOut]);
    state[`weightVelocity${l}`] = tensor(new Float32Array(nIn * nOut), [nIn, nOut]);
    state[`biasVelocity${l}`] = tensor(new Float32Array(nOut), [nOut]);
  });

  /** @param {Int32Array} minibatch @returns {Promise<Float32Array>} probabilities, before the update */
  const step = async (minibatch) => {
    const n = minibatch.length;
    const { x, y } = gather(await images, minibatch);
    const feeds = { ...state, x: tensor(x, [n, 784]), y: tensor(y, [n, 10]), scale: tensor(Float32Array.of(1 / n), []) };
    const results = await session.run(feeds);
    for (const name of Object.keys(state)) {
      state[name] = results[`new ${name}`];
    }
    return results.probabilities.data;
  };

  return {
    about: `ONNX Runtime Web ${ort.env.versions.web}`,
    async train(n) {
      let nImages = 0;
      let loss = NaN;
      for (let i = 0; i < n; i++) {
        const minibatch = minibatches.next();
        loss = crossEntropy(await step(minibatch), minibatch, (await images).labels);
        nImages += minibatch.length;
      }
      return { nImages, loss };
    },
  };
}

/** @param {Float32Array} probabilities @param {Int32Array} minibatch @param {Uint8Array} labels @returns {number} mean */
function crossEntropy(probabilities, minibatch, labels) {
  let sum = 0;
  minibatch.forEach((image, row) => {
    sum -= Math.log(probabilities[row * 10 + labels[image]]);
  });
  return sum / minibatch.length;
}

/** @param {number[]} widths @returns {Uint8Array} the model of one training step */
function trainingGraph(widths) {
  const graph = new GraphBuilder();
  graph.input('x', ['n', 784]);
  graph.input('y', ['n', 10]);
  graph.input('scale', []); // 1 / n
  for (let l = 0; l < N_LAYERS; l++) {
    for (const name of STATE) {
      graph.input(`${name}${l}`, shapeOf(widths, l, name));
    }
  }
  const h = addForward(graph, widths);
  const probabilities = graph.add('Softmax', [h[N_LAYERS]], { axis: 1 }, 'probabilities');
  graph.output(probabilities, ['n', 10]);
  addBackward(graph, widths, h, graph.add('Mul', [graph.add('Sub', [probabilities, 'y']), 'scale']));
  return graph.finish();
}

/** @param {number[]} widths @param {number} l @param {string} name */
function shapeOf(widths, l, name) {
  const [nIn, nOut] = [widths[l], widths[l + 1]];
  return name.startsWith('weight') ? [nIn, nOut] : [nOut];
}

/** @param {GraphBuilder} graph @param {number[]} widths @returns {string[]} the input of each layer, then the logits */
function addForward(graph, widths) {
  const h = ['x'];
  const [zero, one] = [graph.integers([0]), graph.integers([1])];
  for (let l = 0; l < N_LAYERS; l++) {
    const below = h[l];
    let z = graph.add('Gemm', [below, `weight${l}`, `bias${l}`]);
    if (isBranch(l)) {
      const end = graph.integers([widths[l + 1]]);
      z = graph.add('Add', [z, graph.add('Slice', [below, zero, end, one])]);
    }
    h.push(l < N_LAYERS - 1 ? graph.add('Relu', [z]) : z);
  }
  return h;
}

/** @param {GraphBuilder} graph @param {number[]} widths @param {string[]} h @param {string} dLogits */
function addBackward(graph, widths, h, dLogits) {
  const [zero, momentum, learningRate] = [0, MOMENTUM, LEARNING_RATE].map((value) => graph.scalar(value));
  const axis0 = graph.integers([0]);
  let dz = dLogits;
  for (let l = N_LAYERS - 1; l >= 0; l--) {
    const input = h[l];
    // The product adds the velocity in the same pass: v = momentum v + xᵀ dz.
    graph.add('Gemm', [input, dz, `weightVelocity${l}`], { transA: 1, beta: { float: MOMENTUM } }, `new weightVelocity${l}`);
    const biasGradient = graph.add('ReduceSum', [dz, axis0], { keepdims: 0 });
    graph.add('Add', [graph.add('Mul', [`biasVelocity${l}`, momentum]), biasGradient], {}, `new biasVelocity${l}`);
    for (const name of ['weight', 'bias']) {
      const change = graph.add('Mul', [`new ${name}Velocity${l}`, learningRate]);
      graph.add('Sub', [`${name}${l}`, change], {}, `new ${name}${l}`);
    }
    for (const name of STATE) {
      graph.output(`new ${name}${l}`, shapeOf(widths, l, name));
    }
    if (l > 0) {
      let dh = graph.add('Gemm', [dz, `weight${l}`], { transB: 1 });
      if (isBranch(l)) {
        const room = graph.integers([0, 0, 0, widths[l] - widths[l + 1]]);
        dh = graph.add('Add', [dh, graph.add('Pad', [dz, room])]);
      }
      dz = graph.add('Where', [graph.add('Greater', [input, zero]), dh, zero]);
    }
  }
}
