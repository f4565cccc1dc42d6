// The shown run's learning curves: accuracy above, loss below, over the same epochs.

import { Chart } from './chart.js';
import { el } from './dom.js';
import { loss, percent } from './format.js';
import { shownRun } from '../state.js';

/** @typedef {import('../state.js').LabState} LabState */

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
    formatTick: (value) => percent(value, 0),
    rangeY: [null, 1],
  });
  const losses = new Chart({
    title: 'Loss',
    xLabel: 'Epoch',
    lines: [{ label: 'training', series: 2 }, { label: 'validation', series: 1 }],
    formatX: String,
    formatY: loss,
    formatTick: (value) => value.toFixed(1),
    rangeY: [0, null],
  });
  container.append(el('div', { class: 'charts' }, accuracy.element, losses.element));

  store.watch((state) => shownRun(state)?.history, (history = []) => {
    const epochs = history.map((row) => row.epoch);
    const nEpochs = shownRun(store.state)?.config.epochs ?? 1;
    for (const chart of [accuracy, losses]) {
      chart.setRangeX([1, Math.max(2, nEpochs)]);
    }
    accuracy.setData([epochs, history.map((row) => row.validationAccuracy)]);
    losses.setData([
      epochs,
      history.map((row) => row.trainingLoss),
      history.map((row) => row.validationCrossEntropy),
    ]);
  });
}
