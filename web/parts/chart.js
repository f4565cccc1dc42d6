// A line chart on uPlot in the lab's looks: a legend that shows the values under the cursor, lines told apart by
// their dashes too, colours that follow the theme.

import { el, svg } from './dom.js';
import { figureTools } from './figure-tools.js';
import { onThemeChange, style } from './theme.js';
import { later, part } from '../part.js';

/** @typedef {import('uplot')} Plot */
/** @typedef {import('uplot').Options} PlotOptions */

/**
 * @typedef {object} Line
 * @property {string} label
 * @property {number} series      1..6: which of the theme's colours and dashes
 * @property {boolean} [isFaint]  a line in the background, after all others; not in the table
 */

/**
 * @typedef {object} ChartOptions
 * @property {string} title
 * @property {string} xLabel
 * @property {Line[]} lines
 * @property {(value: number) => string} formatX
 * @property {(value: number) => string} formatY
 * @property {(value: number) => string} [formatTick]  of the y axis; formatY otherwise
 * @property {Range} [rangeX]                          as rangeY; setRangeX changes it
 * @property {Range} [rangeY]                          fixed ends; null: by the data
 * @property {number} [height]
 */

/** @typedef {(number|null)[]} Column */
/** @typedef {[number|null, number|null]} Range */

/** Dashes of the series, by number; the first is solid. */
export const DASHES = [[], [], [6, 4], [2, 3], [10, 4, 2, 4], [12, 4], [2, 6]];

/** @type {Promise<typeof import('uplot')>|null} */
let library = null;

/** uPlot, fetched when the first chart is drawn. */
function loadLibrary() {
  library ??= part(import(new URL('vendor/uPlot.mjs', document.baseURI).href)).then((module) => module.default);
  return library;
}

export class Chart {
  #options;
  #holder = el('div', { class: 'chart__plot' });
  /** @type {HTMLElement[]} */
  #values = [];
  /** @type {Column[]} */
  #columns;
  /** @type {Range} */
  #rangeX;
  /** @type {Plot|null} */
  #plot = null;

  #tools;
  /** @type {(() => void)[]} */
  #undo = [];

  /** @param {ChartOptions} options */
  constructor(options) {
    this.#options = options;
    this.#rangeX = options.rangeX ?? [null, null];
    this.#columns = [[], ...options.lines.map(() => [])];
    this.#tools = figureTools({
      name: options.title.toLowerCase().replaceAll(' ', '-'),
      table: () => this.#table(),
      picture: async () => {
        const { drawLines } = await later();
        return drawLines(options, this.#columns, this.#rangeX);
      },
    });
    this.element = el(
      'figure',
      { class: 'chart' },
      el('figcaption', { class: 'chart__head' }, el('span', { class: 'chart__title' }, options.title), this.#legend()),
      this.#holder,
      this.#tools.element,
    );
    const observer = new ResizeObserver(() => this.#fit());
    observer.observe(this.#holder);
    this.#undo = [() => observer.disconnect(), onThemeChange(() => this.#plot?.redraw())];
  }

  /** For a chart that is not shown any more. */
  destroy() {
    this.#undo.forEach((undo) => undo());
    this.#plot?.destroy();
  }

  #table() {
    const { formatX, formatY, xLabel } = this.#options;
    const lines = this.#options.lines.filter((line) => !line.isFaint);
    const [xs, ...columns] = this.#columns.slice(0, lines.length + 1);
    const cell = (/** @type {number|null|undefined} */ value) =>
      (value === null || value === undefined ? '' : formatY(value));
    return [
      [xLabel, ...lines.map((line) => line.label)],
      ...xs.map((x, i) => [formatX(x ?? NaN), ...columns.map((column) => cell(column[i]))])
        .filter((row) => row.slice(1).some((text) => text !== '')),
    ];
  }

  /** @param {Column[]} columns   x, then one column a line; null where a line has no value */
  setData(columns) {
    this.#columns = columns;
    this.#showValues(null);
    this.#tools.refresh();
    this.#plot?.setData(/** @type {any} */ (columns));
  }

  /** Takes effect with the next data. @param {Range} range */
  setRangeX(range) {
    this.#rangeX = range;
  }

  #legend() {
    const list = el('ul', { class: 'legend', role: 'list' });
    for (const line of this.#options.lines) {
      const value = el('span', { class: 'legend__value' });
      this.#values.push(value);
      list.append(el('li', { class: 'legend__item' }, swatch(line), line.label, value));
    }
    return list;
  }

