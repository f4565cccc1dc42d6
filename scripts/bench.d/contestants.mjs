// Who takes part. The first one is the baseline: it is measured before and after every other one.

import { openTab } from './browser.mjs';
import { openNative } from './native.mjs';
import { PRESETS } from './page/protocol.js';

/** @typedef {import('./page/measure.js').Amount} Amount */
/** @typedef {import('./page/measure.js').Measurement} Measurement */

/**
 * @typedef {object} Entrant
 * @property {string} id
 * @property {string} label
 * @property {'lab'|'peer'|'native'} kind
 * @property {number} nThreads
 * @property {Record<string, string>} [query]   of the tab, beside preset and threads
 */

/**
 * An entrant that has its place and trains when it is asked to.
 * @typedef {object} Contestant
 * @property {string} about
 * @property {(n: number) => Promise<number[]>} traceLosses
 * @property {(atLeast: Amount) => Promise<Measurement>} measure
 * @property {() => Promise<number>} [validationShare]   of an epoch's time; the lab's engine only
 * @property {() => Promise<void>} close
 */

/** @param {string} id @param {string} label @param {number} nThreads @param {string} build @param {number} [nRuns] @returns {Entrant} */
const lab = (id, label, nThreads, build, nRuns = 1) => ({
  id,
  label,
  kind: 'lab',
  nThreads,
  query: { engine: 'lab', build, runs: String(nRuns) },
});

/** @param {string} id @param {string} label @param {number} nThreads @param {Record<string, string>} query @returns {Entrant} */
const peer = (id, label, nThreads, query) => ({ id, label, kind: 'peer', nThreads, query });

/** @type {Entrant[]} */
export const ENTRANTS = [
  lab('lab', 'this engine, fused', 1, 'fused'),
  lab('lab-mul-add', 'this engine, mul-add', 1, 'mul-add'),
  lab('lab-2', 'this engine, fused', 2, 'fused-threads'),
  lab('lab-mul-add-2', 'this engine, mul-add', 2, 'mul-add-threads'),
  lab('lab-pair', 'this engine, fused, two runs at once', 1, 'fused', 2),
  peer('jax', 'jax-js', 1, { engine: 'jax', isolated: 'no' }),
  peer('tfjs-tuned', 'TensorFlow.js, hand-tuned', 1, { engine: 'tfjs', style: 'hand-tuned' }),
  peer('tfjs', 'TensorFlow.js, minimize', 1, { engine: 'tfjs', style: 'minimize' }),
  peer('onnx', 'ONNX Runtime Web', 1, { engine: 'onnx' }),
  peer('jax-2', 'jax-js', 2, { engine: 'jax' }),
  peer('tfjs-tuned-2', 'TensorFlow.js, hand-tuned', 2, { engine: 'tfjs', style: 'hand-tuned' }),
  peer('onnx-2', 'ONNX Runtime Web', 2, { engine: 'onnx' }),
  { id: 'native', label: 'OpenBLAS, native, AVX2', kind: 'native', nThreads: 1 },
];

/** OpenBLAS's name for a processor with AVX2 and no AVX-512. */
const AVX2_CORE = 'Haswell';

/**
 * @param {Entrant} entrant
 * @param {string} preset
 * @param {{browser: import('puppeteer-core').Browser, url: string}} place
 * @returns {Promise<Contestant>}
 */
export async function openContestant({ kind, nThreads, query }, preset, { browser, url }) {
  if (kind === 'native') {
    return openNative(PRESETS[preset] ?? [], AVX2_CORE);
  }
  const search = new URLSearchParams({ ...query, preset, threads: String(nThreads) });
  const tab = await openTab(browser, `${url}tab.html?${search}`);
  return {
    about: await tab.call('about'),
    traceLosses: (n) => tab.call('traceLosses', n),
    measure: (atLeast) => tab.call('measure', atLeast),
    validationShare: kind === 'lab' ? () => tab.call('validationShare') : undefined,
    close: tab.close,
  };
}
