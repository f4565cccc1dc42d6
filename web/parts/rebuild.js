// Rebuilding all splits from MNIST's four original files, which the visitor brings, with every hash shown.

import { checkTable, verdict } from './checks.js';
import { el } from './dom.js';
import { Channel } from '../channel.js';
import { SOURCES } from '../rebuild.js';

/** @typedef {import('../rebuilding.js').RebuildNews} RebuildNews */

/** @param {HTMLElement} container */
export function mountRebuild(container) {
  const input = el('input', { type: 'file', id: 'rebuild-files', class: 'visually-hidden', multiple: true });
  const zone = el('label', { class: 'empty rebuild__zone', for: input.id }, 'Drop the four files here, .gz or plain, or ',
    el('span', { class: 'rebuild__choose' }, 'choose them'), '.');
  const words = el('p', { id: 'rebuild-words', class: 'small' });
  const steps = el('ol', { class: 'audit', role: 'list', id: 'rebuild-steps' });
  container.append(
    el('h2', {}, 'Rebuild from the originals'),
    el('p', { class: 'soft small' }, 'The same splits, made in this tab from MNIST’s own four files: '
      + `${SOURCES.map(({ file }) => file).join(', ')}. Every hash must equal the manifest’s.`),
    input,
    zone,
    words,
    steps,
  );
  input.addEventListener('change', () => start([...(input.files ?? [])]));
  zone.addEventListener('dragover', (event) => {
    event.preventDefault();
    zone.classList.add('rebuild__zone--over');
  });
  zone.addEventListener('dragleave', () => zone.classList.remove('rebuild__zone--over'));
  zone.addEventListener('drop', (event) => {
    event.preventDefault();
    zone.classList.remove('rebuild__zone--over');
    start([...(event.dataTransfer?.files ?? [])]);
  });

  /** @type {Channel|null} */
  let latest = null;

  /** @param {File[]} files */
  function start(files) {
    latest?.close();
    latest = null;
    const chosen = Object.fromEntries(SOURCES.map(({ file }) => [file, files.find(({ name }) => isNamed(name, file))]));
    const missing = SOURCES.filter(({ file }) => chosen[file] === undefined).map(({ file }) => file);
    steps.replaceChildren();
    if (missing.length > 0) {
      say(`Missing: ${missing.join(', ')}. All four are needed at once.`, 'wrong');
      return;
    }
    say('Rebuilding…', 'soft');
    const channel = new Channel(new Worker(new URL('worker.js', document.baseURI), { type: 'module' }));
    latest = channel;
    const order = {
      datasetUrl: new URL('dataset/', document.baseURI).href,
      producerUrl: new URL('wasm/producer.wasm', document.baseURI).href,
      files: chosen,
    };
    channel.ask('rebuild', order, { onEvent: (_, step) => show(step) })
      .then(() => say('Rebuilt: every hash is the manifest’s.', 'right'), (error) => {
        if (channel === latest) {
          say(error.message, 'wrong');
        }
      })
      .finally(() => channel.close());
  }

  /** @param {RebuildNews} step */
  function show({ id, checks }) {
    const summary = el('summary', {}, el('strong', {}, id), ` ${verdict(checks)}`);
    const hasFailed = checks.some(({ state }) => state === 'failed');
    steps.append(el('li', {}, el('details', { open: hasFailed }, summary, checkTable(checks))));
  }

  /** @param {string} sentence @param {'right'|'wrong'|'soft'} look */
  function say(sentence, look) {
    words.textContent = sentence;
    words.className = `small ${look}`;
  }
}

/** Mirrors spell t10k-images-idx3-ubyte with a dot too. @param {string} name @param {string} file */
function isNamed(name, file) {
  return name.replace(/\.gz$/i, '').replace('.idx', '-idx') === file;
}
