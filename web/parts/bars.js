// Ten probabilities as bars, of one network or of several beside each other.

import { el } from './dom.js';
import { percent } from './format.js';

/**
 * @typedef {object} Bars
 * @property {string} id
 * @property {Float32Array[]} series   ten probabilities each
 * @property {number|null} truth       the digit that it is, where that is known
 */

/** @param {Bars} bars @returns {HTMLElement} */
export function probabilityBars({ id, series, truth }) {
  const list = el('ul', { class: 'bars', role: 'list', id, 'aria-label': 'Probability of each digit' });
  for (let digit = 0; digit < 10; digit++) {
    const tracks = series.map((probabilities, i) => track(probabilities[digit], i));
    const figures = series.map((probabilities, i) =>
      el('span', i === 0 ? {} : { class: 'soft' }, `${i === 0 ? '' : ' / '}${percent(probabilities[digit])}`));
    list.append(el(
      'li',
      { class: 'bars__row' },
      el('span', { class: digit === truth ? 'right bars__name bars__name--true' : 'bars__name' }, digit),
      el('div', { class: 'bars__pair', 'aria-hidden': true }, ...tracks),
      el('span', { class: 'number' }, ...figures),
    ));
  }
  return list;
}

/** @param {number} share @param {number} i   of the network */
function track(share, i) {
  const fill = el('div', { class: i === 0 ? 'bars__fill' : 'bars__fill bars__fill--baseline' });
  fill.style.width = percent(share, 2);
  return el('div', { class: 'bars__track' }, fill);
}

/** @param {Float32Array} probabilities @returns {number} the likeliest digit, the lowest on a tie */
export function likeliest(probabilities) {
  return probabilities.reduce((best, share, digit) => (share > probabilities[best] ? digit : best), 0);
}
