// The twenty digits that a visitor sees first: fetched and drawn before anything else.

import { digitCanvas } from './digit.js';
import { el } from './dom.js';

/** @typedef {{label: number, original_index: number, pixels: string}} Example */

/**
 * @param {HTMLElement} list
 * @param {string} url   of preview.json
 * @returns {Promise<void>}
 */
export async function mountPreview(list, url) {
  const answer = await fetch(url);
  if (!answer.ok) {
    throw new Error(`The preview digits could not be fetched: ${url} answered ${answer.status}.`);
  }
  /** @type {{examples: Example[]}} */
  const preview = await answer.json();
  list.replaceChildren(...preview.examples.map(tile));
}

/** @param {Example} example */
function tile({ label, original_index: originalIndex, pixels }) {
  const bytes = Uint8Array.from(atob(pixels), (character) => character.charCodeAt(0));
  const title = `Digit ${label}, image ${originalIndex} of MNIST's training set`;
  return el('li', { class: 'digit', title }, digitCanvas(bytes, `Handwritten ${label}`));
}
