// The dataset's audit: each split is fetched when it is asked for, and all that C checks on it is shown.

import { checkTable, verdict } from './checks.js';
import { el, smallButton } from './dom.js';
import { countOf, duration, size } from './format.js';

/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../types.js').SplitAudit} SplitAudit */

const SPLITS = [
  { split: 'train', about: '10,000 training images, 1,000 of each digit' },
  { split: 'validation', about: '2,000 validation images, 200 of each digit' },
  { split: 'test', about: '2,000 test images, 200 of each digit' },
  { split: 'test-full', about: 'all 10,000 official test images' },
];

/**
 * @param {HTMLElement} container
 * @param {Lab} lab
 */
export function mountAudit(container, lab) {
  const list = el('ul', { class: 'audit', role: 'list' });
  container.append(
    el('h2', {}, 'Checks'),
    el('p', { class: 'soft small' }, 'A split is fetched when training needs it, or when you ask here.'),
    list,
  );
  for (const { split, about } of SPLITS) {
    const words = el('span', { class: 'soft small' }, about);
    const details = el('div', { hidden: true });
    const button = smallButton(`audit-${split}`, 'Check');
    button.addEventListener('click', () => void lab.attempt(async () => {
      button.disabled = true;
      try {
        const client = await lab.client();
        const audit = await client.loadSplit(split, {
          onProgress: ({ receivedBytes, totalBytes }) => {
            words.textContent = `${size(receivedBytes)} of ${size(totalBytes)}`;
          },
        });
        words.textContent = summary(audit);
        details.replaceChildren(checkTable(audit.checks));
        details.hidden = false;
      } finally {
        button.disabled = false;
      }
    }));
    list.append(el('li', { 'data-split': split }, el('div', { class: 'audit__head' },
      el('h3', {}, split), words, button), details));
  }
}

/** @param {SplitAudit} audit */
function summary({ bytes, checks, nImages, receivedBytes, retried, route, seconds }) {
  const again = retried ? ', after a second try' : '';
  return `${countOf(nImages, 'image')}: ${verdict(checks)}. ${size(receivedBytes)} received, ${size(bytes)} decoded `
    + `(${route}) in ${duration(seconds)}${again}.`;
}
