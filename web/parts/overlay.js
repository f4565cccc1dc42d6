// The curves of the chosen runs in one chart.

import { Chart } from './chart.js';
import { el } from './dom.js';
import { loss, percent, percentTick, runName, tick } from './format.js';
import { paced } from './paced.js';

/** @typedef {import('./compare.js').Choice} Choice */
/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../state.js').RunRecord} RunRecord */
/** @typedef {import('../types.js').EpochRow} EpochRow */

const N_LINES = 6;
const REDRAW_MS = 250;

/** @typedef {{id: keyof EpochRow, label: string, format: (value: number) => string, tick: (value: number) => string}} Metric */

/** @type {Metric[]} */
const METRICS = [
  { id: 'validationAccuracy', label: 'Validation accuracy', format: (v) => percent(v, 2), tick: percentTick },
  { id: 'validationCrossEntropy', label: 'Validation loss', format: loss, tick },
  { id: 'trainingLoss', label: 'Training loss', format: loss, tick },
];

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {import('../state.js').Store<Choice>} choice
 */
export function mountOverlay(container, store, choice) {
  let metric = METRICS[0];
  /** @type {Chart|null} */
  let chart = null;
  let drawn = '';
  const holder = el('div', { id: 'overlay' });
  const note = el('p', { class: 'small soft' });
  const draw = () => {
    const { chosen } = choice.state;
    const runs = store.state.runs.filter((run) => chosen.includes(run.id)).slice(0, N_LINES);
    const key = [metric.id, ...runs.map((run) => run.id)].join(' ');
    if (key !== drawn || chart === null) {
      drawn = key;
      chart?.destroy();
      chart = newChart(metric, runs);
      holder.replaceChildren(chart.element);
    }
    const nEpochs = Math.max(2, ...runs.map((run) => run.config.epochs ?? 1));
    const epochs = Array.from({ length: nEpochs }, (_, i) => i + 1);
    chart.setRangeX([1, nEpochs]);
    chart.setData([epochs, ...runs.map((run) => epochs.map((_, i) => run.history[i]?.[metric.id] ?? null))]);
    note.textContent = chosen.length > N_LINES ? `The first ${N_LINES} of ${chosen.length} chosen runs are drawn.` : '';
  };
  const chips = METRICS.map((candidate) => {
    const isFirst = candidate === metric;
    const input = el('input', { type: 'radio', name: 'overlay-metric', value: candidate.id, checked: isFirst });
    input.addEventListener('change', () => {
      metric = candidate;
      draw();
    });
    return el('label', { class: 'chip' }, input, el('span', {}, candidate.label));
  });
  container.append(
    el('h2', {}, 'Curves of the chosen runs'),
    el('div', { class: 'chips chips--many' }, ...chips),
    holder,
    note,
  );
  const drawSoon = paced(draw, REDRAW_MS);
  choice.watch((state) => state.chosen, drawSoon);
  store.watch((state) => state.runs, drawSoon);
}

/** @param {Metric} metric @param {RunRecord[]} runs */
function newChart(metric, runs) {
  return new Chart({
    title: metric.label,
    xLabel: 'Epoch',
    lines: runs.map((run, i) => ({ label: runName(run), series: i + 1 })),
    formatX: String,
    formatY: metric.format,
    formatTick: metric.tick,
    rangeY: metric.id === 'validationAccuracy' ? [null, null] : [0, null],
    height: 260,
  });
}
