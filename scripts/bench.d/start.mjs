// Part "start": how long until a network trains, and until it is trained and tested, in the lab's own page.

import { openTab, untilCalm } from './browser.mjs';
import { clickAndWait, clickAtOnce, untilKept, watchLab } from './page/lab-watch.js';
import { median } from './page/statistics.js';

/** @typedef {import('puppeteer-core').Browser} Browser */
/** @typedef {import('puppeteer-core').Page} Page */
/** @typedef {{label: string, milliseconds: number[]}} ColdStart */
/** @typedef {import('./page/lab-watch.js').EndToEnd} EndToEnd */
/** @typedef {{cold: ColdStart[], endToEnd: EndToEnd[], endToEndRatio: number}} StartResult */

const PRESET = 'small';
const THIS_LAB = 'this lab';

/** @type {{label: string, query: Record<string, string>}[]} */
const PEERS = [
  { label: 'jax-js', query: { engine: 'jax', threads: '1', isolated: 'no' } },
  { label: 'TensorFlow.js, minimize', query: { engine: 'tfjs', style: 'minimize', threads: '1' } },
  { label: 'ONNX Runtime Web', query: { engine: 'onnx', threads: '1' } },
];

/**
 * @param {{browser: Browser, url: string, labUrl: string}} place   labUrl: served as the lab is
 * @param {number} nRounds
 * @returns {Promise<StartResult>}
 */
export async function measureStart({ browser, url, labUrl }, nRounds) {
  /** @type {ColdStart[]} */
  const cold = [THIS_LAB, ...PEERS.map(({ label }) => label)].map((label) => ({ label, milliseconds: [] }));
  /** @type {EndToEnd[]} */
  const endToEnd = [];
  for (let round = 0; round < nRounds; round++) {
    cold[0].milliseconds.push(await withEmptyCache(browser, (page) => coldStart(page, labUrl)));
    for (const [i, { query }] of PEERS.entries()) {
      const search = new URLSearchParams({ ...query, preset: PRESET, first: 'yes' });
      const milliseconds = await withEmptyCache(browser, (page) => peerColdStart(page, `${url}tab.html?${search}`));
      cold[i + 1].milliseconds.push(milliseconds);
    }
    endToEnd.push(await withEmptyCache(browser, (page) => trainAndTest(page, labUrl)));
  }
  return { cold, endToEnd, endToEndRatio: median(endToEnd.map(({ seconds, trainingSeconds }) => seconds / trainingSeconds)) };
}

/**
 * A page of a browser profile that has seen nothing yet.
 * @template T
 * @param {Browser} browser
 * @param {(page: Page) => Promise<T>} work
 */
async function withEmptyCache(browser, work) {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    await untilCalm(browser); // a new window's own start is not measured
    return await work(page);
  } finally {
    await context.close();
  }
}

/** @param {Page} page @param {string} url @returns {Promise<number>} from the navigation to the end of the first step */
async function peerColdStart(page, url) {
  const tab = await openTab(page, url);
  return tab.call('firstStepAt');
}

/**
 * @param {Page} page
 * @param {string} labUrl
 * @returns {Promise<number>} the same; Train is clicked as soon as the page listens
 */
async function coldStart(page, labUrl) {
  await page.evaluateOnNewDocument(watchLab);
  await page.evaluateOnNewDocument(clickAtOnce);
  await page.goto(labUrl);
  return /** @type {Promise<number>} */ (page.evaluate('labWatch.firstStepAt'));
}

/**
 * Click to result at a second visit, the images in the browser's caches, where a first run has left them. The page has
 * been there for so long that its worker has nothing left to do, as when a visitor clicks.
 * @param {Page} page
 * @param {string} labUrl
 * @returns {Promise<EndToEnd>}
 */
async function trainAndTest(page, labUrl) {
  await page.evaluateOnNewDocument(watchLab);
  await page.goto(labUrl);
  await page.evaluate(clickAndWait);
  await page.evaluate(untilKept);
  await page.reload();
  await untilCalm(page.browser());
  return page.evaluate(clickAndWait);
}
