// Checks, each with what was expected and what was found.

import { el } from './dom.js';
import { countOf } from './format.js';

/** @typedef {import('../types.js').Check} Check */

const MARKS = { passed: '✓', failed: '✗', 'not needed': '–', 'not made': '–' };

/** @param {Check[]} checks */
export function checkTable(checks) {
  const names = ['', 'Check', 'Found'];
  const hasFailed = checks.some(({ state }) => state === 'failed');
  if (hasFailed) {
    names.push('Expected');
  }
  const rows = checks.map(({ name, state, expected, found }) => el(
    'tr',
    {},
    el('td', { class: state === 'passed' ? 'right' : state === 'failed' ? 'wrong' : 'soft', title: state }, MARKS[state],
      el('span', { class: 'visually-hidden' }, ` ${state}`)),
    el('td', {}, name),
    el('td', { class: 'mono checks__value' }, found || state),
    hasFailed && el('td', { class: 'mono checks__value soft' }, state === 'failed' ? expected : ''),
  ));
  const head = names.map((name) => el('th', { scope: 'col' }, name));
  return el('div', { class: 'scroller' }, el(
    'table',
    { class: 'small checks' },
    el('thead', {}, el('tr', {}, ...head)),
    el('tbody', {}, ...rows),
  ));
}

/** @param {Check[]} checks @returns {string} */
export function verdict(checks) {
  const nFailed = checks.filter(({ state }) => state === 'failed').length;
  const nPassed = checks.filter(({ state }) => state === 'passed').length;
  if (nFailed > 0) {
    return `${nFailed} of ${countOf(nFailed + nPassed, 'check')} failed`;
  }
  return nPassed === 1 ? 'its check passed' : `all ${nPassed} checks passed`;
}