  /** @param {number|null} index   of the point under the cursor; null: the last one */
  #showValues(index) {
    for (const [i, element] of this.#values.entries()) {
      const column = this.#columns[i + 1];
      const value = index === null ? column.findLast((candidate) => candidate !== null) : column[index];
      element.textContent = value === null || value === undefined ? '' : this.#options.formatY(value);
    }
  }

  async #fit() {
    const width = Math.floor(this.#holder.clientWidth);
    const height = this.#options.height ?? 200;
    if (width === 0) {
      return;
    }
    if (this.#plot !== null) {
      this.#plot.setSize({ width, height });
      return;
    }
    const Library = await loadLibrary();
    if (this.#plot === null) {
      this.#plot = new Library(this.#plotOptions(width, height), /** @type {any} */ (this.#columns), this.#holder);
    }
  }

  /** @param {number} width @param {number} height @returns {PlotOptions} */
  #plotOptions(width, height) {
    const { formatX, formatY, formatTick = formatY, lines, rangeY = [null, null], xLabel } = this.#options;
    const axis = {
      stroke: () => style('--ink-soft'),
      font: `12px ${style('--font')}`,
      grid: { stroke: () => style('--line'), width: 1 },
      ticks: { show: false },
    };
    return {
      width,
      height,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { size: 7 } },
      scales: {
        x: { time: false, range: (_, low, high) => padded(low, high, this.#rangeX, 0) },
        y: { range: (_, low, high) => padded(low, high, rangeY, 0.08) },
      },
      axes: [
        { ...axis, label: xLabel, labelFont: axis.font, labelSize: 20, size: 28, grid: { show: false },
          incrs: [1, 2, 5, 10, 20, 50], values: (_, ticks) => ticks.map((tick) => formatX(tick)) },
        { ...axis, size: 48, values: (_, ticks) => ticks.map((tick) => formatTick(tick)) },
      ],
      series: [
        {},
        ...lines.map((line) => ({
          label: line.label,
          stroke: () => style(`--series-${line.series}`),
          width: line.isFaint ? 1 : 2,
          alpha: line.isFaint ? 0.4 : 1,
          dash: line.isFaint ? [] : DASHES[line.series],
          spanGaps: true,
          points: { show: !line.isFaint, size: 5 },
        })),
      ],
      hooks: {
        setCursor: [(plot) => this.#showValues(plot.cursor.idx ?? null)],
      },
    };
  }
}

/** @param {Line} line */
function swatch(line) {
  return svg(
    'svg',
    { class: `legend__swatch series-${line.series}`, width: 24, height: 8, 'aria-hidden': 'true' },
    svg('line', {
      x1: 0, y1: 4, x2: 24, y2: 4,
      'stroke-width': line.isFaint ? 1 : 2,
      'stroke-dasharray': line.isFaint ? '' : DASHES[line.series].join(' '),
      'stroke-opacity': line.isFaint ? 0.5 : 1,
    }),
  );
}

/**
 * Room above and below the data, except where an end is fixed.
 * @param {number|null} low    null where there is no data
 * @param {number|null} high
 * @param {Range} fixed
 * @param {number} share   of the data's extent
 * @returns {[number, number]}
 */
export function padded(low, high, [fixedLow, fixedHigh], share) {
  if (low === null || high === null) {
    return [fixedLow ?? 0, fixedHigh ?? 1];
  }
  const margin = share * (high - low || Math.abs(high) || 1);
  return [fixedLow ?? low - margin, fixedHigh ?? high + margin];
}
