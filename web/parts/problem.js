// What went wrong, in plain words, with the particulars and a way on.

import { el, smallButton } from './dom.js';

/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../types.js').LabFault} LabFault */

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {() => void} retry
 */
export function mountProblem(container, store, retry) {
  let shown = '';
  store.watch((state) => state.problem, (fault) => {
    const words = JSON.stringify(fault);
    if (words === shown) {
      return; // it stands there already, and the page need not go to it again
    }
    shown = words;
    container.hidden = fault === null;
    container.replaceChildren();
    if (fault !== null) {
      container.append(notice(fault, retry));
      container.scrollIntoView({ block: 'nearest' });
    }
  });
}

/** @param {LabFault} fault @param {() => void} retry */
function notice(fault, retry) {
  const particulars = [
    ['About', fault.subject],
    ['Expected', fault.expected],
    ['Found', fault.found],
    ['At byte', fault.offset >= 0 ? String(fault.offset) : ''],
  ].filter(([, value]) => value !== '');
  return el(
    'div',
    { class: 'notice' },
    el('p', { class: 'notice__title' }, fault.message),
    particulars.length > 0 &&
      el('dl', { class: 'particulars small' }, ...particulars.flatMap(([name, value]) => [
        el('dt', {}, name),
        el('dd', { class: 'mono' }, value),
      ])),
    el(
      'div',
      { class: 'button-row' },
      smallButton('retry', 'Try again', retry),
      el('span', { class: 'small soft mono' }, fault.code),
    ),
  );
}
