// jax-js with its WebAssembly backend: loss, gradients, momentum and update in one jit, as its documentation advises.
// It takes as many threads as the machine has where memory can be shared; the page without isolation gives it one.

import { gather } from '../images.js';
import { initialLayers, isBranch, LEARNING_RATE, MOMENTUM, N_LAYERS, transposedWeight } from '../protocol.js';

/** @typedef {import('../tab.js').Contestant} Contestant */
/** @typedef {import('../tab.js').Setting} Setting */

const LIBRARY = '/npm/@jax-js/jax/dist/index.js';

/** @param {Setting} setting @returns {Promise<Contestant>} */
export async function open({ widths, images, minibatches, nThreads }) {
  if (crossOriginIsolated !== nThreads > 1) {
    throw new Error('jax-js: the page must be isolated for threads, and must not be for one');
  }
  const jax = await import(LIBRARY);
  const np = jax.numpy;
  const devices = await jax.init('wasm');
  jax.defaultDevice('wasm');

  const initial = initialLayers(widths);
  // Weight and bias of layer 0, weight and bias of layer 1, …
  let parameters = initial.flatMap((layer) => [
    np.array(transposedWeight(layer)).reshape([layer.nIn, layer.nOut]),
    np.array(layer.bias),
  ]);
  let velocities = initial.flatMap(({ nIn, nOut }) => [np.zeros([nIn, nOut]), np.zeros([nOut])]);

  const step = jax.jit(stepOf(jax, widths));
  return {
    about: `jax-js, devices ${devices}`,
    async train(n) {
      let nImages = 0;
      let loss;
      for (let i = 0; i < n; i++) {
        const minibatch = minibatches.next();
        const { x, y } = gather(await images, minibatch);
        const xArray = np.array(x).reshape([minibatch.length, 784]);
        const yArray = np.array(y).reshape([minibatch.length, 10]);
        loss?.dispose();
        [loss, parameters, velocities] = step(parameters, velocities, xArray, yArray);
        await jax.blockUntilReady(parameters);
        nImages += minibatch.length;
      }
      const [value] = await loss.data();
      return { nImages, loss: value };
    },
  };
}

/**
 * An array is given up by the operation that reads it, unless that is told to take a reference (.ref).
 * @param {any} jax
 * @param {number[]} widths
 */
function stepOf({ numpy: np, nn, valueAndGrad }, widths) {
  /** @param {any[]} parameters @param {any} x */
  const forward = (parameters, x) => {
    let h = x;
    for (let l = 0; l < N_LAYERS; l++) {
      const bypass = isBranch(l) ? h.ref.slice([], [0, widths[l + 1]]) : null;
      let z = np.matmul(h, parameters[2 * l]).add(parameters[2 * l + 1]);
      if (bypass !== null) {
        z = z.add(bypass);
      }
      h = l < N_LAYERS - 1 ? nn.relu(z) : z;
    }
    return h;
  };
  /** @param {any[]} parameters @param {any} x @param {any} y */
  const lossOf = (parameters, x, y) =>
    np.sum(nn.logSoftmax(forward(parameters, x)).mul(y)).mul(-1).div(y.shape[0]);

  /** @param {any[]} parameters @param {any[]} velocities @param {any} x @param {any} y */
  return (parameters, velocities, x, y) => {
    const references = parameters.map((each) => each.ref);
    const [loss, gradients] = valueAndGrad(lossOf)(references, x, y);
    const newVelocities = velocities.map((velocity, i) => velocity.mul(MOMENTUM).add(gradients[i]));
    const newParameters = parameters.map((each, i) => each.sub(newVelocities[i].ref.mul(LEARNING_RATE)));
    return [loss, newParameters, newVelocities];
  };
}
