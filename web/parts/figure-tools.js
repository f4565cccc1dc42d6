// What can be done with a figure: read it as a table, copy it as CSV, save it as PNG or SVG.

import { later } from '../part.js';
import { el } from './dom.js';

/**
 * @typedef {object} Figure
 * @property {string} name                 of the files, without an ending
 * @property {() => string[][]} table      its first row holds the columns' names
 * @property {() => SVGElement|Promise<SVGElement>} picture   with all its looks in its attributes
 */

const COPIED_MS = 5000;

/** @param {Figure} figure @returns {{element: HTMLElement, refresh: () => void}} refresh: for a table that is open */
export function figureTools(figure) {
  const table = el('div', { class: 'scroller', hidden: true });
  let shown = '';
  const refresh = () => {
    const rows = table.hidden ? [] : figure.table();
    if (shown !== csv(rows)) {
      shown = csv(rows);
      table.replaceChildren(htmlTable(rows));
    }
  };
  const show = tool('Table', () => {
    table.hidden = !table.hidden;
    show.setAttribute('aria-expanded', String(!table.hidden));
    refresh();
  });
  show.setAttribute('aria-expanded', 'false');
  const copy = tool('Copy CSV', () => void copyText(csv(figure.table()), copy));
  const buttons = [
    show,
    copy,
    tool('PNG', async () => {
      const { pngOf } = await later();
      save(await pngOf(await figure.picture()), `${figure.name}.png`);
    }),
    tool('SVG', async () => {
      const { svgFileOf } = await later();
      save(svgFileOf(await figure.picture()), `${figure.name}.svg`);
    }),
  ];
  return { element: el('div', { class: 'tools' }, el('div', { class: 'tools__buttons' }, ...buttons), table), refresh };
}

/** @param {string} label @param {() => void} onclick */
function tool(label, onclick) {
  return el('button', { type: 'button', class: 'link link--soft small', onclick }, label);
}

/** @param {string[][]} rows */
function htmlTable([head = [], ...rows]) {
  return el(
    'table',
    { class: 'small' },
    el('thead', {}, el('tr', {}, ...head.map((name) => el('th', { scope: 'col' }, name)))),
    el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map((cell) => el('td', {}, cell))))),
  );
}

/** RFC 4180. @param {string[][]} rows */
export function csv(rows) {
  const quoted = (/** @type {string} */ cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
}

/**
 * Copies a text; the button says for a while whether that was allowed.
 * @param {string} text
 * @param {HTMLElement} button
 */
export async function copyText(text, button) {
  const label = (button.dataset.label ??= button.textContent ?? '');
  const isCopied = await navigator.clipboard.writeText(text).then(() => true, () => false);
  button.textContent = isCopied ? 'Copied' : 'The browser does not allow it';
  setTimeout(() => {
    button.textContent = label;
  }, COPIED_MS);
}

/** Saves a file as the browser saves a download. @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
