// Runs out and in: results as JSON, what storage they take, and how to be rid of them.

import { el, smallButton } from './dom.js';
import { save } from './figure-tools.js';
import { countOf, size } from './format.js';
import { paced } from './paced.js';

/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../state.js').LabState} LabState */

const INTO = 'Load results or weights';
const WIPE = 'Delete all runs';

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 */
export function mountFiles(container, store, lab) {
  const out = smallButton('export-json', 'Save results as JSON', () => void lab.attempt(async () => {
    const { blob, name } = await lab.exportResults();
    save(blob, name);
  }));
  const file = el('input', {
    type: 'file', id: 'import-file', class: 'visually-hidden', accept: '.json,application/json,.safetensors',
  });
  const into = el('label', { class: 'button button--small', for: file.id }, INTO);
  file.addEventListener('change', () => void lab.attempt(async () => {
    const [chosen] = file.files ?? [];
    file.value = ''; // so that the same file can be chosen again
    if (chosen !== undefined) {
      into.textContent = 'Loading …'; // a large network is tested for seconds
      await lab.importFile(chosen).finally(() => {
        into.textContent = INTO;
      });
    }
  }));
  const wipe = smallButton('delete-all', WIPE, ({ detail }) => {
    if (wipe.textContent === WIPE) {
      wipe.textContent = 'Really delete all?';
    } else if (detail < 2) { // a double click asks, and does not answer
      wipe.textContent = WIPE;
      void lab.attempt(() => lab.forget(store.state.runs.map((run) => run.id)));
    }
  });
  wipe.addEventListener('blur', () => {
    wipe.textContent = WIPE;
  });
  const words = el('p', { class: 'small soft', id: 'storage' });
  container.append(el('h2', {}, 'Files and storage'), el('div', { class: 'button-row' }, out, file, into, wipe), words);

  const refresh = paced(() => lab.attempt(async () => {
    const { nRuns, nUnstored, usage } = await lab.storage();
    words.textContent = [
      `${countOf(nRuns - nUnstored, 'run')} kept in this browser, also when the page is closed.`,
      nUnstored > 0 && `${countOf(nUnstored, 'run')} only until it is closed, for there is no room.`,
      usage !== null && `The lab takes ${size(usage.bytes)} of the ${size(usage.quota)} that this browser grants it.`,
    ].filter(Boolean).join(' ');
    out.disabled = !store.state.runs.some((run) => run.result !== null && !run.only);
    wipe.disabled = store.state.runs.length === 0;
  }), 1000);
  store.watch((state) => state.runs, refresh);
  store.watch((state) => state.problem, refresh); // it tells when there is no room
}
