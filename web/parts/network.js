// The network as a picture: its layers, the bypass that runs under all of them, and the four branches above it, each
// drawn as the last minibatch took it.

import { el, svg } from './dom.js';
import { count, percent } from './format.js';
import { paced } from './paced.js';
import { shownRun } from '../state.js';

/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../types.js').RunProgress} RunProgress */

const N_BRANCHES = 4;
const HEIGHT = 176;
const GROUND = 140;
const TALLEST = 84;
const BAR = 8;

/** Gates change hundreds of times a second; a person follows a few. */
const REDRAW_MS = matchMedia('(prefers-reduced-motion: reduce)').matches ? 1000 : 250;

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 */
export function mountNetwork(container, store) {
  const holder = el('div', { class: 'network', role: 'img' });
  const rates = Array.from({ length: N_BRANCHES }, () => el('dd', { class: 'network__rate' }));
  const list = el('dl', { class: 'network__rates' });
  for (const [i, rate] of rates.entries()) {
    list.append(el('div', {}, el('dt', { class: 'soft' }, `Branch ${i + 1}`), rate));
  }
  const caption = el('p', { class: 'small soft' });
  container.append(holder, list, caption);

  /** @type {Picture|null} */
  let picture = null;
  let last = { id: '', skipped: 0 };
  const showGates = () => {
    const run = shownRun(store.state);
    if (run === null || picture === null) {
      return;
    }
    const progress = store.state.live[run.id]?.progress ?? null;
    const eligible = run.config.mask ?? 0;
    if (progress !== null || run.id !== last.id) {
      last = { id: run.id, skipped: progress?.skipped ?? 0 };
    }
    picture.show(eligible, last.skipped);
    const gates = run.result?.gates ?? { kept: progress?.gatesKept ?? [], skipped: progress?.gatesSkipped ?? [] };
    for (const [i, rate] of rates.entries()) {
      rate.textContent = skipRate(gates.kept[i] ?? 0, gates.skipped[i] ?? 0, (eligible & (1 << i)) !== 0);
    }
    caption.textContent = eligible === 0
      ? 'No branch is skipped in this run: every minibatch takes the whole network.'
      : 'Dashed: the branch was skipped in the last minibatch, and only its bypass was used.';
  };
  const redraw = () => {
    const widths = widthsOf(store.state);
    if (widths !== null && holder.clientWidth > 0) {
      picture = drawNetwork(widths, holder.clientWidth);
      holder.replaceChildren(picture.element);
      holder.setAttribute('aria-label', `Residual network with layers of ${widths.map(count).join(', ')} units`);
      showGates();
    }
  };
  const showSoon = paced(showGates, REDRAW_MS);

  new ResizeObserver(redraw).observe(holder);
  store.watch((state) => widthsOf(state)?.join(), redraw);
  store.watch(shownRun, showSoon);
  store.watch((state) => state.live, showSoon);
}

/** @param {LabState} state @returns {number[]|null} */
function widthsOf(state) {
  const config = shownRun(state)?.config ?? state.config;
  return config.widths ?? state.description?.presets.find(({ id }) => id === config.preset)?.widths ?? null;
}

/** @param {number} kept @param {number} skipped @param {boolean} isEligible */
function skipRate(kept, skipped, isEligible) {
  if (!isEligible) {
    return 'always kept';
  }
  return kept + skipped === 0 ? 'may be skipped' : `${percent(skipped / (kept + skipped))} skipped`;
}

/** @typedef {{element: SVGElement, show: (eligible: number, skipped: number) => void}} Picture */

/**
 * @param {number[]} widths   7
 * @param {number} width      of the picture, in pixels
 * @returns {Picture}
 */
function drawNetwork(widths, width) {
  const margin = 18;
  const step = (width - 2 * margin) / (widths.length - 1);
  const widest = Math.max(...widths.slice(1));
  const x = (/** @type {number} */ layer) => margin + layer * step;
  const tall = (/** @type {number} */ layer) => Math.max(10, TALLEST * Math.sqrt(Math.min(1, widths[layer] / widest)));
  const picture = svg('svg', { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, 'aria-hidden': 'true' });

  const line = (/** @type {number} */ from, /** @type {string} */ className) => svg('line', {
    class: className, x1: x(from) + BAR / 2, x2: x(from + 1) - BAR / 2, y1: GROUND - 5, y2: GROUND - 5,
  });
  picture.append(line(0, 'network__path'), line(N_BRANCHES + 1, 'network__path'));

  const branches = Array.from({ length: N_BRANCHES }, (_, i) => {
    const from = i + 1;
    const [left, right] = [x(from) + BAR / 2, x(from + 1) - BAR / 2];
    const [start, end] = [GROUND - tall(from) + 6, GROUND - tall(from + 1) + 6];
    const top = GROUND - TALLEST - 22;
    const middle = (left + right) / 2;
    const path = `M${left} ${start} C${left + step / 4} ${top} ${middle - step / 4} ${top} ${middle} ${top}`
      + ` S${right - step / 4} ${top} ${right} ${end}`;
    const group = svg(
      'g',
      { class: 'network__branch' },
      svg('path', { d: path }),
      svg('circle', { cx: middle, cy: top, r: 10 }),
      svg('text', { x: middle, y: top + 4 }, from),
    );
    picture.append(line(from, 'network__bypass'), group);
    return group;
  });

  for (const [layer, units] of widths.entries()) {
    picture.append(
      svg('rect', {
        class: 'network__layer', x: x(layer) - BAR / 2, y: GROUND - tall(layer), width: BAR, height: tall(layer), rx: 2,
      }),
      svg('text', { class: 'network__units', x: x(layer), y: GROUND + 18 }, count(units)),
    );
  }
  return {
    element: picture,
    show(eligible, skipped) {
      for (const [i, branch] of branches.entries()) {
        branch.classList.toggle('network__branch--eligible', (eligible & (1 << i)) !== 0);
        branch.classList.toggle('network__branch--skipped', (skipped & (1 << i)) !== 0);
      }
    },
  };
}
