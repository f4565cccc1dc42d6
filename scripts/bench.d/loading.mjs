// Part "load": from the manifest to verified images in the engine's memory, against what fetch and DecompressionStream
// need for the same file alone.

import { openTab } from './browser.mjs';
import { median } from './page/statistics.js';

/** @typedef {{stream: number, zlib: number, bare: number}} Sample   seconds, one after the other */
/** @typedef {{split: string, samples: Sample[], streamRatio: number, zlibRatio: number, bareSeconds: number}} LoadResult */

const SPLIT = 'train';
const SAMPLES_A_ROUND = 3;

/**
 * @param {{browser: import('puppeteer-core').Browser, url: string}} place
 * @param {number} nRounds
 * @returns {Promise<LoadResult>}
 */
export async function measureLoading({ browser, url }, nRounds) {
  const tab = await openTab(browser, `${url}worker.html?script=loading-worker.js`);
  try {
    await tab.call('call', 'sample', SPLIT); // the first one pays for compiling
    /** @type {Sample[]} */
    const samples = [];
    for (let i = 0; i < nRounds * SAMPLES_A_ROUND; i++) {
      samples.push(await tab.call('call', 'sample', SPLIT));
    }
    return {
      split: SPLIT,
      samples,
      streamRatio: median(samples.map(({ stream, bare }) => stream / bare)),
      zlibRatio: median(samples.map(({ zlib, bare }) => zlib / bare)),
      bareSeconds: median(samples.map(({ bare }) => bare)),
    };
  } finally {
    await tab.close();
  }
}
