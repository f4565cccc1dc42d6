// A line chart as one SVG that looks the same wherever it is opened: for files, and as the plain twin of chart.js.

import { DASHES, padded } from './chart.js';
import { svg } from './dom.js';
import { style } from './theme.js';
import { ticks } from './ticks.js';

/** @typedef {import('./chart.js').ChartOptions} ChartOptions */
/** @typedef {import('./chart.js').Column} Column */
/** @typedef {import('./chart.js').Range} Range */

const WIDTH = 720;
const HEIGHT = 360;
const MARGIN = { left: 64, right: 24, top: 64, bottom: 48 };
const N_X_TICKS = 10;

/**
 * @param {ChartOptions} options
 * @param {Column[]} columns   x, then one a line
 * @param {Range} rangeX
 * @returns {SVGElement}
 */
export function drawLines(options, [xs, ...columns], rangeX) {
  const [left, right] = extent(xs, rangeX, 0);
  const [low, high] = extent(columns.flat(), options.rangeY ?? [null, null], 0.08);
  const [across, down] = [WIDTH - MARGIN.left - MARGIN.right, HEIGHT - MARGIN.top - MARGIN.bottom];
  const x = (/** @type {number} */ value) => MARGIN.left + ((value - left) / (right - left)) * across;
  const y = (/** @type {number} */ value) => HEIGHT - MARGIN.bottom - ((value - low) / (high - low)) * down;
  const picture = svg('svg', {
    width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'font-family': style('--font'), 'font-size': 13,
    fill: style('--ink'),
  });
  picture.append(svg('text', { x: MARGIN.left, y: 24, 'font-weight': 600, 'font-size': 15 }, options.title));
  const formatTick = options.formatTick ?? options.formatY;
  for (const value of ticks(low, high)) {
    picture.append(
      svg('line', { x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y(value), y2: y(value), stroke: style('--line') }),
      svg('text', { x: MARGIN.left - 8, y: y(value) + 4, 'text-anchor': 'end' }, formatTick(value)),
    );
  }
  const step = Math.max(1, Math.ceil((right - left) / N_X_TICKS));
  for (let value = Math.ceil(left); value <= right; value += step) {
    const place = { x: x(value), y: HEIGHT - MARGIN.bottom + 20, 'text-anchor': 'middle' };
    picture.append(svg('text', place, options.formatX(value)));
  }
  picture.append(svg('text', { x: WIDTH / 2, y: HEIGHT - 8, 'text-anchor': 'middle' }, options.xLabel));
  const room = across / Math.max(1, options.lines.length);
  for (const [i, line] of options.lines.entries()) {
    const look = { fill: 'none', stroke: style(`--series-${line.series}`), 'stroke-width': 2,
      'stroke-dasharray': line.isFaint ? '' : DASHES[line.series].join(' '), 'stroke-opacity': line.isFaint ? 0.4 : 1 };
    const at = MARGIN.left + i * room;
    picture.append(
      svg('path', { ...look, d: pathOf(xs, columns[i] ?? [], x, y) }),
      svg('path', { ...look, d: `M${at} 44h28` }),
      svg('text', { x: at + 34, y: 48, 'font-size': 11 }, line.label),
    );
  }
  return picture;
}

/**
 * @param {Column} xs
 * @param {Column} ys
 * @param {(value: number) => number} x
 * @param {(value: number) => number} y
 */
function pathOf(xs, ys, x, y) {
  const points = [];
  for (const [i, value] of ys.entries()) {
    const at = xs[i];
    if (value !== null && value !== undefined && at !== null && at !== undefined) {
      points.push(`${x(at).toFixed(1)} ${y(value).toFixed(1)}`);
    }
  }
  return points.length === 0 ? '' : `M${points.join('L')}`;
}

/** @param {Column} values @param {Range} fixed @param {number} share @returns {[number, number]} */
function extent(values, fixed, share) {
  const numbers = /** @type {number[]} */ (values.filter((value) => value !== null && value !== undefined));
  const [low, high] = numbers.length === 0 ? [null, null] : [Math.min(...numbers), Math.max(...numbers)];
  return padded(low, high, fixed, share);
}
