// The training images: bytes as they are stored, and floats in [0, 1], the form that the peers' users keep them in.

import { N_TRAIN } from './protocol.js';

export const N_PIXELS = 784;
const PIXELS_OFFSET_AT = 20;
const LABELS_OFFSET_AT = 24;

/** @typedef {{pixels: Float32Array, labels: Uint8Array}} Images   pixels (image, 784) row-major */

/** @returns {Promise<{pixels: Uint8Array, labels: Uint8Array}>} the first N_TRAIN of train */
export async function fetchBytes() {
  const { body } = await fetch('/lab/dataset/train.bin.gz');
  if (body === null) {
    throw new Error('train.bin.gz is empty');
  }
  const file = await new Response(body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  const header = new DataView(file);
  return {
    pixels: new Uint8Array(file, header.getUint32(PIXELS_OFFSET_AT, true), N_TRAIN * N_PIXELS),
    labels: new Uint8Array(file, header.getUint32(LABELS_OFFSET_AT, true), N_TRAIN),
  };
}

/** @returns {Promise<Images>} */
export async function fetchImages() {
  const { pixels, labels } = await fetchBytes();
  return { pixels: Float32Array.from(pixels, (pixel) => pixel / 255), labels };
}

/**
 * The minibatch as two new arrays: pixels (n, 784) and one-hot labels (n, 10).
 * @param {Images} images
 * @param {Int32Array} minibatch
 */
export function gather({ pixels, labels }, minibatch) {
  const x = new Float32Array(minibatch.length * N_PIXELS);
  const y = new Float32Array(minibatch.length * 10);
  minibatch.forEach((image, row) => {
    x.set(pixels.subarray(image * N_PIXELS, (image + 1) * N_PIXELS), row * N_PIXELS);
    y[row * 10 + labels[image]] = 1;
  });
  return { x, y };
}
