// Branches taken out at inference: the same weights, tested without some of their branches. The run's own figures stay.

import { el } from './dom.js';
import { branches, loss, percent } from './format.js';

/** @typedef {import('./inspect.js').Subject} Subject */
/** @typedef {import('./inspect.js').View} View */
/** @typedef {import('../types.js').Evaluation} Evaluation */
/** @typedef {import('../lab.js').Lab} Lab */

const ALL = 15;
const N_BRANCHES = 4;

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<View>} view
 * @param {Lab} lab
 */
export function mountRemoval(container, view, lab) {
  const inputs = Array.from({ length: N_BRANCHES }, (_, i) => el('input', { type: 'checkbox', value: i }));
  const body = el('tbody', { id: 'removal-rows' });
  const columns = ['Active', 'Accuracy', 'Loss', ...Array.from({ length: 10 }, (_, digit) => String(digit))];
  container.append(
    el('h2', {}, 'Without some branches'),
    el('p', { class: 'small soft' }, 'Choose the branches that take part; the network is tested again with those alone. '
      + 'Columns 0 to 9: accuracy digit by digit.'),
    el(
      'fieldset',
      { class: 'field', id: 'removal-branches' },
      el('legend', {}, 'Active branches'),
      el('div', { class: 'chips' },
        ...inputs.map((input, i) => el('label', { class: 'chip' }, input, el('span', {}, i + 1)))),
    ),
    el('div', { class: 'scroller', tabindex: 0, role: 'region', 'aria-label': 'Results without some branches' }, el(
      'table',
      { class: 'small' },
      el('thead', {}, el('tr', {}, ...columns.map((name, i) =>
        el('th', { scope: 'col', class: i === 0 ? '' : 'number' }, name)))),
      body,
    )),
  );
  /** Results by mask, of the subject that is shown. @type {Map<number, Evaluation>} */
  let results = new Map();
  let latest = new AbortController();

  for (const input of inputs) {
    input.addEventListener('change', () => void lab.attempt(evaluate));
  }
  // Whose weights they are: the subject is another one too when a baseline comes to it.
  const keyOf = (/** @type {View['subject']} */ subject) => (subject === null ? '' : `${subject.run.id} ${subject.checkpoint}`);
  view.watch((state) => keyOf(state.subject), (_, { subject }) => {
    latest.abort();
    results = new Map(subject === null ? [] : [[ALL, subject.endpoint]]);
    for (const input of inputs) {
      input.checked = true;
    }
    draw();
  });

  async function evaluate() {
    const { subject } = view.state;
    const mask = inputs.reduce((sum, input, i) => sum | (input.checked ? 1 << i : 0), 0);
    latest.abort();
    if (subject === null || results.has(mask)) {
      draw(mask);
      return;
    }
    latest = new AbortController();
    const { signal } = latest;
    const network = await lab.inspector.network(subject.run, subject.checkpoint);
    try {
      const evaluation = await network.evaluate({ split: subject.endpoint.split, mask, signal });
      if (keyOf(view.state.subject) === keyOf(subject)) {
        results.set(mask, evaluation);
        draw(mask);
      }
    } catch (error) {
      if (!signal.aborted) {
        throw error;
      }
    }
  }

  /** @param {number} [current]   the mask that was asked for last */
  function draw(current = ALL) {
    body.replaceChildren(...[...results].map(([mask, evaluation]) => el(
      'tr',
      { 'aria-current': mask === current ? 'true' : null, 'data-mask': mask },
      el('th', { scope: 'row' }, branches(mask)),
      el('td', { class: 'number' }, percent(evaluation.accuracy, 2)),
      el('td', { class: 'number' }, loss(evaluation.ce)),
      ...evaluation.perClass.map(({ accuracy }) => el('td', { class: 'number' }, percent(accuracy))),
    )));
  }
}
