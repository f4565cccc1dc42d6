// Draw: a digit by mouse, finger, pen and keys; where and how large does not matter.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { goTo, openLab, pixelsOn, train } from './lab-page.mjs';

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

/** What the network sees: extent and centre of mass of the 28 × 28 pixels. @param {Page} page */
async function seen(page) {
  const ink = (await pixelsOn(page, '.draw__seen canvas')).filter((_, i) => i % 4 === 0);
  assert.equal(ink.length, 784);
  const inked = [...ink.entries()].filter(([, value]) => value > 0).map(([i]) => ({ x: i % 28, y: Math.floor(i / 28) }));
  const sides = [inked.map(({ x }) => x), inked.map(({ y }) => y)].map((at) => 1 + Math.max(...at) - Math.min(...at));
  const total = ink.reduce((sum, value) => sum + value, 0);
  const mean = (/** @type {(i: number) => number} */ at) => ink.reduce((sum, value, i) => sum + value * at(i), 0) / total;
  return { side: Math.max(...sides), x: mean((i) => i % 28), y: mean((i) => Math.floor(i / 28)), grey: new Set(ink).size };
}

test('digits drawn by mouse are read as one draws, wherever and however large they stand, by two networks', async (t) => {
  const { page, faults } = await openLab(t, { hash: '#plan=paired&mask=15' });
  await train(page);
  await goTo(page, 'draw');
  const [treatment, baseline] = await page.$$eval('#draw-first option', (options) =>
    options.map((option) => /** @type {HTMLOptionElement} */ (option).value));
  await page.select('#draw-first', baseline);
  for (const [digit, strokes] of DIGITS) {
    for (const how of [{}, { dx: 6 }, { dx: -6, dy: 5 }, { dy: -5 }, { scale: 0.6 }, { scale: 0.6, dx: 6, dy: 6 }]) {
      await draw(page, strokes, how);
      await waitForReading(page, digit);
      const { side, x, y, grey } = await seen(page);
      assert.ok(side >= 20 && side <= 21, `the longer side is ${side} pixels`); // its edge need not meet the pixels'
      assert.ok(Math.abs(x - 14) < 0.15 && Math.abs(y - 14) < 0.15, `centre of mass ${x}, ${y}`);
      assert.ok(grey > 4, `anti-aliased: ${grey} shades`);
    }
  }
  await page.select('#draw-second', treatment);
  await page.waitForFunction(() => / beside it \d \(/.test(document.querySelector('#draw-words')?.textContent ?? ''));
  assert.equal(await page.$$eval('#draw-bars .bars__pair', ([pair]) => pair.children.length), 2);
  const sums = await page.$$eval('#draw-bars .number', (figures) => figures
    .map((figure) => (figure.textContent ?? '').split(' / ').map(parseFloat))
    .reduce(([a, b], [x, y]) => [a + x, b + y], [0, 0]));
  sums.forEach((sum) => assert.ok(Math.abs(sum - 100) < 0.6, `probabilities add up to ${sum} %`));
  await draw(page, [[[0.2, 0.5], [0.8, 0.5]]]); // no digit, so that no two networks agree on it
  await page.waitForFunction(() => [...document.querySelectorAll('#draw-bars .number')].some((figure) => {
    const [own, other] = (figure.textContent ?? '').split(' / ');
    return own !== other;
  }));

  // It reads before the pen is lifted, and Undo takes a stroke back.
  await draw(page, [[[0.5, 0.2], [0.5, 0.8]]]);
  await waitForReading(page, 1);
  const { left, top, width } = await boardBox(page);
  await page.mouse.move(left + 0.1 * width, top + 0.2 * width);
  await page.mouse.down();
  await page.mouse.move(left + 0.9 * width, top + 0.2 * width, { steps: 5 });
  await page.waitForFunction(() => !document.querySelector('#draw-words')?.textContent?.startsWith('Reads 1 '));
  await page.mouse.up();
  await page.click('#board-undo');
  await waitForReading(page, 1);
  await page.click('#board-clear');
  await page.waitForFunction(() => document.querySelector('#draw-words')?.textContent === '');
  assert.deepEqual(faults, []);
});

test('a finger and a pen draw and do not scroll the page; keys draw too', async (t) => {
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
  const client = await page.createCDPSession();
  const pen = (/** @type {'mousePressed'|'mouseMoved'|'mouseReleased'} */ type, /** @type {number} */ y) =>
    client.send('Input.dispatchMouseEvent', {
      type, x: left + width / 2, y: top + y * width, button: 'left', buttons: 1, clickCount: 1, pointerType: 'pen',
    });
  await page.$eval('#board', (board) => board.addEventListener('pointerdown', (event) => {
    board.setAttribute('data-pointer', /** @type {PointerEvent} */ (event).pointerType);
  }));
  await pen('mousePressed', 0.2);
  for (let y = 0.3; y < 0.85; y += 0.1) {
    await pen('mouseMoved', y);
  }
  await pen('mouseReleased', 0.8);
  assert.equal(await page.$eval('#board', (board) => board.getAttribute('data-pointer')), 'pen');
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
