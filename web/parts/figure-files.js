// A figure as a file: SVG as it is, or PNG.

import { el } from './dom.js';
import { style } from './theme.js';

const PNG_SCALE = 2;

/** @param {SVGElement} picture   with all its looks in its attributes */
export function svgFileOf(picture) {
  picture.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  picture.style.background = style('--surface');
  return new Blob([new XMLSerializer().serializeToString(picture)], { type: 'image/svg+xml' });
}

/** @param {SVGElement} picture @returns {Promise<Blob>} */
export async function pngOf(picture) {
  const url = URL.createObjectURL(svgFileOf(picture));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = el('canvas', {
      width: PNG_SCALE * Number(picture.getAttribute('width')), height: PNG_SCALE * Number(picture.getAttribute('height')),
    });
    const context = canvas.getContext('2d');
    if (context !== null) {
      context.fillStyle = style('--surface');
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
    }
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob === null ? reject(new Error('The picture could not be made.')) : resolve(blob)));
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
