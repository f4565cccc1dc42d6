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
    ? 'Accuracy on the test images appears here. They are fetched once training has ended and the best epoch is chosen.'
    : run.hasWeights ? 'It is trained, and its weights are kept. It can be tested when the test images can be fetched.'
      : 'This run did not end, so it was not tested.';
  return [el('p', { class: 'empty' }, words)];
}

/** @param {Endpoint} endpoint */
function headline(endpoint) {
  return el(
    'p',
    { class: 'figure-big' },
    el('span', { class: 'figure-big__value', id: 'test-accuracy' }, percent(endpoint.accuracy)),
    el('span', { class: 'soft' }, `of ${count(endpoint.n)} test images read right, ${count(endpoint.errors)} wrong, `
      + `with the weights of epoch ${endpoint.epoch}`),
  );
}

/**
 * A bar shows what is wrong: bars of what is right would all look alike.
 * @param {Endpoint} endpoint
 */
function bars({ perClass }) {
  const most = Math.max(1, ...perClass.map(({ n, correct }) => n - correct));
  const rows = perClass.map(({ digit, accuracy, n, correct }) => {
    const fill = el('div', { class: 'bars__fill bars__fill--wrong' });
    fill.style.width = percent((n - correct) / most, 2);
    return el(
      'li',
      { class: 'bars__row' },
      el('span', { class: 'bars__name' }, digit),
      el('div', { class: 'bars__track', 'aria-hidden': true }, fill),
      el('span', { class: 'number' }, `${n - correct} wrong`),
      el('span', { class: 'number soft' }, percent(accuracy)),
    );
  });
  return el(
    'ul',
    { class: 'bars bars--two', role: 'list', id: 'per-digit', 'aria-label': 'Mistakes and accuracy, digit by digit' },
    ...rows,
  );
}
