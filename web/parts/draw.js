// Draw: a digit of one's own, what the network gets to see of it, and what up to two networks make of that.

import { likeliest, probabilityBars } from './bars.js';
import { newBoard } from './board.js';
import { digitCanvas, drawDigit } from './digit.js';
import { el, smallButton } from './dom.js';
import { percent, runName } from './format.js';
import { paced } from './paced.js';
import { inkToPixels } from '../ink.js';
import { runById } from '../state.js';

/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../state.js').RunRecord} RunRecord */

const PREDICT_MS = 40;
const N_PIXELS = 784;

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 */
export function mount(container, store, lab) {
  /** @type {Uint8Array|null} */
  let pixels = null;
  const seen = digitCanvas(new Uint8Array(N_PIXELS), 'What the network sees: 28 by 28 pixels');
  const selects = ['draw-first', 'draw-second'].map((id) => el('select', { id, class: 'field__input' }));
  const words = el('p', { class: 'draw__words', id: 'draw-words' });
  const bars = el('div');
  const empty = el('p', { class: 'empty' }, 'Draw a digit; what the network makes of it appears here as you draw.');
  const noRun = el('p', { class: 'empty' }, 'There is no trained network yet. Press Train first, then draw for it.');
  const predictSoon = paced(() => lab.attempt(predict), PREDICT_MS);
  const board = newBoard((strokes) => {
    pixels = inkToPixels(strokes);
    drawDigit(seen, pixels ?? new Uint8Array(N_PIXELS));
    predictSoon();
  });

  container.append(
    el('div', { class: 'place__head' }, el('h1', {}, 'Draw'), el('p', { class: 'soft' },
      'Draw a digit with mouse, finger, pen or keys. It is sized and centred as MNIST’s digits were.')),
    el(
      'div',
      { class: 'draw' },
      el('section', { class: 'card', 'aria-label': 'Board' }, board.element, el('div', { class: 'button-row' },
        smallButton('board-undo', 'Undo', board.undo),
        smallButton('board-clear', 'Clear', board.clear))),
      el(
        'section',
        { class: 'card', 'aria-label': 'Reading' },
        el('div', { class: 'draw__runs' }, ...selects.map((select, i) => el('div', { class: 'field' },
          el('label', { for: select.id }, i === 0 ? 'Network' : 'Beside it'), select))),
        el('div', { class: 'draw__reading' }, el('div', { class: 'digit draw__seen' }, seen), words),
        empty,
        noRun,
        bars,
      ),
    ),
  );

  for (const select of selects) {
    select.addEventListener('change', predictSoon);
  }
  store.watch((state) => state.runs, (runs) => {
    const usable = runs.filter((run) => run.hasWeights).toReversed();
    const [first, second] = selects.map((select) => select.value);
    selects[0].replaceChildren(...usable.map(option));
    selects[1].replaceChildren(el('option', { value: '' }, 'None'), ...usable.map(option));
    selects[0].value = usable.some(({ id }) => id === first) ? first : usable[0]?.id ?? '';
    selects[1].value = usable.some(({ id }) => id === second) ? second : '';
    noRun.hidden = usable.length > 0;
    predictSoon();
  });

  async function predict() {
    const asked = pixels;
    const runs = selects.map((select) => runById(store.state, select.value)).filter((run) => run !== null);
    empty.hidden = asked !== null || runs.length === 0;
    bars.hidden = asked === null || runs.length === 0;
    if (asked === null || runs.length === 0) {
      words.textContent = '';
      return;
    }
    const networks = await Promise.all(runs.map((run) => lab.inspector.network(run, store.state.checkpoint)));
    const series = await Promise.all(networks.map((network) => network.predict(asked)));
    if (pixels === asked) {
      bars.replaceChildren(probabilityBars({ id: 'draw-bars', series, truth: null }));
      const readings = series.map((probabilities) => {
        const digit = likeliest(probabilities);
        return `${digit} (${percent(probabilities[digit])})`;
      });
      words.textContent = `Reads ${readings.join(', beside it ')}`;
      lab.say(`Reads ${readings.join(', beside it ')}.`);
    }
  }
}

/** @param {RunRecord} run */
function option(run) {
  return el('option', { value: run.id }, runName(run));
}
