// One test image large, what the network makes of it beside what the baseline makes of it, and the activations it
// leaves along the branches.

import { probabilityBars } from './bars.js';
import { digitCanvas } from './digit.js';
import { el } from './dom.js';
import { count, percent } from './format.js';
import { colour, onThemeChange } from './theme.js';
import { pixelsOf } from '../inspector.js';

/** @typedef {import('./inspect.js').Subject} Subject */
/** @typedef {import('./inspect.js').View} View */
/** @typedef {import('../lab.js').Lab} Lab */

const N_CLASSES = 10;
const LAYERS = ['Features', 'After branch 1', 'After branch 2', 'After branch 3', 'After branch 4'];

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<View>} view
 * @param {Lab} lab
 */
export function mountFocus(container, view, lab) {
  const body = el('div', { class: 'focus' });
  const layers = el('div', { class: 'focus__layers' });
  container.append(
    el('h2', {}, 'The image'),
    body,
    el('h3', {}, 'Activations along the branches'),
    layers,
  );
  /** @type {Float32Array[]} */
  let activations = [];
  const drawLayers = () => layers.replaceChildren(...activations.map((values, layer) => strip(values, LAYERS[layer])));
  onThemeChange(drawLayers);

  const draw = () => {
    const { focus, subject } = view.state;
    if (focus === null || subject === null) {
      body.replaceChildren();
      layers.replaceChildren();
    } else {
      body.replaceChildren(...content(subject, focus));
      void lab.attempt(() => ask(subject, focus));
    }
  };
  let wasShown = false;
  view.watch((state) => state.focus, (focus) => {
    draw();
    if (wasShown && focus !== null) {
      container.scrollIntoView({ block: 'nearest' });
    }
    wasShown = focus !== null;
  });
  view.watch((state) => state.subject, draw);

  /** @param {Subject} subject @param {number} focus */
  async function ask(subject, focus) {
    const network = await lab.inspector.network(subject.run, subject.checkpoint);
    const answer = await network.activations(pixelsOf(subject.images, focus));
    if (view.state.focus === focus && view.state.subject === subject) {
      activations = answer;
      drawLayers();
    }
  }
}

/** @param {Subject} subject @param {number} index @returns {Node[]} */
function content({ baseline, checkpoint, endpoint, images }, index) {
  const [truth, guess] = [images.labels[index], endpoint.predictions[index]];
  const own = row(endpoint.probabilities, index);
  const other = baseline?.result?.endpoints?.[checkpoint];
  const others = other === undefined ? null : row(other.probabilities, index);
  const verdict = el('p', { class: 'focus__verdict', id: 'focus-verdict' }, `A ${truth}, read as `,
    el('strong', { class: truth === guess ? 'right' : 'wrong' }, guess), ` with ${percent(own[guess])}.`);
  if (other !== undefined) {
    verdict.append(` The baseline reads ${other.predictions[index]}.`);
  }
  return [
    el('div', { class: 'digit focus__digit' }, digitCanvas(pixelsOf(images, index), `Test image, a ${truth}`)),
    el('div', { class: 'focus__words' }, verdict, el('p', { class: 'small soft', id: 'focus-index' },
      `Index ${count(images.originalIndices[index])} in MNIST’s official test set, counted from 0`)),
    chart(own, others, truth),
  ];
}

/**
 * @param {Float32Array} own
 * @param {Float32Array|null} others   the baseline's
 * @param {number} truth
 */
function chart(own, others, truth) {
  const series = others === null ? [own] : [own, others];
  return el(
    'div',
    { class: 'focus__chart' },
    probabilityBars({ id: 'focus-bars', series, truth }),
    others !== null && el('p', { class: 'small soft' }, 'Upper bar, first figure: this run. Lower, second: its baseline.'),
  );
}

/** @param {Float32Array} probabilities  (n, 10) @param {number} index */
function row(probabilities, index) {
  return probabilities.subarray(index * N_CLASSES, (index + 1) * N_CLASSES);
}

/** A layer's units as cells, the stronger the darker. @param {Float32Array} values @param {string} name */
function strip(values, name) {
  const columns = values.length > 640 ? 100 : 64;
  const rows = Math.ceil(values.length / columns);
  const canvas = el('canvas', { class: 'focus__strip', width: columns, height: rows, 'aria-hidden': true });
  canvas.style.aspectRatio = `${columns} / ${rows}`;
  const context = canvas.getContext('2d');
  const [off, on] = ['--sunken', '--series-1'].map(colour);
  const largest = values.reduce((most, value) => Math.max(most, value), 1e-9);
  const picture = context?.createImageData(columns, rows);
  if (picture !== undefined) {
    for (const [i, value] of values.entries()) {
      const share = Math.sqrt(Math.max(0, value) / largest);
      for (let channel = 0; channel < 3; channel++) {
        picture.data[4 * i + channel] = off[channel] + share * (on[channel] - off[channel]);
      }
      picture.data[4 * i + 3] = 255;
    }
    context?.putImageData(picture, 0, 0);
  }
  const nActive = values.filter((value) => value > 0).length;
  const words = `${name}: ${count(nActive)} of ${count(values.length)} units active`;
  return el('figure', {}, el('figcaption', { class: 'small soft' }, words), canvas);
}
