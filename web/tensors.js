// A network as named tensors, and what is said of it in a file: what safetensors.js and onnx.js have in common.

/** @typedef {import('./types.js').Config} Config */

/** Changes when a member of a file's metadata changes its meaning. */
export const SCHEMA = 'mnist-browser-lab weights 1';

/**
 * A tensor of a network, and where its numbers stand in the canonical order (layer 0's weight [out][in], its bias,
 * layer 1's weight, …).
 * @typedef {object} Tensor
 * @property {string} name     layer_0.weight, layer_0.bias, …
 * @property {number[]} shape  [out, in] or [out]
 * @property {number} first
 * @property {number} n
 */

/**
 * What a file of weights says of them.
 * @typedef {object} About
 * @property {Config} config                what they were trained with
 * @property {'selected'|'final'} checkpoint
 * @property {number} epoch                 after which the weights were so; 1-based
 * @property {string} build                 of the engine that trained them
 * @property {string} numerics              of that engine
 * @property {'seed'|'weights'} startedFrom
 * @property {string} weightsSHA256         of all numbers in the canonical order, as little-endian float32
 * @property {string} initializationSHA256  the same, before the first minibatch
 * @property {string} orderHash
 * @property {string} gateDrawHash
 * @property {string} trainSHA256
 * @property {string} validationSHA256
 */

/**
 * @param {number[]} widths   7
 * @returns {Tensor[]} in the canonical order
 */
export function tensorsOf(widths) {
  /** @type {Tensor[]} */
  const tensors = [];
  let first = 0;
  /** @param {string} name @param {number[]} shape */
  const add = (name, shape) => {
    const n = shape.reduce((product, size) => product * size, 1);
    tensors.push({ name, shape, first, n });
    first += n;
  };
  widths.slice(1).forEach((nOut, layer) => {
    add(`layer_${layer}.weight`, [nOut, Number(widths[layer])]);
    add(`layer_${layer}.bias`, [nOut]);
  });
  return tensors;
}

/**
 * An About as the map from strings to strings that both formats carry.
 * @param {About} about
 * @returns {Record<string, string>}
 */
export function metadataOf({ config, epoch, ...texts }) {
  return {
    schema: SCHEMA,
    widths: JSON.stringify(config.widths),
    config: JSON.stringify(config),
    epoch: String(epoch),
    ...texts,
  };
}

/**
 * The bytes of some numbers, without a copy. Typed arrays have the machine's order of bytes, which is little-endian
 * wherever WebAssembly runs in a browser; both formats want just that.
 * @param {Float32Array|Float64Array} values
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function bytesOf({ buffer, byteOffset, byteLength }) {
  return new Uint8Array(/** @type {ArrayBuffer} */ (buffer), byteOffset, byteLength);
}
