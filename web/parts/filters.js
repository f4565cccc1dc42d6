// The first layer's weights, each unit's 784 as a picture: what it answers to in one colour, what it answers against in
// the other. They learn while one looks.

import { el } from './dom.js';
import { paced } from './paced.js';
import { colour, onThemeChange } from './theme.js';
import { shownRun } from '../state.js';

/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../state.js').RunRecord} RunRecord */

const N_COLUMNS = 10;
const N_ROWS = 3;
const N_UNITS = N_COLUMNS * N_ROWS;
const SIDE = 28;
const GAP = 3;
const REDRAW_MS = 400;

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {import('../lab.js').Lab} lab
 */
export function mountFilters(container, store, lab) {
  const canvas = el('canvas', {
    class: 'filters',
    width: N_COLUMNS * (SIDE + GAP) - GAP,
    height: N_ROWS * (SIDE + GAP) - GAP,
    role: 'img',
    'aria-label': `Weights of the first ${N_UNITS} units as pictures of 28 by 28`,
  });
  const caption = el('p', { class: 'small soft' });
  container.append(canvas, caption);
  /** @type {Float32Array|null} */
  let weights = null;

  const draw = () => {
    if (weights !== null) {
      drawFilters(canvas, weights);
    }
  };
  const refresh = paced(() => lab.attempt(async () => {
    const run = shownRun(store.state);
    if (run === null) {
      return;
    }
    const latest = await weightsOf(run, lab);
    const isStillShown = shownRun(store.state)?.id === run.id;
    if (isStillShown) {
      weights = latest ?? weights;
      canvas.hidden = weights === null;
      caption.textContent = weights === null
        ? 'The weights of the first units appear here as pictures when training starts.'
        : `Incoming weights of the first ${weights.length / (SIDE * SIDE)} units: blue answers to ink, orange against it.`;
      draw();
    }
  }), REDRAW_MS);
  onThemeChange(draw);
  store.watch((state) => state.shownRun, () => {
    weights = null;
    canvas.hidden = true;
    refresh();
  });
  store.watch((state) => shownRun(state)?.status, refresh);
  store.watch((state) => state.live, refresh);
}

/**
 * @param {RunRecord} run
 * @param {import('../lab.js').Lab} lab
 * @returns {Promise<Float32Array|null>}
 */
async function weightsOf(run, lab) {
  if (run.status === 'training' || run.status === 'testing') {
    return lab.liveFirstLayer(run.id, N_UNITS);
  }
  if (!run.hasWeights) {
    return null;
  }
  const network = await lab.inspector.network(run, 'selected').catch(() => null);
  return network?.firstLayer(Math.min(N_UNITS, network.widths[1])) ?? null;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Float32Array} weights   (units, 784)
 */
function drawFilters(canvas, weights) {
  const context = canvas.getContext('2d');
  if (context === null) {
    return;
  }
  const [neutral, towards, against] = ['--surface', '--series-1', '--series-2'].map(colour);
  context.clearRect(0, 0, canvas.width, canvas.height);
  for (let unit = 0; unit * SIDE * SIDE < weights.length; unit++) {
    const values = weights.subarray(unit * SIDE * SIDE, (unit + 1) * SIDE * SIDE);
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
    const picture = context.createImageData(SIDE, SIDE);
    for (const [i, value] of values.entries()) {
      const share = Math.abs(value) / largest;
      const end = value > 0 ? towards : against;
      for (let channel = 0; channel < 3; channel++) {
        picture.data[4 * i + channel] = neutral[channel] + share * (end[channel] - neutral[channel]);
      }
      picture.data[4 * i + 3] = 255;
    }
    context.putImageData(picture, (unit % N_COLUMNS) * (SIDE + GAP), Math.floor(unit / N_COLUMNS) * (SIDE + GAP));
  }
}
