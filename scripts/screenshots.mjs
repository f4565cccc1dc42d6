// Pictures of the page to look at: node scripts/screenshots.mjs [--output DIR]
// Three widths, light and dark: first view, mid-training, after a run, after a sweep, gallery of mistakes, Draw, Data.
// Needs what the tests need (scripts/setup test) and a built dist/ (scripts/build).

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { launchBrowser, openPage, serveLab } from '../tests/browser/harness.mjs';
import { ended, goTo, ready, train } from '../tests/browser/lab-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

const WIDTHS = [360, 900, 1600];
const SCHEMES = ['light', 'dark'];
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

/** @param {string} output */
async function main(output) {
  await mkdir(output, { recursive: true });
  /** @type {(() => unknown)[]} */
  const ends = [];
  const context = { after: (/** @type {any} */ end) => void ends.unshift(end) };
  try {
    const url = await serveLab(context);
    for (const scheme of SCHEMES) {
      for (const width of WIDTHS) {
        const browser = await launchBrowser(context);
        const { page } = await openPage(browser);
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await page.setViewport({ width, height: 900 });
        await tour(page, url, async (name) => {
          await settle(page);
          const file = path.join(output, `${name}-${width}-${scheme}.png`);
          await page.screenshot({ path: /** @type {`${string}.png`} */ (file), fullPage: true });
          console.log(file);
        });
        await browser.close();
      }
    }
  } finally {
    for (const end of ends) {
      await end();
    }
  }
}

const { values } = parseArgs({ options: { output: { type: 'string', default: 'build/screenshots' } } });
await main(values.output).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
