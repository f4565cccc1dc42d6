// Says that Train goes on from weights that are there already, and takes it back.

import { byId, el, smallButton } from './dom.js';
import { runName } from './format.js';
import { epochOf, runById } from '../state.js';

/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../state.js').LabState} LabState */

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 */
export function mountContinuation(container, store, lab) {
  if (container.childElementCount > 0) {
    return; // it is there since the first time
  }
  const words = el('p', { id: 'continuation-words' });
  const back = smallButton('start-from-seed', 'Start from the seed instead');
  back.addEventListener('click', () => {
    byId('train').focus();
    void lab.attempt(() => lab.startFrom(null));
  });
  container.append(el('div', { class: 'notice notice--plain' },
    el('p', { class: 'notice__title' }, 'Training goes on from weights that you have'),
    words,
    el('div', { class: 'button-row' }, back)));
  store.watch((state) => state.start, (start, state) => {
    const run = start === null ? null : runById(state, start.run);
    const result = run?.result ?? null;
    container.hidden = result === null;
    if (start !== null && run !== null && result !== null) {
      words.textContent = `Those of “${runName(run)}”, epoch ${epochOf(result, start.checkpoint)}. `
        + 'Settings can be changed, but for the widths; momentum starts at zero, and images and gates are drawn by the '
        + 'seed as ever.';
    }
  });
}
