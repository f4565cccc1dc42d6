// The first few test images that the shown run reads wrong.

import { digitCanvas } from './digit.js';
import { el, smallButton } from './dom.js';
import { count } from './format.js';
import { pixelsOf, wrongOf } from '../inspector.js';
import { shownRun } from '../state.js';

/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../types.js').Endpoint} Endpoint */
/** @typedef {import('../lab.js').Lab} Lab */

const N_SHOWN = 12;

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 */
export function mountMistakes(container, store, lab) {
  const tiles = el('ol', { class: 'tiles', role: 'list', id: 'mistakes-tiles' });
  const all = smallButton('see-mistakes', '');
  const head = el('div', { class: 'card__head' }, el('h2', { id: 'mistakes-title' }, 'Its mistakes'), all);
  container.append(head, tiles);
  all.addEventListener('click', () => {
    const run = shownRun(store.state);
    if (run !== null) {
      lab.inspect(run.id);
    }
  });

  const selected = (/** @type {LabState} */ state) => shownRun(state)?.result?.endpoints?.selected ?? null;
  store.watch(selected, (endpoint) => {
    tiles.replaceChildren();
    container.hidden = endpoint === null || endpoint.errors === 0;
    if (endpoint !== null && endpoint.errors > 0) {
      all.textContent = endpoint.errors === 1 ? 'Look at it' : `Look at all ${count(endpoint.errors)}`;
      lab.attempt(() => show(endpoint));
    }
  });

  /** @param {Endpoint} endpoint */
  async function show(endpoint) {
    const images = await lab.inspector.images(endpoint.split);
    if (selected(store.state) === endpoint) {
      tiles.replaceChildren(...wrongOf(endpoint, images).slice(0, N_SHOWN).map((index) => {
        const [truth, guess] = [images.labels[index], endpoint.predictions[index]];
        return el(
          'li',
          { class: 'tile' },
          el('div', { class: 'digit' }, digitCanvas(pixelsOf(images, index), `A ${truth}, read as ${guess}`)),
          el('p', { class: 'tile__words', 'aria-hidden': true }, `${truth} → `, el('strong', { class: 'wrong' }, guess)),
        );
      }));
    }
  }
}
