// The test images, a page at a time, filtered by digit and by outcome.

import { digitCanvas } from './digit.js';
import { el, smallButton } from './dom.js';
import { count, countOf } from './format.js';
import { pixelsOf } from '../inspector.js';

/** @typedef {import('./inspect.js').Outcome} Outcome */
/** @typedef {import('./inspect.js').Subject} Subject */
/** @typedef {import('./inspect.js').View} View */

const N_PAGE = 40;

/** @type {{outcome: Outcome, label: string}[]} */
const OUTCOMES = [
  { outcome: 'all', label: 'All' },
  { outcome: 'wrong', label: 'Wrong' },
  { outcome: 'harmed', label: 'Newly wrong' },
  { outcome: 'repaired', label: 'Repaired' },
];

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<View>} view
 */
export function mountGallery(container, view) {
  const digits = [digitSelect('gallery-truth', 'True digit'), digitSelect('gallery-guess', 'Read as')];
  const outcomes = OUTCOMES.map(({ outcome, label }) => {
    const input = el('input', { type: 'radio', name: 'gallery-outcome', value: outcome });
    input.addEventListener('change', () => view.update({ outcome, page: 0, focus: null }));
    return { outcome, input, chip: el('label', { class: 'chip' }, input, el('span', {}, label)) };
  });
  const tiles = el('ol', { class: 'tiles', role: 'list', id: 'gallery-tiles', 'aria-label': 'Test images' });
  const none = el('p', { class: 'empty', hidden: true }, 'No image is like that.');
  const position = el('span', { class: 'soft', id: 'gallery-position' });
  const previous = smallButton('gallery-previous', 'Previous');
  const next = smallButton('gallery-next', 'Next');
  container.append(
    el('h2', {}, 'Test images'),
    el(
      'div',
      { class: 'gallery__filters' },
      el('fieldset', { class: 'field' }, el('legend', {}, 'Outcome'),
        el('div', { class: 'chips chips--many' }, ...outcomes.map(({ chip }) => chip))),
      ...digits.map(({ field }) => field),
    ),
    tiles,
    none,
    el('div', { class: 'button-row' }, previous, next, position),
  );
  const [truthSelect, guessSelect] = digits.map(({ select }) => select);
  truthSelect.addEventListener('change', () => view.update({ truth: chosen(truthSelect), page: 0, focus: null }));
  guessSelect.addEventListener('change', () => view.update({ guess: chosen(guessSelect), page: 0, focus: null }));
  previous.addEventListener('click', () => view.update({ page: view.state.page - 1 }));
  next.addEventListener('click', () => view.update({ page: view.state.page + 1 }));
  tiles.addEventListener('keydown', moveFocus);

  for (const part of /** @type {const} */ (['subject', 'truth', 'guess', 'outcome', 'page'])) {
    view.watch((state) => state[part], draw);
  }
  view.watch((state) => state.focus, (focus) => {
    for (const button of tiles.querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(Number(button.dataset.index) === focus));
    }
  });

  function draw() {
    const { subject, truth, guess, outcome, page, focus } = view.state;
    if (subject === null) {
      return;
    }
    truthSelect.value = String(truth ?? '');
    guessSelect.value = String(guess ?? '');
    for (const { outcome: candidate, input } of outcomes) {
      input.checked = candidate === outcome;
      input.disabled = subject.comparison === null && (candidate === 'harmed' || candidate === 'repaired');
    }
    const indices = matching(subject, view.state);
    const nPages = Math.max(1, Math.ceil(indices.length / N_PAGE));
    if (page >= nPages) {
      view.update({ page: nPages - 1 }); // another checkpoint may have fewer such images
      return;
    }
    const shown = indices.slice(page * N_PAGE, (page + 1) * N_PAGE);
    tiles.replaceChildren(...shown.map((index) => tile(subject, index, focus === index)));
    none.hidden = indices.length > 0;
    position.textContent = `Page ${count(page + 1)} of ${count(nPages)}, ${countOf(indices.length, 'image')}`;
    previous.disabled = page === 0;
    next.disabled = page + 1 >= nPages;
    if (focus === null && shown.length > 0) {
      view.update({ focus: shown[0] });
    }
  }

  /** @param {Subject} subject @param {number} index @param {boolean} isFocused */
  function tile({ endpoint, images }, index, isFocused) {
    const [truth, guess] = [images.labels[index], endpoint.predictions[index]];
    const words = truth === guess ? `A ${truth}, read right` : `A ${truth}, read as ${guess}`;
    return el(
      'li',
      {},
      el(
        'button',
        {
          type: 'button', class: 'tile', 'aria-label': words, 'aria-pressed': String(isFocused), 'data-index': index,
          onclick: () => view.update({ focus: index }),
        },
        el('span', { class: 'digit' }, digitCanvas(pixelsOf(images, index), '')),
        el('span', { class: 'tile__words' }, truth === guess ? String(truth) : `${truth} → `,
          truth !== guess && el('strong', { class: 'wrong' }, guess)),
      ),
    );
  }
}

/** @param {Subject} subject @param {View} view @returns {number[]} */
function matching({ comparison, endpoint, images }, { truth, guess, outcome }) {
  const { predictions } = endpoint;
  const { labels } = images;
  const isIn = (/** @type {number} */ i) =>
    (truth === null || labels[i] === truth) && (guess === null || predictions[i] === guess);
  if (outcome === 'harmed' || outcome === 'repaired') {
    return [...(comparison?.[outcome] ?? [])].filter(isIn);
  }
  return Array.from(labels.keys()).filter((i) => isIn(i) && (outcome === 'all' || predictions[i] !== labels[i]));
}

/** @param {string} id @param {string} label */
function digitSelect(id, label) {
  const select = el('select', { id, class: 'field__input' }, el('option', { value: '' }, 'Any'));
  for (let digit = 0; digit < 10; digit++) {
    select.append(el('option', { value: digit }, digit));
  }
  return { select, field: el('div', { class: 'field' }, el('label', { for: id }, label), select) };
}

/** @param {HTMLSelectElement} select */
function chosen(select) {
  return select.value === '' ? null : Number(select.value);
}

/** The arrow keys go from image to image. @param {KeyboardEvent} event */
function moveFocus(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step !== undefined) {
    const buttons = [.../** @type {HTMLElement} */ (event.currentTarget).querySelectorAll('button')];
    const at = buttons.findIndex((button) => button === document.activeElement);
    buttons[at + step]?.focus();
    event.preventDefault();
  }
}
