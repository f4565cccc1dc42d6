// Networks as .onnx files, for ONNX Runtime and its like: the graph at full depth, the weights, and what is said of
// them. The numbers of fields and types are those of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto; FORMATS.md
// has the graph.

import { Message } from './protobuf.js';
import { bytesOf, metadataOf, tensorsOf } from './tensors.js';

/** @typedef {import('./tensors.js').About} About */
/** @typedef {import('./types.js').Weights} Weights */

const IR_VERSION = 7; // the one that came with opset 13
const OPSET = 13;

const FLOAT = 1;
const UINT8 = 2;
const INT64 = 7;
const DOUBLE = 11;
const ATTRIBUTE_INT = 2;

const N_BRANCHES = 4;

/**
 * A network as a model: `pixels` (N, 784) uint8 in, `logits` (N, 10) float32 out.
 * @param {Weights} weights
 * @param {About} about
 * @returns {Uint8Array<ArrayBuffer>[]} the file, in pieces; the weights' own memory is among them
 */
export function writeOnnx(weights, about) {
  const model = new Message()
    .integer(1, IR_VERSION)
    .text(2, 'MNIST browser lab')
    .text(6, 'A residual MLP that reads handwritten digits. Pixels: 0 black, 255 white, row by row.')
    .message(7, graph(weights))
    .message(8, new Message().text(1, '').integer(2, OPSET));
  for (const [key, value] of Object.entries(metadataOf(about))) {
    model.message(14, new Message().text(1, key).text(2, value));
  }
  return model.pieces;
}

/** @param {Weights} weights */
function graph({ widths, values }) {
  const message = new Message();
  for (const step of nodes(widths)) {
    message.message(1, step);
  }
  message.text(2, 'residual_mlp');
  for (const { name, shape, first, n } of tensorsOf(widths)) {
    message.message(5, tensor(name, shape, FLOAT, bytesOf(values.subarray(first, first + n))));
  }
  message.message(5, tensor('pixel_max', [], DOUBLE, bytesOf(Float64Array.of(255))));
  const cropped = crops(widths);
  if (cropped.length > 0) {
    message.message(5, tensor('crop_start', [1], INT64, int64(0)));
    message.message(5, tensor('crop_axis', [1], INT64, int64(1)));
  }
  for (const { layer, width } of cropped) {
    message.message(5, tensor(`layer_${layer}.width`, [1], INT64, int64(width)));
  }
  message.message(11, valueInfo('pixels', UINT8, Number(widths[0])));
  message.message(12, valueInfo('logits', FLOAT, Number(widths.at(-1))));
  return message;
}

/**
 * Branches that are narrower than what they get, so that their bypass is cropped.
 * @param {number[]} widths
 */
function crops(widths) {
  const branches = Array.from({ length: N_BRANCHES }, (_, i) => ({ layer: i + 1, width: Number(widths[i + 2]) }));
  return branches.filter(({ layer, width }) => width < Number(widths[layer]));
}

/**
 * The graph's nodes in an order in which they can be computed. It computes in double precision, so that a runtime adds no
 * rounding of its own to the lab's; the weights are stored as they are, in single.
 * @param {number[]} widths
 */
function nodes(widths) {
  const cropped = new Set(crops(widths).map(({ layer }) => layer));
  const list = [
    node('Cast', ['pixels'], 'pixels_double', { to: DOUBLE }),
    node('Div', ['pixels_double', 'pixel_max'], 'x'),
    ...affine(0, 'x', 'z_0'),
    node('Relu', ['z_0'], 'h_0'),
  ];
  for (let layer = 1; layer <= N_BRANCHES; layer++) {
    const h = `h_${layer - 1}`;
    const bypass = cropped.has(layer) ? `bypass_${layer}` : h;
    if (bypass !== h) {
      list.push(node('Slice', [h, 'crop_start', `layer_${layer}.width`, 'crop_axis'], bypass));
    }
    list.push(
      ...affine(layer, h, `y_${layer}`),
      node('Add', [bypass, `y_${layer}`], `z_${layer}`),
      node('Relu', [`z_${layer}`], `h_${layer}`),
    );
  }
  list.push(
    ...affine(N_BRANCHES + 1, `h_${N_BRANCHES}`, 'logits_double'),
    node('Cast', ['logits_double'], 'logits', { to: FLOAT }),
  );
  return list;
}

/** y = x Wᵀ + b. @param {number} layer @param {string} input @param {string} output */
function affine(layer, input, output) {
  const [weight, bias] = [`layer_${layer}.weight`, `layer_${layer}.bias`];
  return [
    node('Cast', [weight], `${weight}_double`, { to: DOUBLE }),
    node('Cast', [bias], `${bias}_double`, { to: DOUBLE }),
    node('Gemm', [input, `${weight}_double`, `${bias}_double`], output, { transB: 1 }),
  ];
}

/**
 * @param {string} type
 * @param {string[]} inputs
 * @param {string} output   gives the node its name too
 * @param {Record<string, number>} [attributes]
 */
function node(type, inputs, output, attributes = {}) {
  const message = new Message();
  for (const input of inputs) {
    message.text(1, input);
  }
  message.text(2, output).text(3, `make_${output}`).text(4, type);
  for (const [name, value] of Object.entries(attributes)) {
    message.message(5, new Message().text(1, name).integer(3, value).integer(20, ATTRIBUTE_INT));
  }
  return message;
}

/** @param {string} name @param {number[]} shape @param {number} type @param {Uint8Array<ArrayBuffer>} bytes */
function tensor(name, shape, type, bytes) {
  const message = new Message();
  for (const size of shape) {
    message.integer(1, size);
  }
  return message.integer(2, type).text(8, name).bytes(9, bytes);
}

/** (N, columns), N left open. @param {string} name @param {number} type @param {number} columns */
function valueInfo(name, type, columns) {
  const shape = new Message()
    .message(1, new Message().text(2, 'N'))
    .message(1, new Message().integer(1, columns));
  const tensorType = new Message().integer(1, type).message(2, shape);
  return new Message().text(1, name).message(2, new Message().message(1, tensorType));
}

/** @param {number} value @returns {Uint8Array<ArrayBuffer>} eight bytes, little-endian as all memory here (tensors.js) */
function int64(value) {
  return new Uint8Array(BigInt64Array.of(BigInt(value)).buffer);
}
