// The shown run's learning curves: accuracy above, loss below, over the same epochs. While a run trains the last
// minibatch's loss runs along in the background.

import { Chart } from './chart.js';
import { el } from './dom.js';
import { loss, percent, percentTick, tick } from './format.js';
import { paced } from './paced.js';
import { shownRun } from '../state.js';

/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {{epoch: number, loss: number}} Sample   epoch: minibatches count as parts of one */

const REDRAW_MS = 200;
/** More samples than a chart has pixels are thinned out. */
const N_SAMPLES = 2000;

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 */
export function mountCurves(container, store) {
  const accuracy = new Chart({
    title: 'Accuracy',
    xLabel: 'Epoch',
    lines: [{ label: 'validation', series: 1 }],
    formatX: String,
    formatY: percent,
    formatTick: percentTick,
    rangeY: [null, 1],
  });
  const losses = new Chart({
    title: 'Loss',
    xLabel: 'Epoch',
    lines: [
      { label: 'training', series: 2 },
      { label: 'validation', series: 1 },
      { label: 'last minibatch', series: 2, isFaint: true },
    ],
    formatX: String,
    formatY: loss,
    formatTick: tick,
    rangeY: [0, null],
  });
  container.append(el('div', { class: 'charts' }, accuracy.element, losses.element));
  /** @type {Sample[]} */
  let samples = [];
  let sampledRun = '';

  const draw = () => {
    const run = shownRun(store.state);
    const history = run?.history ?? [];
    for (const chart of [accuracy, losses]) {
      chart.setRangeX([0, run?.config.epochs ?? 1]);
    }
    accuracy.setData([history.map((row) => row.epoch), history.map((row) => row.validationAccuracy)]);
    const rows = [
      ...history.map((row) => ({ x: row.epoch, training: row.trainingLoss, validation: row.validationCrossEntropy, last: null })),
      ...samples.map((sample) => ({ x: sample.epoch, training: null, validation: null, last: sample.loss })),
    ].sort((a, b) => a.x - b.x);
    losses.setData([
      rows.map((row) => row.x),
      rows.map((row) => row.training),
      rows.map((row) => row.validation),
      rows.map((row) => row.last),
    ]);
  };
  const drawSoon = paced(draw, REDRAW_MS);

  store.watch((state) => state.shownRun, () => draw());
  store.watch((state) => shownRun(state)?.history, () => draw());
  store.watch((state) => state.live[state.shownRun ?? '']?.progress, (progress, { shownRun: id }) => {
    if (id !== sampledRun) {
      samples = [];
      sampledRun = id ?? '';
    }
    if (progress && progress.state === 'training' && progress.minibatch > 0 && Number.isFinite(progress.loss)) {
      samples.push({ epoch: progress.epoch - 1 + progress.minibatch / progress.nMinibatches, loss: progress.loss });
      if (samples.length > N_SAMPLES) {
        samples = samples.filter((_, i) => i % 2 === 0);
      }
      drawSoon();
    }
  });
}
