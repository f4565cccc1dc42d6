// How well the shown run does on the test images: one figure, then digit by digit.

import { el } from './dom.js';
import { count, percent } from './format.js';
import { isUnderWay, shownRun } from '../state.js';

/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../state.js').RunRecord} RunRecord */
/** @typedef {import('../types.js').Endpoint} Endpoint */

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 */
export function mountOutcome(container, store) {
  const body = el('div', { class: 'outcome' });
  container.append(body);
  store.watch(shownRun, (run) => {
    body.replaceChildren(...(run === null ? [] : content(run)));
  });
}

/** @param {RunRecord} run @returns {HTMLElement[]} */
function content(run) {
  const endpoints = run.result?.endpoints;
  if (endpoints) {
    return [headline(endpoints.selected), bars(endpoints.selected)];
  }
  const words = isUnderWay(run.status)
    ? 'Accuracy on the test images appears here. They are fetched only after training has ended and the best epoch is chosen.'
    : 'This run did not end, so it was not tested.';
  return [el('p', { class: 'empty' }, words)];
}

/** @param {Endpoint} endpoint */
function headline(endpoint) {
  return el(
    'p',
    { class: 'figure-big' },
    el('span', { class: 'figure-big__value', id: 'test-accuracy' }, percent(endpoint.accuracy)),
    el('span', { class: 'soft' },
      `of ${count(endpoint.n)} test images read right; ${count(endpoint.errors)} wrong. Weights of epoch ${endpoint.epoch}.`),
  );
}

/** @param {Endpoint} endpoint */
function bars({ perClass }) {
  const list = el('ul', { class: 'bars', role: 'list', id: 'per-digit', 'aria-label': 'Accuracy digit by digit' });
  for (const { digit, accuracy, n, correct } of perClass) {
    const fill = el('div', { class: 'bars__fill' });
    fill.style.width = percent(accuracy, 2);
    list.append(el(
      'li',
      { class: 'bars__row', title: `${correct} of ${n}` },
      el('span', { class: 'bars__name' }, digit),
      el('div', { class: 'bars__track', 'aria-hidden': true }, fill),
      el('span', { class: 'number' }, percent(accuracy)),
    ));
  }
  return list;
}
