// What can be done with a figure: read it as a table, copy it as CSV, save it as PNG or SVG.

import { el } from './dom.js';
import { style } from './theme.js';

/**
 * @typedef {object} Figure
 * @property {string} name                 of the files, without an ending
 * @property {() => string[][]} table      its first row holds the columns' names
 * @property {() => SVGElement} picture    with all its looks in its attributes
 */

const PNG_SCALE = 2;
const COPIED_MS = 5000;

/** @param {Figure} figure @returns {HTMLElement} */
export function figureTools(figure) {
  const table = el('div', { class: 'scroller', hidden: true });
  const show = tool('Table', () => {
    table.hidden = !table.hidden;
    show.setAttribute('aria-expanded', String(!table.hidden));
    table.replaceChildren(htmlTable(figure.table()));
  });
  show.setAttribute('aria-expanded', 'false');
  const copy = tool('Copy CSV', () => void copyText(csv(figure.table()), copy));
  const buttons = [
    show,
    copy,
    tool('PNG', async () => save(await png(figure.picture()), `${figure.name}.png`)),
    tool('SVG', () => save(svgFile(figure.picture()), `${figure.name}.svg`)),
  ];
  return el('div', { class: 'tools' }, el('div', { class: 'tools__buttons' }, ...buttons), table);
}

/** @param {string} label @param {() => void} onclick */
function tool(label, onclick) {
  return el('button', { type: 'button', class: 'link link--soft small', onclick }, label);
}

/** @param {string[][]} rows */
function htmlTable([head, ...rows]) {
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

/** @param {SVGElement} picture */
function svgFile(picture) {
  picture.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  picture.style.background = style('--surface');
  return new Blob([new XMLSerializer().serializeToString(picture)], { type: 'image/svg+xml' });
}

/** @param {SVGElement} picture @returns {Promise<Blob>} */
async function png(picture) {
  const url = URL.createObjectURL(svgFile(picture));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = el('canvas', {
      width: PNG_SCALE * Number(picture.getAttribute('width')), height: PNG_SCALE * Number(picture.getAttribute('height')),
    });
    const context = canvas.getContext('2d');
    if (context !== null) {
      context.fillStyle = style('--surface');
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
    }
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob === null ? reject(new Error('The picture could not be made.')) : resolve(blob)));
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * Copies a text; the button says for a while whether that was allowed.
 * @param {string} text
 * @param {HTMLElement} button
 */
export async function copyText(text, button) {
  const label = button.textContent;
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
