// Test accuracy against the number of branches that training may skip. A line joins points only where C says that
// their branch sets are nested, and all else agrees.

import { el, svg } from './dom.js';
import { familiesOf, grouped, nBranches } from './family.js';
import { branches, percent, percentTick } from './format.js';
import { figureTools } from './figure-tools.js';
import { paced } from './paced.js';
import { onThemeChange, style } from './theme.js';
import { ticks } from './ticks.js';

/** @typedef {import('./family.js').Tested} Tested */
/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {{name: string, points: Tested[], isJoined: boolean}} Series */

const HEIGHT = 260;
const MARGIN = { left: 52, right: 16, top: 12, bottom: 44 };
const N_SHOWN = 6;
const N_COUNTS = 5;

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 */
export function mountDepth(container, store, lab) {
  const holder = el('div', { class: 'depth' });
  const legend = el('ul', { class: 'legend small', role: 'list' });
  const empty = el('p', { class: 'empty' }, 'Test accuracy against the number of skippable branches appears here. '
    + 'The plan “Sweep” fills it.');
  const note = el('p', { class: 'small soft', id: 'depth-note' });
  /** @type {Series[]} */
  let series = [];
  const tools = figureTools({
    name: 'accuracy-by-branches',
    table: () => [
      ['Branches that may be skipped', 'Number', 'Seed', 'Test accuracy', 'Joined'],
      ...series.flatMap(({ points, isJoined }) => points.map(({ mask, seed, accuracy }) =>
        [branches(mask), String(nBranches(mask)), String(seed), percent(accuracy, 2), isJoined ? 'yes' : 'no'])),
    ],
    picture: () => drawDepth(series, 720),
  });
  container.append(el('h2', {}, 'Accuracy by skippable branches'), legend, holder, note, empty, tools.element);

  const draw = () => {
    const isEmpty = series.length === 0;
    empty.hidden = !isEmpty;
    holder.hidden = isEmpty;
    tools.element.hidden = isEmpty;
    tools.refresh();
    if (!isEmpty && holder.clientWidth > 0) {
      const dots = () => [...holder.querySelectorAll('.depth__dot')].map((element) => /** @type {SVGElement} */ (element));
      const at = dots().findIndex((element) => element === document.activeElement);
      holder.replaceChildren(drawDepth(series, holder.clientWidth, (id) => lab.inspect(id, store.state.checkpoint)));
      dots()[at]?.focus();
      legend.replaceChildren(...series.map(({ name }, i) => el('li', { class: 'legend__item' }, swatch(i), name)));
    }
  };
  const refresh = paced(() => lab.attempt(async () => {
    const { runs, checkpoint } = store.state;
    const all = await seriesOf(familiesOf(runs, checkpoint), lab);
    series = all.slice(0, N_SHOWN);
    note.textContent = all.length > N_SHOWN ? `${N_SHOWN} of ${all.length} series are drawn, the latest settings first.` : '';
    draw();
  }), 300);
  new ResizeObserver(draw).observe(holder);
  onThemeChange(draw);
  store.watch((state) => state.runs, refresh);
  store.watch((state) => state.checkpoint, refresh);
}

/** @param {import('./family.js').Family[]} families @param {Lab} lab @returns {Promise<Series[]>} */
async function seriesOf(families, lab) {
  const client = await lab.client();
  const series = [];
  for (const { name, members } of families.toReversed()) {
    for (const [seed, tested] of grouped(members, (member) => member.seed)) {
      const points = [...new Map(tested.map((member) => [member.mask, member])).values()]
        .sort((a, b) => nBranches(a.mask) - nBranches(b.mask) || a.mask - b.mask);
      const isJoined = points.length > 1 && await client.isNested(points.map(({ mask }) => mask));
      series.push({ name: `${name}, seed ${seed}`, points, isJoined });
    }
  }
  return series;
}

/** @param {number} i */
function swatch(i) {
  return svg('svg', { width: 12, height: 12, 'aria-hidden': 'true' }, marker(i, 6, 6));
}

/** Each series has a shape of its own beside its colour. @param {number} i @param {number} x @param {number} y */
function marker(i, x, y) {
  const fill = style(`--series-${(i % N_SHOWN) + 1}`);
  const shapes = [
    'M-5 0A5 5 0 1 0 5 0A5 5 0 1 0 -5 0Z', 'M-4.5 -4.5H4.5V4.5H-4.5Z', 'M0 -5.5L5.5 4.5H-5.5Z',
    'M0 -6L6 0L0 6L-6 0Z', 'M0 5.5L5.5 -4.5H-5.5Z', 'M-5 -2H-2V-5H2V-2H5V2H2V5H-2V2H-5Z',
  ];
  return svg('path', { d: shapes[i % shapes.length], fill, transform: `translate(${x} ${y})` });
}

/**
 * @param {Series[]} series
 * @param {number} width
 * @param {(runId: string) => void} [open]   called when a point is clicked
 */
function drawDepth(series, width, open) {
  const values = series.flatMap(({ points }) => points.map(({ accuracy }) => accuracy));
  const pad = Math.max(0.0025, 0.15 * (Math.max(...values) - Math.min(...values)));
  const [low, high] = [Math.max(0, Math.min(...values) - pad), Math.min(1, Math.max(...values) + pad)];
  const [across, down] = [width - MARGIN.left - MARGIN.right, HEIGHT - MARGIN.top - MARGIN.bottom];
  const x = (/** @type {number} */ n) => MARGIN.left + ((n + 0.5) / N_COUNTS) * across;
  const y = (/** @type {number} */ value) => HEIGHT - MARGIN.bottom - ((value - low) / (high - low)) * down;
  const picture = svg('svg', {
    width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: 'group',
    'aria-label': 'Test accuracy against the number of branches that training may skip',
    'font-family': style('--font'), 'font-size': 12, fill: style('--ink-soft'),
  });
  for (const value of ticks(low, high)) {
    picture.append(
      svg('line', { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value), stroke: style('--line') }),
      svg('text', { x: MARGIN.left - 8, y: y(value) + 4, 'text-anchor': 'end' }, percentTick(value)),
    );
  }
  for (let n = 0; n < N_COUNTS; n++) {
    picture.append(svg('text', { x: x(n), y: HEIGHT - MARGIN.bottom + 18, 'text-anchor': 'middle' }, n));
  }
  picture.append(svg('text', { x: (MARGIN.left + width) / 2, y: HEIGHT - 6, 'text-anchor': 'middle' },
    'Branches that training may skip'));
  for (const [i, { points, isJoined }] of series.entries()) {
    const at = points.map(({ mask, accuracy }) => [x(nBranches(mask)), y(accuracy)]);
    if (isJoined) {
      picture.append(svg('path', {
        d: `M${at.map((point) => point.join(' ')).join('L')}`, fill: 'none', 'stroke-width': 2,
        stroke: style(`--series-${i + 1}`),
      }));
    }
    picture.append(...points.map((point, k) => dot(point, marker(i, at[k][0], at[k][1]), open)));
  }
  return picture;
}

/** @param {Tested} point @param {SVGElement} shape @param {(runId: string) => void} [open] */
function dot({ mask, accuracy, run, seed }, shape, open) {
  const words = `Skips ${branches(mask)}, seed ${seed}: ${percent(accuracy, 2)}`;
  const attributes = open === undefined ? {} : {
    class: 'depth__dot', tabindex: 0, role: 'button', 'aria-label': words, onclick: () => open(run.id),
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        open(run.id);
      }
    },
  };
  return svg('g', attributes, shape, svg('title', {}, words));
}
