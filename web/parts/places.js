// The five places: one is to be seen, the others keep their state. Train is mounted by app.js, for it is the first view;
// the modules of the others are fetched when one of them is opened first.

import { byId } from './dom.js';
import { later } from '../part.js';

/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../state.js').Place} Place */
/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../state.js').Store<LabState>} LabStore */

/**
 * @param {LabStore} store
 * @param {Lab} lab
 */
export function mountPlaces(store, lab) {
  const buttons = [...document.querySelectorAll('[data-place]')].map((button) => /** @type {HTMLElement} */ (button));
  /** @type {Set<Place>} */
  const mounted = new Set();

  for (const button of buttons) {
    button.addEventListener('click', () => lab.goTo(/** @type {Place} */ (button.dataset.place)));
  }
  store.watch((state) => state.place, (place) => {
    for (const button of buttons) {
      const isHere = button.dataset.place === place;
      button.toggleAttribute('aria-current', isHere);
      if (isHere) {
        button.setAttribute('aria-current', 'page');
      }
      byId(`place-${button.dataset.place}`).hidden = !isHere;
    }
    scrollTo({ top: 0, behavior: 'instant' });
    if (place !== 'train' && !mounted.has(place)) {
      mounted.add(place);
      void later().then((places) => places[place].mount(byId(`place-${place}`), store, lab));
    }
  });
  // Not by the address, which is that of the settings.
  byId('skip').addEventListener('click', (event) => {
    event.preventDefault();
    byId('main').focus();
  });
}
