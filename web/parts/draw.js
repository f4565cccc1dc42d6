// Draw: not built yet.

import { el } from './dom.js';

/** @param {HTMLElement} container */
export function mount(container) {
  container.append(el('p', { class: 'empty' }, 'Soon.'));
}
