// Pictures of the page to look at: node scripts/screenshots.mjs [--output DIR]
// Three widths, light and dark: first view, mid-training, after a run, after a sweep, gallery of mistakes, Draw, Data.
// With --tour: the README's pictures of the page, into scripts/tour.
// Needs what the tests need (scripts/setup test) and a built dist/ (scripts/build).

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { launchBrowser, openPage, serveLab } from '../tests/browser/harness.mjs';
import { ended, goTo, ready, train } from '../tests/browser/lab-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

const WIDTHS = [360, 900, 1600];
const SCHEMES = ['light', 'dark'];

/** The README's pictures: the upper part of a page, 900 wide, and a little smaller. */
const TOUR_WIDTH = 900;
const TOUR_SCALE = 0.8;
/** @type {Map<string, {name: string, height: number}>} height: in CSS pixels, what is worth showing of the page */
const TOUR = new Map([
  ['3-result', { name: 'train', height: 1375 }],
  ['7-compare', { name: 'compare', height: 2100 }],
  ['4-mistakes', { name: 'inspect', height: 1325 }],
  ['5-draw', { name: 'draw', height: 969 }],
]);

const SWEEP = 'preset=tiny&trainN=1000&epochs=5&lr=0.05&plan=sweep&seeds=3';

/** @param {Page} page */
async function settle(page) {
  await page.evaluate(() => document.fonts.ready);
  await page.evaluate(() => new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(resolve));
  }));
}

/** @param {Page} page */
async function drawSeven(page) {
  await page.$eval('#board', (board) => board.scrollIntoView({ block: 'center', behavior: 'instant' }));
  const box = await page.$eval('#board', (board) => {
    const { left, top, width } = board.getBoundingClientRect();
    return { left, top, width };
  });
  const at = (/** @type {number} */ x, /** @type {number} */ y) =>
    /** @type {const} */ ([box.left + x * box.width, box.top + y * box.width]);
  await page.mouse.move(...at(0.3, 0.22));
  await page.mouse.down();
  await page.mouse.move(...at(0.7, 0.22), { steps: 5 });
  await page.mouse.move(...at(0.45, 0.82), { steps: 8 });
  await page.mouse.up();
  await page.waitForFunction(() => document.querySelector('#draw-words')?.textContent !== '');
}

/**
 * @param {Page} page
 * @param {string} url
 * @param {(name: string) => Promise<void>} shoot
 */
async function tour(page, url, shoot) {
  await page.goto(url);
  await ready(page);
  await shoot('1-first-view');
  await page.goto(`${url}#mask=15&epochs=20&trainN=10000`);
  await page.click('#train');
  await page.waitForFunction(() => /^Epoch [4-9]/.test(document.querySelector('#progress-phase')?.textContent ?? ''));
  await shoot('2-training');
  await ended(page);
  await page.waitForSelector('#mistakes-tiles canvas');
  await shoot('3-result');
  await page.click('#see-mistakes');
  await page.waitForFunction(() => document.querySelectorAll('.focus__strip').length === 5);
  await shoot('4-mistakes');
  await goTo(page, 'draw');
  await drawSeven(page);
  await shoot('5-draw');
  await goTo(page, 'train');
  await page.goto(`${url}#${SWEEP}`);
  await page.waitForFunction(() => document.querySelector('#plan-summary')?.textContent?.startsWith('15 runs'));
  await train(page);
  await shoot('6-sweep');
  await goTo(page, 'compare');
  await page.waitForFunction(() => document.querySelectorAll('.seeds__words').length === 4);
  await shoot('7-compare');
  await goTo(page, 'data');
  await page.click('#audit-train');
  await page.waitForSelector('[data-split=train] tbody tr');
  await shoot('8-data');
}

/**
 * Opens the lab and takes a picture of each place.
 * @param {{after: (end: any) => void}} context
 * @param {{url: string, width: number, scheme: string}} look
 * @param {(page: Page, name: string) => Promise<string|null>} shoot   the file that it wrote
 */
async function visit(context, { url, width, scheme }, shoot) {
  const browser = await launchBrowser(context);
  const { page } = await openPage(browser);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.setViewport({ width, height: 900 });
  await tour(page, url, async (name) => {
    await settle(page);
    const file = await shoot(page, name);
    if (file !== null) {
      console.log(file);
    }
  });
  await browser.close();
}

/** @param {Parameters<typeof visit>[0]} context @param {string} url */
async function takeTour(context, url) {
  const folder = fileURLToPath(new URL('tour/', import.meta.url));
  await visit(context, { url, width: TOUR_WIDTH, scheme: 'light' }, async (page, name) => {
    const picture = TOUR.get(name);
    if (picture === undefined) {
      return null;
    }
    const file = path.join(folder, `${picture.name}.webp`);
    await page.screenshot({
      path: /** @type {`${string}.webp`} */ (file),
      type: 'webp',
      quality: 80,
      captureBeyondViewport: true,
      clip: { x: 0, y: 0, width: TOUR_WIDTH, height: picture.height, scale: TOUR_SCALE },
    });
    return file;
  });
}

/** @param {Parameters<typeof visit>[0]} context @param {string} url @param {string} output */
async function takeAll(context, url, output) {
  await mkdir(output, { recursive: true });
  for (const scheme of SCHEMES) {
    for (const width of WIDTHS) {
      await visit(context, { url, width, scheme }, async (page, name) => {
        const file = path.join(output, `${name}-${width}-${scheme}.png`);
        await page.screenshot({ path: /** @type {`${string}.png`} */ (file), fullPage: true });
        return file;
      });
    }
  }
}

/** @param {{output: string, tour: boolean}} options */
async function main({ output, tour: isTour }) {
  /** @type {(() => unknown)[]} */
  const ends = [];
  const context = { after: (/** @type {any} */ end) => void ends.unshift(end) };
  try {
    const url = await serveLab(context);
    await (isTour ? takeTour(context, url) : takeAll(context, url, output));
  } finally {
    for (const end of ends) {
      await end();
    }
  }
}

const { values } = parseArgs({
  options: { output: { type: 'string', default: 'build/screenshots' }, tour: { type: 'boolean', default: false } },
});
await main(values).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
