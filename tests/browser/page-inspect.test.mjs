// Inspect: gallery, confusion matrix, focused image, branches taken out.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { goTo, openLab, textOf, train } from './lab-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

const PAIRED = '#preset=tiny&trainN=1000&epochs=3&lr=0.05&plan=paired&mask=15';

/** @param {Page} page @returns {Promise<number>} images that the filters let through */
async function nShown(page) {
  const words = await textOf(page, '#gallery-position');
  return Number(words.replace(/^.*, /, '').replace(/[^\d]/g, ''));
}

/** @param {Page} page @param {string} outcome */
async function choose(page, outcome) {
  await page.click(`.chip:has([name=gallery-outcome][value=${outcome}])`);
}

test('mistakes against the baseline, cell by cell, with both networks’ probabilities', async (t) => {
  const { page, faults } = await openLab(t, { hash: PAIRED });
  await train(page);
  await goTo(page, 'inspect');
  await page.waitForSelector('#gallery-tiles canvas');
  const sentence = await textOf(page, '#inspect-sentence');
  const [, errors, harmed, repaired] = (/([\d,]+) mistakes.*: ([\d,]+) newly wrong, ([\d,]+) repaired/.exec(sentence) ?? [])
    .map((part) => Number(part.replace(',', '')));
  assert.equal(await nShown(page), errors);
  await choose(page, 'harmed');
  assert.equal(await nShown(page), harmed);
  await choose(page, 'repaired');
  assert.equal(await nShown(page), repaired);
  await choose(page, 'all');
  assert.equal(await nShown(page), 2000);
  assert.match(await textOf(page, '#gallery-position'), /^Page 1 of 50/);
  await page.click('#gallery-next');
  assert.match(await textOf(page, '#gallery-position'), /^Page 2 of 50/);
  assert.equal(await page.$$eval('#gallery-tiles canvas', (tiles) => tiles.length), 40);

  const cells = await page.$$eval('.confusion__cell', (buttons) => buttons.map((button) => Number(button.textContent)));
  assert.equal(cells.reduce((sum, n) => sum + n, 0), 2000);
  const [cell, n] = await page.$$eval('.confusion__cell:not(.confusion__cell--right):not(:disabled)', ([button]) =>
    [button.getAttribute('data-cell') ?? '', Number(button.textContent)]);
  await page.click(`[data-cell="${cell}"]`);
  assert.equal(await nShown(page), n);
  const [truth, guess] = String(cell).split('-');
  const tiles = await page.$$eval('#gallery-tiles button', (all) => all.map((tile) => tile.getAttribute('aria-label')));
  assert.ok(tiles.every((label) => label === `A ${truth}, read as ${guess}`), tiles.join());

  const verdict = new RegExp(`^A ${truth}, read as ${guess} with .*The baseline reads \\d\\.$`);
  assert.match(await textOf(page, '#focus-verdict'), verdict);
  assert.match(await textOf(page, '#focus-index'), /^Index [\d,]+ in MNIST’s official test set/);
  assert.equal(await page.$$eval('#focus-bars li', (rows) => rows.length), 10);
  const sums = await page.$$eval('#focus-bars .number', (figures) => figures
    .map((figure) => (figure.textContent ?? '').split(' / ').map(parseFloat))
    .reduce(([a, b], [x, y]) => [a + x, b + y], [0, 0]));
  sums.forEach((sum) => assert.ok(Math.abs(sum - 100) < 0.6, `probabilities add up to ${sum} %`));
  await page.waitForFunction(() => document.querySelectorAll('.focus__strip').length === 5);
  assert.deepEqual(faults, []);
});

test('branches taken out at inference are tested apart; the run’s own figures stay', async (t) => {
  const { page, faults } = await openLab(t, { hash: PAIRED });
  await train(page);
  await goTo(page, 'inspect');
  await page.waitForSelector('#removal-rows tr');
  const own = await textOf(page, '#inspect-sentence');
  await page.click('#removal-branches .chip:nth-child(2)');
  await page.waitForSelector('#removal-rows tr[data-mask="13"]');
  await page.click('#removal-branches .chip:nth-child(4)');
  await page.waitForSelector('#removal-rows tr[data-mask="5"]');
  const rows = await page.$$eval('#removal-rows tr', (all) =>
    all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
  assert.deepEqual(rows.map(([active]) => active), ['all four', '1, 3, 4', '1, 3']);
  rows.forEach((cells) => {
    assert.equal(cells.length, 13);
    const [accuracy, , ...digits] = cells.slice(1).map(parseFloat);
    const mean = digits.reduce((sum, value) => sum + value, 0) / 10;
    assert.ok(Math.abs(mean - accuracy) < 0.06, `digits average ${mean}, in all ${accuracy}`);
  });
  assert.equal(await textOf(page, '#inspect-sentence'), own);
  await page.click('.inspect__head .chip:nth-child(2)');
  await page.waitForFunction(() => document.querySelectorAll('#removal-rows tr').length === 1);
  assert.deepEqual(faults, []);
});
