// Whether this device came to the same bits: the weights' fingerprint, and a link with which others can check it.

import { el } from './dom.js';
import { copyText } from './figure-tools.js';
import { isContinued, shownRun } from '../state.js';
import { writeLink } from '../link.js';

/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../types.js').ConfigInput} ConfigInput */
/** @typedef {import('../types.js').RunResult} RunResult */

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 */
export function mountProof(container, store) {
  const verdict = el('p', { id: 'proof-verdict' });
  const hash = el('code', { id: 'weights-sha256', class: 'proof__hash' });
  const copy = el('button', { type: 'button', class: 'link small', id: 'copy-proof' }, 'Copy a link that checks these bits');
  const body = el('div', { class: 'proof small' }, verdict, el('p', { class: 'soft' }, 'Weights’ SHA-256: ', hash), copy);
  container.append(body);
  copy.addEventListener('click', () => {
    const run = shownRun(store.state);
    const { weightsSHA256 = null } = run?.result?.provenance ?? {};
    if (run !== null && run.result !== null && weightsSHA256 !== null) {
      const { config, engine } = run.result;
      const plan = { ...store.state.plan, kind: /** @type {const} */ ('single'), nSeeds: 1 };
      const proof = { expect: weightsSHA256.selected, numerics: engine.numerics };
      void copyText(`${location.href.split('#')[0]}#${writeLink(config, plan, proof)}&run=1`, copy);
    }
  });
  const draw = (/** @type {LabState} */ state) => {
    const run = shownRun(state);
    const result = run?.result ?? null;
    const found = result?.provenance.weightsSHA256 ?? null;
    body.hidden = found === null;
    if (result !== null && found !== null) {
      hash.textContent = found.selected;
      copy.hidden = run !== null && isContinued(run); // no link tells what it went on from
      const expected = run !== null && state.expected !== null && isOf(run.config, state.expected.config) ? state.expected : null;
      verdict.textContent = expected === null ? '' : words(result, expected);
      verdict.className = isSame(result, expected?.sha256 ?? '') ? 'right' : 'wrong';
    }
  };
  store.watch((state) => shownRun(state)?.result, (_, state) => draw(state));
  store.watch((state) => state.expected, (_, state) => draw(state));
}

/** Whether a run has those settings. @param {ConfigInput} config @param {ConfigInput} settings */
function isOf(config, settings) {
  const names = /** @type {(keyof ConfigInput)[]} */ (Object.keys(settings));
  return names.every((name) => String(config[name]) === String(settings[name]));
}

/** @param {RunResult} result @param {string} sha256 */
function isSame({ provenance }, sha256) {
  return Object.values(provenance.weightsSHA256 ?? {}).includes(sha256);
}

/** @param {RunResult} result @param {{sha256: string, numerics: string|null}} expected */
function words(result, { sha256, numerics }) {
  if (isSame(result, sha256)) {
    return 'Reproduced: this device has computed the same weights, bit for bit.';
  }
  if (numerics && numerics !== result.engine.numerics) {
    return `Not the same bits: the link’s were computed with ${numerics} arithmetic, this browser’s with `
      + `${result.engine.numerics}. Results agree only within one of the two.`;
  }
  return `Not the same bits: expected ${sha256}.`;
}
