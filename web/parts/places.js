// The five places: one is to be seen, the others keep their state. A place's module is fetched at its first visit.

import { byId } from './dom.js';

/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../state.js').Place} Place */
/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../state.js').Store<LabState>} LabStore */
/** @typedef {{mount: (container: HTMLElement, store: LabStore, lab: Lab) => void}} PlaceModule */

/** @type {Record<Place, (() => Promise<PlaceModule>)|null>} */
const MODULES = {
  train: null, // mounted by app.js: it is the first view
  compare: () => import('./compare.js'),
  inspect: () => import('./inspect.js'),
  draw: () => import('./draw.js'),
  data: () => import('./data.js'),
};

/**
 * @param {LabStore} store
 * @param {Lab} lab
 */
export function mountPlaces(store, lab) {
  const buttons = [...document.querySelectorAll('[data-place]')].map((button) => /** @type {HTMLElement} */ (button));
  const mounted = new Set(['train']);

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
    if (!mounted.has(place)) {
      mounted.add(place);
      void MODULES[place]?.().then((module) => module.mount(byId(`place-${place}`), store, lab));
    }
  });
}
