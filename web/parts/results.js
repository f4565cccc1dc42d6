// The table of all runs. A row's name opens the run in Inspect.

import { el } from './dom.js';
import { branches, count, countOf, duration, loss, percent, runName } from './format.js';
import { endpointOf, isContinued, isInspectable, isUnderWay } from '../state.js';

/** @typedef {import('./compare.js').Choice} Choice */
/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../state.js').Checkpoint} Checkpoint */
/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../state.js').RunRecord} RunRecord */

const COLUMNS = ['Curve', 'Run', 'Skips', 'p', 'Test accuracy', 'Test loss', 'Training time', 'Images/s', 'Engine', ''];
const NUMERIC = new Set(['p', 'Test accuracy', 'Test loss', 'Training time', 'Images/s']);

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 * @param {import('../state.js').Store<Choice>} choice
 */
export function mountResults(container, store, lab, choice) {
  const body = el('tbody', { id: 'results-rows' });
  const checkpoints = /** @type {const} */ (['selected', 'final']).map((checkpoint) => {
    const input = el('input', { type: 'radio', name: 'results-checkpoint', value: checkpoint });
    input.addEventListener('change', () => lab.choose(checkpoint));
    const words = checkpoint === 'selected' ? 'Selected' : 'Final';
    return { checkpoint, input, chip: el('label', { class: 'chip' }, input, el('span', {}, words)) };
  });
  container.append(
    el('div', { class: 'card__head' }, el('h2', {}, 'Results'), el('fieldset', { class: 'results__checkpoint' },
      el('legend', { class: 'visually-hidden' }, 'Weights that were tested'),
      el('div', { class: 'chips' }, ...checkpoints.map(({ chip }) => chip)))),
    el('p', { class: 'small soft' }, 'Selected: the epoch with the lowest validation loss. Final: the last one.'),
    el('div', { class: 'scroller results__scroller', tabindex: 0, role: 'region', 'aria-label': 'Results' }, el(
      'table',
      { class: 'results small' },
      el('thead', {}, el('tr', {}, ...COLUMNS.map((name) =>
        el('th', { scope: 'col', class: NUMERIC.has(name) ? 'number' : '' }, name)))),
      body,
    )),
  );
  /** @type {Map<string, {run: RunRecord, element: HTMLElement}>} */
  const rows = new Map();

  store.watch((state) => state.runs, (runs) => draw(runs, false));
  store.watch((state) => state.checkpoint, (checkpoint, state) => {
    for (const { checkpoint: candidate, input } of checkpoints) {
      input.checked = candidate === checkpoint;
    }
    draw(state.runs, true);
  });
  choice.watch((state) => state.chosen, (chosen) => {
    for (const input of body.querySelectorAll('input')) {
      input.checked = chosen.includes(input.value);
    }
  });

  /** Only rows that have changed are built anew, so that the focus stays where it is. @param {RunRecord[]} runs @param {boolean} isAll */
  function draw(runs, isAll) {
    const present = new Set(runs.map((run) => run.id));
    for (const [id, { element }] of rows) {
      if (!present.has(id)) {
        if (element.contains(document.activeElement)) { // who deletes by keys goes on with the next
          const neighbour = element.nextElementSibling ?? element.previousElementSibling;
          /** @type {HTMLElement|null|undefined} */ (neighbour?.querySelector('[aria-label^=Delete]'))?.focus();
        }
        element.remove();
        rows.delete(id);
      }
    }
    for (const run of runs) {
      const known = rows.get(run.id);
      if (known === undefined || known.run !== run || isAll) {
        const element = row(run, store.state.checkpoint);
        if (known === undefined) {
          body.prepend(element); // the newest first
        } else {
          known.element.replaceWith(element);
        }
        rows.set(run.id, { run, element });
      }
    }
  }

  /** @param {RunRecord} run @param {Checkpoint} checkpoint */
  function row(run, checkpoint) {
    const { config, only, result, status } = run;
    const endpoint = endpointOf(run, checkpoint);
    const curve = el('input', {
      type: 'checkbox', value: run.id, checked: choice.state.chosen.includes(run.id),
      'aria-label': `Draw the curves of ${runName(run)}`,
    });
    curve.addEventListener('change', () => {
      const others = choice.state.chosen.filter((id) => id !== run.id);
      choice.update({ chosen: curve.checked ? [...others, run.id] : others });
    });
    const { numerics = '', threads = 0 } = result?.engine ?? {};
    const notes = [isContinued(run) && 'continued', run.isImported && 'imported', only && `only ${only}`].filter(Boolean);
    const name = [config.preset || 'custom', `seed ${config.seed}`, ...notes].join(', ');
    const isTrainedHere = result !== null && !only;
    const cells = [
      !only && curve,
      !isInspectable(run) ? name : el('button', {
        type: 'button', class: 'link', onclick: () => lab.inspect(run.id, checkpoint),
      }, name),
      branches(config.mask ?? 0),
      String(config.p),
      endpoint === null ? el('span', { class: 'soft' }, only ? 'not in the file' : status) : percent(endpoint.accuracy, 2),
      endpoint === null ? '' : loss(endpoint.ce),
      isTrainedHere ? duration(result.timing.trainingSeconds) : '',
      isTrainedHere ? count(result.timing.imagesPerSecond) : '',
      isTrainedHere ? `${numerics}, ${countOf(threads, 'thread')}` : numerics,
      !isUnderWay(status) && el('button', {
        type: 'button', class: 'link link--soft', 'aria-label': `Delete ${runName(run)}`,
        onclick: ({ detail }) => {
          if (detail < 2) { // the second half of a double click would hit the next row
            void lab.attempt(() => lab.forget([run.id]));
          }
        },
      }, 'Delete'),
    ];
    // Anywhere on the row will do for a pointer; the name is a button for everyone else.
    const open = (/** @type {MouseEvent} */ event) => {
      if (event.target instanceof Element && event.target.closest('button, input') === null) {
        lab.inspect(run.id, checkpoint);
      }
    };
    const attributes = { 'data-run': run.id, ...(isInspectable(run) && { class: 'results__row', onclick: open }) };
    return el('tr', attributes, ...cells.map((cell, i) =>
      el('td', { class: NUMERIC.has(COLUMNS[i]) ? 'number' : '' }, cell)));
  }
}
