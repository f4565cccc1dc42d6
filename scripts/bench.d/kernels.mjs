// Part "kernels": each kernel of the engine on each layer of two presets, against the core's peak.

import { openTab } from './browser.mjs';
import { N_LAYERS, PRESETS, isBranch } from './page/protocol.js';
import { median } from './page/statistics.js';

/** @typedef {import('./page/kernels-worker.js').Window} Window */

/**
 * @typedef {object} KernelResult
 * @property {string} preset
 * @property {string} numerics
 * @property {string} name
 * @property {number} nIn
 * @property {number} nOut
 * @property {boolean} isHidden   of a layer between the features and the classifier
 * @property {number} gflops      counted densely
 * @property {number} ofPeak      a part of the fused 128-bit peak
 * @property {number} ofOwnPeak   a part of that of its numerics
 */

const MEASURED = ['small', 'full'];
const NUMERICS = ['fused', 'mul-add'];

/**
 * @param {{browser: import('puppeteer-core').Browser, url: string}} place
 * @param {{presets: string[], nRounds: number}} options
 * @returns {Promise<KernelResult[]>}
 */
export async function measureKernels({ browser, url }, { presets, nRounds }) {
  const cases = NUMERICS.flatMap((numerics) => casesOf(presets, numerics));
  const tab = await openTab(browser, `${url}worker.html?script=kernels-worker.js`);
  try {
    /** @type {Window[][]} */
    const windows = cases.map(() => []);
    for (let round = 0; round < nRounds; round++) {
      for (const [i, { numerics, nIn, nOut, kernel }] of cases.entries()) {
        windows[i].push(await tab.call('call', 'measure', { numerics, nIn, nOut, kernel }));
      }
    }
    return cases.map((each, i) => ({ ...each, ...summary(windows[i], each.numerics) }));
  } finally {
    await tab.close();
  }
}

/** @param {string[]} presets @param {string} numerics */
function casesOf(presets, numerics) {
  return MEASURED.filter((preset) => presets.includes(preset)).flatMap((preset) =>
    Array.from({ length: N_LAYERS }, (_, layer) => layer).flatMap((layer) =>
      kernelsOf(layer).map(([kernel, name]) => ({
        preset,
        numerics,
        kernel,
        name,
        nIn: PRESETS[preset][layer],
        nOut: PRESETS[preset][layer + 1],
        isHidden: isBranch(layer),
      })),
    ),
  );
}

/** @param {number} layer @returns {[string, string][]} id and name */
function kernelsOf(layer) {
  return layer === 0
    ? [['firstForward', 'forward, sparse'], ['firstWeightGradient', 'weight gradient, sparse']]
    : [['forward', 'forward'], ['inputGradient', 'input gradient'], ['weightGradient', 'weight gradient']];
}

/** @param {Window[]} windows @param {string} numerics */
function summary(windows, numerics) {
  return {
    gflops: median(windows.map(({ rate }) => rate)) / 1e9,
    ofPeak: median(windows.map(({ rate, peak }) => rate / peak.fused)),
    ofOwnPeak: median(windows.map(({ rate, peak }) => rate / (numerics === 'fused' ? peak.fused : peak.mulAdd))),
  };
}
