// Bars of time, a panel a preset: how many times as long as this engine, since that is what a noisy machine can tell.

/** @typedef {{label: string, kind: string, secondsPerEpoch: number, timesBaseline: number}} Bar */
/** @typedef {{preset: string, bars: Bar[]}} Panel */

const NAMESPACE = 'http://www.w3.org/2000/svg';
const PANEL_WIDTH = 620;
const LABEL_WIDTH = 270;
const BAR_WIDTH = 200;
const ROW_HEIGHT = 22;
const MARGIN = 20;
const TITLE_HEIGHT = 40;
const INK = '#222';
/** @type {Record<string, string>} */
const COLOURS = { lab: '#0a6ebd', peer: '#b9b9b9', native: '#e0a030' };

/**
 * @param {Element} parent
 * @param {string} name
 * @param {Record<string, string|number>} attributes
 * @param {string} [content]
 */
function add(parent, name, attributes, content = '') {
  const element = document.createElementNS(NAMESPACE, name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, String(value)));
  element.textContent = content;
  parent.append(element);
  return element;
}

/** @param {{panels: Panel[], caption: string}} chart */
function draw({ panels, caption }) {
  const panelHeight = TITLE_HEIGHT + ROW_HEIGHT * Math.max(...panels.map(({ bars }) => bars.length)) + MARGIN;
  const nColumns = Math.min(2, panels.length);
  const width = MARGIN + nColumns * PANEL_WIDTH;
  const height = Math.ceil(panels.length / nColumns) * panelHeight + TITLE_HEIGHT + MARGIN;
  const svg = add(document.body, 'svg', { width, height });
  add(svg, 'rect', { width, height, fill: '#fff' });
  panels.forEach((panel, i) => {
    const [column, row] = [i % nColumns, Math.floor(i / nColumns)];
    const group = add(svg, 'g', {
      transform: `translate(${MARGIN + column * PANEL_WIDTH} ${MARGIN + row * panelHeight})`,
    });
    drawPanel(group, panel);
  });
  add(svg, 'text', { x: MARGIN, y: height - MARGIN, fill: '#666' }, caption);
}

/** @param {Element} group @param {Panel} panel */
function drawPanel(group, { preset, bars }) {
  const longest = Math.max(...bars.map(({ timesBaseline }) => timesBaseline));
  const title = `${preset}: time to train, as a multiple of this engine's (seconds per 4,000 images)`;
  add(group, 'text', { y: 16, fill: INK, 'font-weight': 'bold' }, title);
  bars.forEach(({ label, kind, secondsPerEpoch, timesBaseline }, i) => {
    const y = TITLE_HEIGHT + i * ROW_HEIGHT;
    const length = Math.max(1, (BAR_WIDTH * timesBaseline) / longest);
    add(group, 'text', { x: LABEL_WIDTH - 8, y, 'text-anchor': 'end', fill: INK }, label);
    add(group, 'rect', { x: LABEL_WIDTH, y: y - 12, width: length, height: 15, fill: COLOURS[kind] });
    const figures = `${timesBaseline.toPrecision(2)}× (${Number(secondsPerEpoch.toPrecision(2))} s)`;
    add(group, 'text', { x: LABEL_WIDTH + length + 6, y, fill: INK }, figures);
  });
}

Object.assign(globalThis, { bench: { draw } });
