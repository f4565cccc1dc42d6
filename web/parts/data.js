// Data: every check on every split, the originals to rebuild them from, the engine, and whose work the images are.

import { mountAudit } from './audit.js';
import { byId, el } from './dom.js';
import { count, countOf, engineWords } from './format.js';
import { mountRebuild } from './rebuild.js';

/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../state.js').LabState} LabState */

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 */
export function mount(container, store, lab) {
  const cards = Array.from({ length: 4 }, () => el('section', { class: 'card' }));
  const [audit, rebuild, engine, credit] = cards;
  container.append(
    el('div', { class: 'place__head' }, el('h1', {}, 'Data'), el('p', { class: 'soft' },
      'The images are checked byte by byte in this tab before they are used. Nothing that you see or do leaves it.')),
    audit,
    rebuild,
    el('div', { class: 'data__pair' }, engine, credit),
  );
  mountAudit(audit, lab);
  mountRebuild(rebuild);
  mountEngine(engine, store);
  credit.append(el('h2', {}, 'Credit and licence'), ...creditWords());
}

/** @param {HTMLElement} card @param {import('../state.js').Store<LabState>} store */
function mountEngine(card, store) {
  const body = el('div', { class: 'data__engine', id: 'engine-statement' });
  card.append(el('h2', {}, 'Engine'), body);
  store.watch((state) => state.engine, (engine) => {
    if (engine === null) {
      body.replaceChildren(el('p', { class: 'soft' }, 'The engine has not started.'));
      return;
    }
    const { build, reasons } = engine;
    const cores = navigator.hardwareConcurrency || 1;
    body.replaceChildren(
      el('p', {}, `${build}: ${engineWords(engine)}, of the ${countOf(cores, 'core')} that the browser names.`),
      el('ul', { class: 'data__reasons' }, ...reasons.map((reason) => el('li', {}, reason))),
      el('p', { class: 'soft small' }, `Runs of a plan go side by side, up to ${count(cores)} at once, one worker each.`),
    );
  });
}

/** @returns {HTMLElement[]} */
function creditWords() {
  const link = (/** @type {string} */ href, /** @type {string} */ words) => el('a', { href }, words);
  return [
    el('p', {}, ...[...byId('credit').childNodes].map((node) => node.cloneNode(true)), // as at the foot of the page
      ' The same licence holds for this selection.'),
    el('p', {}, 'Reference: LeCun, Bottou, Bengio and Haffner, Gradient-Based Learning Applied to Document Recognition, '
      + 'Proceedings of the IEEE 86(11), 1998, ', link('https://doi.org/10.1109/5.726791', 'doi:10.1109/5.726791'), '.'),
    el('p', {}, 'The lab’s code is under the MIT licence; that of uPlot and BearSSL too: ',
      link('licenses/lab.txt', 'lab'), ', ',
      link('licenses/uPlot.txt', 'uPlot'), ', ', link('licenses/BearSSL.txt', 'BearSSL'), '. ',
      link('dataset/README.md', 'How the data were made'), '.'),
  ];
}
