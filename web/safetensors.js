// Networks as .safetensors files: eight bytes with the length of a JSON header, the header, then all numbers. See
// https://huggingface.co/docs/safetensors for the format, FORMATS.md for what the lab's files hold.

import { metadataOf, tensorsOf } from './tensors.js';

/** @typedef {import('./tensors.js').About} About */
/** @typedef {import('./types.js').Weights} Weights */

const HEADER_ALIGNMENT = 8;

/**
 * A network as a file. Its numbers stand in the canonical order, so the SHA-256 of what follows the header is
 * weightsSHA256.
 * @param {Weights} weights
 * @param {About} about
 * @returns {Uint8Array<ArrayBuffer>[]} the file in pieces; the last one is the weights' own memory
 */
export function writeSafetensors({ widths, values }, about) {
  const tensors = tensorsOf(widths).map(({ name, shape, first, n }) =>
    [name, { dtype: 'F32', shape, data_offsets: [4 * first, 4 * (first + n)] }]);
  const json = JSON.stringify({ __metadata__: metadataOf(about), ...Object.fromEntries(tensors) });
  const text = new TextEncoder().encode(json);
  const nHeader = Math.ceil(text.length / HEADER_ALIGNMENT) * HEADER_ALIGNMENT;
  const head = new Uint8Array(8 + nHeader).fill(0x20); // spaces after the JSON are part of the format
  new DataView(head.buffer).setBigUint64(0, BigInt(nHeader), true);
  head.set(text, 8);
  const { buffer, byteOffset, byteLength } = values;
  return [head, new Uint8Array(/** @type {ArrayBuffer} */ (buffer), byteOffset, byteLength)];
}

/**
 * A file back into a network. Everything but the numbers is checked here; C checks those when they are opened.
 * @param {Blob} file
 * @returns {Promise<{weights: Weights, about: About}>}
 * @throws {import('./fault.js').LabError} WRONG_WEIGHTS: which tensor or part is at fault, what was expected and found
 */
export async function readSafetensors(file) {
  void file;
  throw new Error('not written yet');
}
