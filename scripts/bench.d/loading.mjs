// Part "load": from the manifest to verified images in the engine's memory, against what fetch and DecompressionStream
// need for the same file alone.

import { openTab } from './browser.mjs';
import { median } from './page/statistics.js';

/** Ways to load, the page's own first. @typedef {'zlib page'|'stream page'|'zlib alone'|'stream alone'} Way */
/** Seconds, one after the other. @typedef {Record<Way|'bare', number>} Sample */
/** @typedef {{split: string, samples: Sample[], ratios: Record<Way, number>, bareSeconds: number}} LoadResult */

/** @type {Way[]} */
const WAYS = ['zlib page', 'stream page', 'zlib alone', 'stream alone'];

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
      ratios: /** @type {Record<Way, number>} */ (
        Object.fromEntries(WAYS.map((way) => [way, median(samples.map((sample) => sample[way] / sample.bare))]))
      ),
      bareSeconds: median(samples.map(({ bare }) => bare)),
    };
  } finally {
    await tab.close();
  }
}
