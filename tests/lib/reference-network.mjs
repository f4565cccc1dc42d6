// The residual network once more, in plain double-precision JavaScript as PROTOCOL's text describes it: slow, short,
// and independent of the C code.

/**
 * @typedef {object} Layer
 * @property {number} nIn
 * @property {number} nOut
 * @property {Float64Array} weight           (nOut, nIn)
 * @property {Float64Array} bias             (nOut)
 * @property {Float64Array} weightVelocity
 * @property {Float64Array} biasVelocity
 */

const MOMENTUM = 0.9;

/**
 * @param {number[]} widths
 * @param {Float32Array} values  layer 0's weight, layer 0's bias, layer 1's weight, …
 * @returns {Layer[]}
 */
export function layersOf(widths, values) {
  let at = 0;
  /** @param {number} n */
  const take = (n) => Float64Array.from(values.subarray(at, (at += n)));
  return widths.slice(1).map((nOut, layer) => {
    const nIn = widths[layer];
    return {
      nIn,
      nOut,
      weight: take(nIn * nOut),
      bias: take(nOut),
      weightVelocity: new Float64Array(nIn * nOut),
      biasVelocity: new Float64Array(nOut),
    };
  });
}

/**
 * @param {Layer} layer
 * @param {Float64Array} x
 */
function affine({ nIn, nOut, weight, bias }, x) {
  const y = Float64Array.from(bias);
  for (let o = 0; o < nOut; o++) {
    for (let i = 0; i < nIn; i++) {
      y[o] += weight[o * nIn + i] * x[i];
    }
  }
  return y;
}

/** @param {Float64Array} z */
function softmax(z) {
  const largest = Math.max(...z);
  const e = z.map((value) => Math.exp(value - largest));
  const sum = e.reduce((a, b) => a + b);
  return e.map((value) => value / sum);
}

/**
 * One image forward: what every layer got, and the probabilities. gains[j] of branch j; null: it is bypassed.
 * @param {Layer[]} layers
 * @param {Uint8Array} pixels  (784)
 * @param {(number|null)[]} gains
 */
export function forward(layers, pixels, gains) {
  const inputs = [Float64Array.from(pixels, (pixel) => pixel / 255)];
  inputs.push(affine(layers[0], inputs[0]).map((z) => Math.max(z, 0)));
  gains.forEach((gain, j) => {
    const h = inputs[j + 1];
    const layer = layers[j + 1];
    const y = gain === null ? null : affine(layer, h);
    const z = h.slice(0, layer.nOut).map((bypass, o) => bypass + (y === null ? 0 : Number(gain) * y[o]));
    inputs.push(z.map((value) => Math.max(value, 0)));
  });
  return { inputs, probabilities: softmax(affine(layers[5], inputs[5])) };
}

/**
 * @param {Layer} layer
 * @param {Float64Array} x
 * @param {Float64Array} dy
 * @param {{weight: Float64Array, bias: Float64Array}} gradient  added to
 * @returns {Float64Array} dx
 */
function backward({ nIn, nOut, weight }, x, dy, gradient) {
  const dx = new Float64Array(nIn);
  for (let o = 0; o < nOut; o++) {
    gradient.bias[o] += dy[o];
    for (let i = 0; i < nIn; i++) {
      gradient.weight[o * nIn + i] += dy[o] * x[i];
      dx[i] += dy[o] * weight[o * nIn + i];
    }
  }
  return dx;
}

/**
 * One image backward.
 * @param {Layer[]} layers
 * @param {ReturnType<typeof forward>} pass
 * @param {number} label
 * @param {number} scale      1 / images of the minibatch
 * @param {(number|null)[]} gains
 * @param {{weight: Float64Array, bias: Float64Array}[]} gradients  added to
 */
function accumulate(layers, { inputs, probabilities }, label, scale, gains, gradients) {
  const dLogits = probabilities.map((p, c) => (p - (c === label ? 1 : 0)) * scale);
  let dh = backward(layers[5], inputs[5], dLogits, gradients[5]);
  for (let j = 3; j >= 0; j--) {
    const gain = gains[j];
    const dz = dh.map((d, o) => (inputs[j + 2][o] > 0 ? d : 0));
    const dy = gain === null ? null : dz.map((d) => d * gain);
    dh = dy === null ? new Float64Array(layers[j + 1].nIn) : backward(layers[j + 1], inputs[j + 1], dy, gradients[j + 1]);
    for (let o = 0; o < dz.length; o++) {
      dh[o] += dz[o];
    }
  }
  const dz = dh.map((d, o) => (inputs[1][o] > 0 ? d : 0));
  backward(layers[0], inputs[0], dz, gradients[0]);
}

/**
 * @param {Float64Array} values
 * @param {Float64Array} velocities
 * @param {Float64Array} gradient
 * @param {number} lr
 */
function update(values, velocities, gradient, lr) {
  for (let i = 0; i < values.length; i++) {
    velocities[i] = MOMENTUM * velocities[i] + gradient[i];
    values[i] -= lr * velocities[i];
  }
}

/**
 * One minibatch: its mean cross-entropy before the update. Layers whose branch is bypassed keep weights and velocities.
 * @param {Layer[]} layers
 * @param {{pixels: Uint8Array, label: number}[]} images
 * @param {(number|null)[]} gains
 * @param {number} lr
 */
export function trainStep(layers, images, gains, lr) {
  const gradients = layers.map(({ weight, bias }) => ({
    weight: new Float64Array(weight.length),
    bias: new Float64Array(bias.length),
  }));
  let loss = 0;
  for (const { pixels, label } of images) {
    const pass = forward(layers, pixels, gains);
    loss -= Math.log(pass.probabilities[label]);
    accumulate(layers, pass, label, 1 / images.length, gains, gradients);
  }
  layers.forEach((layer, l) => {
    const isSkipped = l >= 1 && l <= 4 && gains[l - 1] === null;
    if (!isSkipped) {
      update(layer.weight, layer.weightVelocity, gradients[l].weight, lr);
      update(layer.bias, layer.biasVelocity, gradients[l].bias, lr);
    }
  });
  return loss / images.length;
}
