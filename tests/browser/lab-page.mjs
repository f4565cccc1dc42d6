// The lab's page as a person uses it: what the page tests share.

import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { ORIGINALS } from '../lib/originals.mjs';
import { launchBrowser, openPage, serveLab } from './harness.mjs';

/** @typedef {import('node:test').TestContext} TestContext */
/** @typedef {import('puppeteer-core').Browser} Browser */
/** @typedef {import('puppeteer-core').Page} Page */
/** @typedef {import('../../scripts/server.mjs').ServerOptions} ServerOptions */

export const TRAINING_MS = 120_000;

/**
 * @typedef {object} Lab
 * @property {Browser} browser
 * @property {Page} page
 * @property {string} url
 * @property {string[]} faults     what went wrong on the page so far
 * @property {string[]} requests   paths that the server was asked for, in order, by the page and its workers
 */

/**
 * Opens the built lab in a new browser.
 * @param {TestContext} context
 * @param {object} [options]
 * @param {number} [options.width]
 * @param {number} [options.height]
 * @param {boolean} [options.isTouched]
 * @param {string} [options.hash]
 * @param {Partial<ServerOptions>} [options.server]
 * @param {(() => void)[]} [options.scripts]   run in the page before its own, at each visit
 * @param {boolean} [options.isReady]   false: the page is not navigated yet
 * @returns {Promise<Lab>}
 */
export async function openLab(context, options = {}) {
  const { width = 1280, height = 900, isTouched = false, hash = '', server, scripts = [], isReady = true } = options;
  /** @type {string[]} */
  const requests = [];
  const url = await serveLab(context, {
    ...server,
    intercept(request, response, pathname) {
      if (!isForLater(request, pathname)) {
        requests.push(pathname);
      }
      return server?.intercept?.(request, response, pathname) ?? false;
    },
  });
  const browser = await launchBrowser(context);
  const { page, faults } = await openPage(browser);
  await page.setViewport({ width, height, hasTouch: isTouched, isMobile: isTouched });
  for (const script of scripts) {
    await page.evaluateOnNewDocument(script);
  }
  if (isReady) {
    await page.goto(url + hash);
    await ready(page);
  }
  return { browser, page, url, faults, requests };
}

/**
 * Whether it is the service worker that asks, to have it at hand offline: pages do not fetch these as data.
 * @param {import('node:http').IncomingMessage} request
 * @param {string} pathname
 */
function isForLater({ headers }, pathname) {
  const isPart = /(\/|\.js|\.mjs|\.css|\.svg|\.webmanifest)$/.test(pathname);
  return headers['sec-fetch-dest'] === 'serviceworker' || (headers['sec-fetch-dest'] === 'empty' && isPart);
}

/** A script for openLab: nothing is fetched for later, so what the server is asked for is asked for by the page. */
export function withoutServiceWorker() {
  ServiceWorkerContainer.prototype.register = () => Promise.reject(new Error('Not here.'));
}

/** A script for openLab: counts the page's workers, from their start to their end. */
export function countEngines() {
  /** @type {Set<Worker>} */
  const engines = new Set();
  class CountedWorker extends Worker {
    /** @param {string|URL} url @param {WorkerOptions} options */
    constructor(url, options) {
      super(url, options);
      engines.add(this);
    }

    /** @override */
    terminate() {
      super.terminate();
      engines.delete(this);
    }
  }
  Object.assign(globalThis, { engines, Worker: CountedWorker });
}

/** How many workers the page has, which counts them. @param {Page} page @returns {Promise<number>} */
export function nEngines(page) {
  return page.evaluate(() => /** @type {any} */ (globalThis).engines.size);
}

/** Waits until the engine has started and the settings are there. @param {Page} page */
export async function started(page) {
  await page.waitForSelector('#settings-fields input', { timeout: 30_000 });
}

/** Waits for that, and for the twenty digits. @param {Page} page */
export async function ready(page) {
  await started(page);
  await page.waitForFunction(() => document.querySelectorAll('#preview canvas').length === 20);
}

/**
 * Presses a button by the keyboard, where what stands above it may still grow: a click could go beside it.
 * @param {Page} page
 * @param {string} selector
 */
export async function press(page, selector) {
  await page.focus(selector);
  await page.keyboard.press('Enter');
}

/** Follows a link to other settings, in the page that is open. @param {Page} page @param {string} hash */
export async function follow(page, hash) {
  await page.evaluate((value) => new Promise((resolve) => {
    addEventListener('hashchange', resolve, { once: true });
    location.hash = value;
  }), hash);
}

/**
 * Types into a number field, as a person does.
 * @param {Page} page
 * @param {string} selector
 * @param {string|number} value
 */
export async function type(page, selector, value) {
  await page.focus(selector);
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.press('Backspace');
  await page.keyboard.type(String(value));
}

/** Unfolds the settings. @param {Page} page */
export async function openSettings(page) {
  if (await page.$eval('#settings', (form) => /** @type {HTMLElement} */ (form).hidden)) {
    await page.click('#settings-toggle');
  }
}

/** Clicks a chip by its input's id, name or value. @param {Page} page @param {string} selector */
export async function tick(page, selector) {
  const chip = await page.waitForSelector(`.chip:has(${selector})`);
  await chip?.click();
}

