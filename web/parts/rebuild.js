// Rebuilding all splits from MNIST's four original files, which the visitor brings, with every hash shown.

import { checkTable, verdict } from './checks.js';
import { el } from './dom.js';
import { SOURCES } from '../rebuild.js';

/** @typedef {import('../types.js').Check} Check */
/** @typedef {import('../types.js').LabFault} LabFault */
/** @typedef {{id?: string, checks?: Check[], fault?: LabFault|null, done?: boolean, error?: LabFault}} Message */

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

  /** @param {File[]} files */
  function start(files) {
    const chosen = Object.fromEntries(SOURCES.map(({ file }) => [file, files.find(({ name }) => isNamed(name, file))]));
    const missing = SOURCES.filter(({ file }) => chosen[file] === undefined).map(({ file }) => file);
    steps.replaceChildren();
    if (missing.length > 0) {
      say(`Missing: ${missing.join(', ')}. All four are needed at once.`, 'wrong');
      return;
    }
    say('Rebuilding…', 'soft');
    const worker = new Worker(new URL('rebuild-worker.js', document.baseURI), { type: 'module' });
    worker.addEventListener('error', () => say('The rebuild could not be started.', 'wrong'));
    worker.addEventListener('message', (/** @type {MessageEvent<Message>} */ { data }) => {
      if (data.error !== undefined) {
        say(data.error.message, 'wrong');
      } else if (data.done) {
        say('Rebuilt: every hash is the manifest’s.', 'right');
      } else {
        show(data);
      }
      if (data.error !== undefined || data.done || data.fault) {
        worker.terminate();
      }
    });
    worker.postMessage({
      manifestUrl: new URL('dataset/manifest.json', document.baseURI).href,
      producerUrl: new URL('wasm/producer.mjs', document.baseURI).href,
      files: chosen,
    });
  }

  /** @param {Message} step */
  function show({ id = '', checks = [], fault = null }) {
    const summary = el('summary', {}, el('strong', {}, id), ` ${verdict(checks)}`);
    steps.append(el('li', {}, el('details', { open: fault !== null }, summary, checkTable(checks))));
    if (fault !== null) {
      say(fault.message, 'wrong');
    }
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
