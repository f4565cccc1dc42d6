// A 28 × 28 picture on a canvas, as MNIST has it: 0 black, 255 white. The style sheet makes ink of it.

import { el } from './dom.js';

const SIDE = 28;
const N_PIXELS = SIDE * SIDE;

/**
 * @param {HTMLCanvasElement} canvas   28 × 28
 * @param {ArrayLike<number>} pixels   784, row-major
 */
export function drawDigit(canvas, pixels) {
  const context = canvas.getContext('2d');
  if (context === null) {
    return;
  }
  const picture = context.createImageData(SIDE, SIDE);
  for (let i = 0; i < N_PIXELS; i++) {
    picture.data[4 * i] = pixels[i];
    picture.data[4 * i + 1] = pixels[i];
    picture.data[4 * i + 2] = pixels[i];
    picture.data[4 * i + 3] = 255;
  }
  context.putImageData(picture, 0, 0);
}

/**
 * @param {ArrayLike<number>} pixels
 * @param {string} label   what a screen reader says
 * @returns {HTMLCanvasElement}
 */
export function digitCanvas(pixels, label) {
  const canvas = el('canvas', { width: SIDE, height: SIDE, role: 'img', 'aria-label': label });
  drawDigit(canvas, pixels);
  return canvas;
}
