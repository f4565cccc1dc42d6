// The confusion matrix: a row for each digit, a column for each reading. A cell opens its images.

import { el } from './dom.js';

/** @typedef {import('./inspect.js').View} View */

const DIGITS = Array.from({ length: 10 }, (_, digit) => digit);

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<View>} view
 */
export function mountConfusion(container, view) {
  const body = el('tbody');
  const table = el(
    'table',
    { class: 'confusion' },
    el('caption', { class: 'visually-hidden' }, 'Rows: the true digit. Columns: what it was read as.'),
    el('thead', {}, el('tr', {}, el('td', {}), ...DIGITS.map((digit) => el('th', { scope: 'col' }, digit)))),
    body,
  );
  container.append(
    el('h2', {}, 'Confusion matrix'),
    el('p', { class: 'small soft' }, 'Row: the true digit. Column: what it was read as. A cell shows its images above.'),
    table,
  );
  view.watch((state) => state.subject, (subject) => {
    if (subject !== null) {
      body.replaceChildren(...rows(subject.endpoint.confusion));
    }
  });

  /** @param {number[][]} confusion */
  function rows(confusion) {
    const most = Math.max(1, ...confusion.flatMap((row, truth) => row.filter((_, guess) => guess !== truth)));
    return confusion.map((row, truth) => el(
      'tr',
      {},
      el('th', { scope: 'row' }, truth),
      ...row.map((n, guess) => el('td', {}, cell(n, truth, guess, n / most))),
    ));
  }

  /** @param {number} n @param {number} truth @param {number} guess @param {number} share */
  function cell(n, truth, guess, share) {
    const isRight = truth === guess;
    const button = el('button', {
      type: 'button',
      class: isRight ? 'confusion__cell confusion__cell--right' : 'confusion__cell',
      disabled: n === 0,
      'aria-label': isRight ? `${n} times ${truth} read right` : `${n} times ${truth} read as ${guess}`,
      'data-cell': `${truth}-${guess}`,
      onclick: () => view.update({ truth, guess, outcome: 'all', page: 0, focus: null }),
    }, n === 0 ? '' : n);
    button.style.setProperty('--share', isRight ? '100%' : `${Math.round(100 * share)}%`);
    return button;
  }
}
