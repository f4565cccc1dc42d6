// The runs of a plan side by side, each with how far it is; a click shows one.

import { el } from './dom.js';
import { branches, countOf, percent } from './format.js';
import { paced } from './paced.js';
import { isUnderWay, shownRun } from '../state.js';

/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../state.js').RunRecord} RunRecord */

const REDRAW_MS = 200;

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {import('../lab.js').Lab} lab
 */
export function mountQueue(container, store, lab) {
  const title = el('h2', { id: 'queue-title' });
  const list = el('ol', { class: 'queue', role: 'list', 'aria-labelledby': title.id });
  container.append(title, list);
  /** @type {Map<string, Row>} */
  let rows = new Map();
  const drawSoon = paced(draw, REDRAW_MS);
  for (const part of /** @type {const} */ (['runs', 'shownRun', 'live'])) {
    store.watch((state) => state[part], drawSoon);
  }

  function draw() {
    const { state } = store;
    const plan = shownRun(state)?.plan;
    const runs = state.runs.filter((run) => run.plan === plan);
    container.hidden = runs.length < 2;
    if (runs.length < 2) {
      return;
    }
    if (rows.size !== runs.length || runs.some((run) => !rows.has(run.id))) {
      rows = new Map(runs.map((run) => [run.id, newRow(run, () => lab.show(run.id))]));
      list.replaceChildren(...[...rows.values()].map((row) => row.element));
    }
    const nLeft = runs.filter((run) => isUnderWay(run.status)).length;
    title.textContent = nLeft === 0 ? `Plan of ${runs.length}` : `Plan of ${runs.length}: ${countOf(nLeft, 'run')} left`;
    for (const run of runs) {
      rows.get(run.id)?.show(run, state);
    }
  }
}

/** @typedef {{element: HTMLElement, show: (run: RunRecord, state: LabState) => void}} Row */

/** @param {RunRecord} run @param {() => void} choose @returns {Row} */
function newRow(run, choose) {
  const words = el('span', { class: 'queue__words number' });
  const bar = el('progress', { max: 1, value: 0, 'aria-hidden': true });
  const { mask = 0, p, seed } = run.config;
  const button = el(
    'button',
    { type: 'button', class: 'queue__run', onclick: choose },
    el('span', {}, `Skips ${branches(mask)}`, el('span', { class: 'soft' }, ` · p ${p} · seed ${seed}`)),
    words,
    bar,
  );
  return {
    element: el('li', {}, button),
    show(latest, { live, shownRun: shown, runs }) {
      button.setAttribute('aria-pressed', String(latest.id === shown));
      const progress = live[latest.id]?.progress ?? null;
      bar.value = shareOf(latest, progress);
      words.textContent = wordsFor(latest, runs);
    },
  };
}

/** @param {RunRecord} run @param {import('../types.js').RunProgress|null} progress */
function shareOf(run, progress) {
  if (!isUnderWay(run.status) || run.status === 'testing') {
    return run.status === 'finished' || run.status === 'testing' ? 1 : run.history.length / (run.config.epochs ?? 1);
  }
  return progress === null ? 0 : (progress.epoch - 1 + progress.minibatch / progress.nMinibatches) / progress.nEpochs;
}

/** @param {RunRecord} run @param {RunRecord[]} runs */
function wordsFor(run, runs) {
  const last = run.history.at(-1);
  switch (run.status) {
    case 'waiting': {
      const position = runs.filter((other) => other.status === 'waiting').findIndex((other) => other.id === run.id);
      return `waits, place ${position + 1}`;
    }
    case 'loading':
      return 'fetches images';
    case 'training':
      return last === undefined ? 'trains' : `validation ${percent(last.validationAccuracy)}`;
    case 'testing':
      return 'tests';
    case 'finished':
      return `test ${percent(run.result?.endpoints?.selected.accuracy ?? NaN)}`;
    default:
      return run.status;
  }
}
