// Networks as .onnx files, for ONNX Runtime and its like: the graph, the weights, and what is said of them. Full
// depth, opset 13. https://onnx.ai/onnx/repo-docs/IR.html has the format, FORMATS.md what the lab's files hold.

/** @typedef {import('./tensors.js').About} About */
/** @typedef {import('./types.js').Weights} Weights */

/**
 * A network as a model: `pixels` (N, 784) uint8 in, `logits` (N, 10) float32 out.
 * @param {Weights} weights
 * @param {About} about
 * @returns {Uint8Array<ArrayBuffer>[]} the file in pieces
 */
export function writeOnnx(weights, about) {
  void weights;
  void about;
  throw new Error('not written yet');
}
