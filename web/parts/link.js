// The address follows the settings; an address that asks for a start is asked about first.

import { el } from './dom.js';
import { writeLink } from '../link.js';

/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../state.js').LabState} LabState */

/**
 * @param {HTMLElement} container   shows the question
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 */
export function mountLink(container, store, lab) {
  let isFirst = true;
  // Settings that C refuses do not get into the address.
  store.watch((state) => state.planned, (planned, { config, isTouched, plan }) => {
    if (isTouched && planned.length > 0) {
      history.replaceState(null, '', `#${writeLink(config, plan)}`);
    }
  });
  // An answer about earlier settings may have rewritten the address meanwhile: the event knows which one was followed.
  addEventListener('hashchange', ({ newURL }) => void lab.attempt(() => lab.openLink(new URL(newURL).hash)));
  store.watch((state) => state.question, (question) => {
    container.hidden = !question;
    if (question) {
      container.replaceChildren(ask());
      if (!isFirst) {
        container.scrollIntoView({ block: 'nearest' });
      }
      isFirst = false;
    }
  });

  function ask() {
    const start = el('button', { type: 'button', class: 'button button--primary', id: 'link-start' }, 'Train');
    const leave = el('button', { type: 'button', class: 'button', id: 'link-leave' }, 'Not now');
    start.addEventListener('click', () => {
      lab.answerLink();
      void lab.train();
    });
    leave.addEventListener('click', () => lab.answerLink());
    return el(
      'div',
      { class: 'notice notice--plain' },
      el('p', { class: 'notice__title' }, 'This link brings an experiment. Train it now?'),
      el('p', {}, 'Its settings stand in the controls; nothing has been fetched yet.'),
      el('div', { class: 'button-row' }, start, leave),
    );
  }
}