/** Clicks a chip by what stands above it and in it. @param {Page} page @param {string} legend @param {string} words */
export function clickChip(page, legend, words) {
  return page.click(`::-p-xpath(//fieldset[legend="${legend}"]//label[normalize-space()="${words}"])`);
}

/** Presses Train and waits for the end of everything that it starts. @param {Page} page */
export async function train(page) {
  await page.click('#train');
  await ended(page);
}

/** Waits until nothing runs any more. @param {Page} page */
export async function ended(page) {
  await page.waitForFunction(
    () => {
      const button = document.querySelector('#train');
      const phase = document.querySelector('#progress-phase')?.textContent ?? '';
      return button instanceof HTMLElement && !button.hidden && phase !== '';
    },
    { timeout: TRAINING_MS },
  );
}

/** @param {Page} page @param {string} selector @returns {Promise<string>} */
export function textOf(page, selector) {
  return page.$eval(selector, (element) => element.textContent ?? '');
}

/**
 * Goes to a place by its button, from the top of the page: further down, a page that becomes shorter scrolls, and a click that
 * was aimed at the button goes beside it.
 * @param {Page} page
 * @param {string} place
 */
export async function goTo(page, place) {
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  await page.click(`[data-place=${place}]`);
  await page.waitForSelector(`#place-${place}:not([hidden]) > *`);
}

/** Waits for so many rows in the table of results. @param {Page} page @param {number} n */
export async function waitForRows(page, n) {
  await page.waitForFunction((count) => document.querySelectorAll('#results-rows tr').length === count, {}, n);
}

/** @param {Page} page @returns {Promise<string[][]>} cells of the results table, the newest run first */
export function results(page) {
  return page.$$eval('#results-rows tr', (list) => list.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
}

/** Presses Stop. @param {Page} page @returns {Promise<number>} milliseconds until Train could be pressed again */
export function stop(page) {
  return page.evaluate(async () => {
    const start = performance.now();
    /** @type {HTMLElement} */ (document.querySelector('#stop')).click();
    const button = /** @type {HTMLElement} */ (document.querySelector('#train'));
    while (button.hidden) {
      await new Promise((resolve) => {
        new MutationObserver(resolve).observe(button, { attributes: true });
      });
    }
    return performance.now() - start;
  });
}

/**
 * Presses a button that saves a file.
 * @param {Pick<TestContext, 'after'>} context   when it ends, the file is gone
 * @param {Page} page
 * @param {string} selector
 * @returns {Promise<string>} where the file is
 */
export async function saved(context, page, selector) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'lab-files-'));
  context.after(() => rm(folder, { recursive: true }));
  const client = await page.createCDPSession();
  await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, eventsEnabled: true });
  const isSaved = new Promise((resolve) => {
    client.on('Browser.downloadProgress', ({ state }) => state === 'completed' && resolve(undefined));
  });
  await press(page, selector);
  await isSaved;
  await client.detach();
  const [name] = await readdir(folder);
  return path.join(folder, name);
}

/** Chooses files as a person does in the dialogue. @param {Page} page @param {string} selector @param {string[]} files */
export async function choose(page, selector, ...files) {
  const input = /** @type {import('puppeteer-core').ElementHandle<HTMLInputElement>} */ (await page.$(selector));
  await input.uploadFile(...files);
}

/** Goes to the results table and waits for so many rows. @param {Page} page @param {number} n */
export async function rows(page, n) {
  await goTo(page, 'compare');
  await waitForRows(page, n);
  return results(page);
}

/** Opens a run in Inspect by a click on its row. @param {Page} page @param {number} row   1: the newest */
export async function inspectRow(page, row) {
  await goTo(page, 'compare');
  await page.waitForSelector(`#results-rows tr:nth-child(${row})`);
  const id = await page.$eval(`#results-rows tr:nth-child(${row})`, (element) => element.getAttribute('data-run'));
  await page.click(`#results-rows tr:nth-child(${row}) td:nth-child(5)`);
  await page.waitForFunction((run) => {
    const select = document.querySelector('#inspect-run');
    return select instanceof HTMLSelectElement && select.value === run && document.querySelector('#inspect-sentence')?.textContent;
  }, {}, id);
  await inspected(page);
}

/** Waits until Inspect shows what is chosen there. @param {Page} page */
export async function inspected(page) {
  await page.waitForSelector('#place-inspect [aria-busy=false]');
}

/** What a canvas shows, channel by channel. @param {Page} page @param {string} selector @returns {Promise<number[]>} rgba */
export function pixelsOn(page, selector) {
  return page.$eval(selector, (canvas) => {
    const { width, height } = /** @type {HTMLCanvasElement} */ (canvas);
    const context = /** @type {HTMLCanvasElement} */ (canvas).getContext('2d');
    return [...(context?.getImageData(0, 0, width, height).data ?? [])];
  });
}

/** An image of the official test set, from MNIST's own file. @param {number} index @returns {Promise<number[]>} 784 */
export async function officialTestImage(index) {
  const bytes = await readFile(path.join(ORIGINALS, 't10k-images-idx3-ubyte'));
  return [...bytes.subarray(16 + 784 * index, 16 + 784 * (index + 1))];
}
