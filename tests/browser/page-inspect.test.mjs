// Inspect: gallery, confusion matrix, focused image, branches taken out, and networks that are not tested yet.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import {
  choose, ended, follow, goTo, inspected, inspectRow, officialTestImage, openLab, openSettings, pixelsOn, ready, results, rows,
  saved, textOf, tick, train,
} from './lab-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

const QUICK = '#preset=tiny&trainN=1000&epochs=3&lr=0.05&mask=15';
const PAIRED = `${QUICK}&plan=paired`;

/** @param {Page} page @returns {Promise<number>} images that the filters let through */
async function nShown(page) {
  const words = await textOf(page, '#gallery-position');
  return Number(words.replace(/^.*, /, '').replace(/[^\d]/g, ''));
}

/** @param {Page} page @param {string} outcome @returns {Promise<string[]>} what the tiles of its first page say */
async function filter(page, outcome) {
  await page.click(`.chip:has([name=gallery-outcome][value=${outcome}])`);
  return labels(page);
}

/** @param {Page} page @returns {Promise<string[]>} */
function labels(page) {
  return page.$$eval('#gallery-tiles button', (all) => all.map((tile) => tile.getAttribute('aria-label') ?? ''));
}

/** The pictures in a list of canvases. @param {Page} page @param {string} selector @returns {Promise<string[]>} */
function pictures(page, selector) {
  return page.$$eval(selector, (all) => all.map((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL()));
}

/** Waits until what is said of the focused image is of this kind. @param {Page} page @param {RegExp} words */
async function waitForVerdict(page, words) {
  await page.waitForFunction((source) => new RegExp(source).test(document.querySelector('#focus-verdict')?.textContent ?? ''), {},
    words.source);
}

test('the gallery: by outcome, digit and cell; one image large, both networks’ probabilities, its place in MNIST', async (t) => {
  const { page, faults } = await openLab(t, { hash: PAIRED });
  const preview = await pictures(page, '#preview canvas');
  await train(page);
  assert.deepEqual(await pictures(page, '#preview canvas'), preview);
  assert.doesNotMatch(await textOf(page, '#preview'), /read/, 'training digits have no readings');
  await rows(page, 2);
  await inspectRow(page, 1);
  await page.waitForSelector('#gallery-tiles canvas');
  const sentence = await textOf(page, '#inspect-sentence');
  const [, errors, harmed, repaired] = (/([\d,]+) mistakes.*: ([\d,]+) newly wrong, ([\d,]+) repaired/.exec(sentence) ?? [])
    .map((part) => Number(part.replace(',', '')));
  assert.equal(await nShown(page), errors);
  assert.ok((await filter(page, 'harmed')).every((label) => /^A (\d), read as (?!\1)\d$/.test(label)));
  assert.equal(await nShown(page), harmed);
  assert.match(await textOf(page, '#focus-verdict'), /^A (\d), read as (?!\1).*The baseline reads \1\.$/);
  assert.ok((await filter(page, 'repaired')).every((label) => /^A \d, read right$/.test(label)));
  assert.equal(await nShown(page), repaired);
  assert.match(await textOf(page, '#focus-verdict'), /^A (\d), read as \1 .*The baseline reads (?!\1)\d\.$/);
  await filter(page, 'all');
  assert.equal(await nShown(page), 2000);
  assert.match(await textOf(page, '#gallery-position'), /^Page 1 of 50/);
  await page.click('#gallery-next');
  assert.match(await textOf(page, '#gallery-position'), /^Page 2 of 50/);
  assert.equal((await labels(page)).length, 40);
  await page.select('#gallery-truth', '7');
  assert.equal(await nShown(page), 200);
  const sevens = await pictures(page, '#gallery-tiles canvas');
  assert.ok((await labels(page)).every((label) => label.startsWith('A 7,')));
  assert.deepEqual(sevens.filter((picture) => preview.includes(picture)), [], 'no training digit is among the test images');
  await page.select('#gallery-guess', '7');
  assert.ok((await labels(page)).every((label) => label === 'A 7, read right'));

  const cells = await page.$$eval('.confusion__cell', (buttons) => buttons.map((button) => Number(button.textContent)));
  assert.equal(cells.reduce((sum, n) => sum + n, 0), 2000);
  const [cell, n] = await page.$$eval('.confusion__cell:not(.confusion__cell--right):not(:disabled)', ([button]) =>
    [button.getAttribute('data-cell') ?? '', Number(button.textContent)]);
  await page.click(`[data-cell="${cell}"]`);
  assert.equal(await nShown(page), n);
  const [truth, guess] = String(cell).split('-');
  const tiles = await labels(page);
  assert.ok(tiles.every((label) => label === `A ${truth}, read as ${guess}`), tiles.join());

  await waitForVerdict(page, new RegExp(`^A ${truth}, read as ${guess} with .*The baseline reads \\d\\.$`));
  assert.equal(await page.$$eval('#focus-bars li', (bars) => bars.length), 10);
  const sums = await page.$$eval('#focus-bars .number', (figures) => figures
    .map((figure) => (figure.textContent ?? '').split(' / ').map(parseFloat))
    .reduce(([a, b], [x, y]) => [a + x, b + y], [0, 0]));
  sums.forEach((sum) => assert.ok(Math.abs(sum - 100) < 0.6, `probabilities add up to ${sum} %`));

  // The image is the one that MNIST's own file has at the index that is named.
  const place = /^Index ([\d,]+) in MNIST’s official test set/.exec(await textOf(page, '#focus-index'));
  const drawn = (await pixelsOn(page, '.focus__digit canvas')).filter((_, i) => i % 4 === 0);
  assert.deepEqual(drawn, await officialTestImage(Number(place?.[1].replace(',', ''))));

  await page.waitForFunction(() => document.querySelectorAll('.focus__strip').length === 5);
  const activations = await pictures(page, '.focus__strip');
  const widths = await page.$$eval('.focus__layers', ([layers]) => layers.textContent ?? '');
  assert.match(widths, /128.*96.*64.*48.*32/);
  await filter(page, 'all');
  await page.select('#gallery-truth', '');
  await page.select('#gallery-guess', '');
  await page.click('#gallery-tiles li:nth-child(3) button');
  await page.waitForFunction((before) => {
    const strips = [...document.querySelectorAll('.focus__strip')];
    const now = strips.map((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL());
    return now.length === 5 && now.every((picture, layer) => picture !== before[layer]);
  }, {}, activations);
  assert.deepEqual(faults, []);
});

test('branches taken out of any run, at both its checkpoints, are tested apart; the run’s own figures stay', async (t) => {
  const { page, faults } = await openLab(t, { hash: PAIRED });
  await train(page);
  const listed = await rows(page, 2);
  /** @param {number} row @param {number} checkpoint   1: selected, 2: final */
  const removal = async (row, checkpoint) => {
    await inspectRow(page, row);
    await page.click(`.inspect__head .chip:nth-child(${checkpoint})`);
    await inspected(page);
    await page.waitForFunction(() => document.querySelectorAll('#removal-rows tr').length === 1);
    const own = await textOf(page, '#inspect-sentence');
    await page.click('#removal-branches .chip:nth-child(2)');
    await page.waitForSelector('#removal-rows tr[data-mask="13"]');
    await page.click('#removal-branches .chip:nth-child(4)');
    await page.waitForSelector('#removal-rows tr[data-mask="5"]');
    assert.equal(await textOf(page, '#inspect-sentence'), own);
    const table = await page.$$eval('#removal-rows tr', (all) =>
      all.map((tr) => [...tr.children].map((td) => td.textContent ?? '')));
    assert.deepEqual(table.map(([active]) => active), ['all four', '1, 3, 4', '1, 3']);
    for (const cells of table) {
      assert.equal(cells.length, 13);
      const [accuracy, , ...digits] = cells.slice(1).map(parseFloat);
      const mean = digits.reduce((sum, value) => sum + value, 0) / 10;
      assert.ok(Math.abs(mean - accuracy) < 0.06, `digits average ${mean}, in all ${accuracy}`);
    }
    assert.ok(own.startsWith(`${table[0][1]} of`), `${own} ${table[0][1]}`);
    return table;
  };
  await removal(1, 2);
  const treatment = await removal(1, 1);
  const baseline = await removal(2, 1);
  for (const [full, without2, without24] of [treatment, baseline]) {
    assert.equal(new Set([full[2], without2[2], without24[2]]).size, 3, 'each branch changes the loss');
  }
  assert.notDeepEqual(treatment, baseline);
  assert.deepEqual(await rows(page, 2), listed);
  assert.deepEqual(faults, []);
});

test('what was tested without some branches stays while a run of another plan ends', async (t) => {
  const { page } = await openLab(t, { hash: QUICK });
  await train(page);
  await follow(page, `${QUICK}&mask=0`);
  await openSettings(page);
  await tick(page, '#plan-paused');
  await page.click('#train');
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent?.startsWith('Paused'));
  await rows(page, 2);
  await inspectRow(page, 2);
  await page.click('#removal-branches .chip:nth-child(2)');
  await page.waitForSelector('#removal-rows tr[data-mask="13"]');
  await goTo(page, 'train');
  await page.locator('#pause').click();
  await ended(page);
  await goTo(page, 'inspect');
  // The run that has ended is a baseline, so Inspect shows the first one anew.
  await page.waitForFunction(() => document.querySelector('#inspect-sentence')?.textContent?.includes('Against its baseline'));
  assert.equal(await page.$$eval('#removal-rows tr', (all) => all.length), 2);
  const isActive = await page.$$eval('#removal-branches input', (all) => all.map((input) => input.checked));
  assert.deepEqual(isActive, [true, false, true, true]);
});

test('a checkpoint with fewer mistakes shows the last page of them, not one past the end', async (t) => {
  const { page } = await openLab(t, { hash: QUICK });
  await train(page);
  await rows(page, 1);
  const file = await saved(t, page, '#export-json');
  const json = JSON.parse(await readFile(file, 'utf8'));
  json.runs[0].endpoints.selected.predictions.fill(0);
  await writeFile(file, JSON.stringify(json));
  await choose(page, '#import-file', file);
  await rows(page, 2);
  await inspectRow(page, 1);
  await page.select('#gallery-truth', '7');
  for (let at = 2; at <= 5; at++) {
    await page.click('#gallery-next');
    await page.waitForFunction((words) => document.querySelector('#gallery-position')?.textContent === words, {},
      `Page ${at} of 5, 200 images`);
  }
  await page.click('.inspect__head .chip:nth-child(2)');
  await inspected(page);
  const [, at, nPages] = /^Page (\d) of (\d), /.exec(await textOf(page, '#gallery-position')) ?? [];
  assert.equal(at, nPages);
  assert.ok(Number(nPages) < 5);
  assert.ok((await labels(page)).length > 0);
});

test('on a phone, choosing other images does not leave the choice', async (t) => {
  const { page } = await openLab(t, { width: 390, height: 700, isTouched: true, hash: QUICK });
  await train(page);
  await goTo(page, 'inspect');
  await page.waitForSelector('#gallery-tiles canvas');
  await inspected(page);
  await page.$eval('.gallery__filters', (filters) => filters.scrollIntoView({ block: 'center' }));
  const before = await page.evaluate(() => scrollY);
  await page.tap('.chip:has([name=gallery-outcome][value=all])');
  await page.waitForFunction(() => document.querySelector('#gallery-position')?.textContent?.endsWith('2,000 images'));
  assert.equal(await page.evaluate(() => scrollY), before);
  await page.tap('#gallery-tiles li:first-child ~ li button');
  await page.waitForFunction((y) => scrollY < y, {}, before); // to the image, large
});

test('a run that was tested on other images is not shown with these', async (t) => {
  const { page, faults } = await openLab(t, { hash: QUICK });
  await train(page);
  await rows(page, 1);
  const file = await saved(t, page, '#export-json');
  const json = JSON.parse(await readFile(file, 'utf8'));
  json.runs[0].provenance.testSHA256 = 'ab'.repeat(32);
  await writeFile(file, JSON.stringify(json));
  await inspectRow(page, 1);
  await page.waitForSelector('#gallery-tiles canvas');
  await goTo(page, 'compare');
  await choose(page, '#import-file', file);
  await rows(page, 2);
  await page.click('#results-rows tr:first-child td:nth-child(5)');
  await page.waitForSelector('#problem:not([hidden])');
  assert.match(await textOf(page, '#problem'), /tested on other images than those at hand.*abababab/s);
  const isSeen = await page.$eval('#gallery-tiles', (tiles) => tiles.checkVisibility());
  assert.equal(isSeen, false);
  await inspectRow(page, 2);
  await page.waitForFunction(() => document.querySelector('#gallery-tiles')?.checkVisibility());
  assert.deepEqual(faults, []);
});

test('test images that cannot be had: the network is kept, saved and drawn for, and tested when they can be had', async (t) => {
  let isBroken = true;
  const { page, url } = await openLab(t, {
    hash: QUICK,
    server: {
      intercept(_request, response, pathname) {
        if (isBroken && pathname.startsWith('/dataset/test')) {
          response.statusCode = 503;
          response.end();
          return true;
        }
        return false;
      },
    },
  });
  await train(page);
  assert.equal(await textOf(page, '#progress-phase'), 'Trained, not tested');
  assert.match(await textOf(page, '#outcome'), /can be tested when the test images can be fetched/);
  assert.equal((await rows(page, 1))[0][4], 'untested');
  await page.reload();
  await ready(page);
  await rows(page, 1);
  await inspectRow(page, 1);
  assert.match(await textOf(page, '#inspect-sentence'), /^It is not tested yet/);
  assert.match(await textOf(page, '#inspect-run'), /not tested/);
  assert.equal(path.extname(await saved(t, page, '#save-safetensors')), '.safetensors');
  await goTo(page, 'draw');
  assert.notEqual(await page.$eval('#draw-first', (select) => /** @type {HTMLSelectElement} */ (select).value), '');
  await goTo(page, 'inspect');
  await page.click('#test-now');
  await page.waitForSelector('#problem:not([hidden])');
  assert.equal(await page.$eval('#gallery-tiles', (tiles) => tiles.checkVisibility()), false);

  isBroken = false;
  await page.click('#test-now');
  await page.waitForFunction(() => document.querySelector('#gallery-tiles canvas')?.checkVisibility());
  assert.ok(await page.$eval('#problem', (notice) => /** @type {HTMLElement} */ (notice).hidden));
  assert.equal(await page.$eval('#test-now', (button) => button.checkVisibility()), false);
  await page.click('#train-further');
  await page.waitForSelector('#continuation:not([hidden])');
  await page.click('#start-from-seed');
  await train(page);
  const [again, late] = await rows(page, 2);
  assert.match(late[4], /%$/);
  assert.deepEqual(late.slice(1, 6), again.slice(1, 6), 'the figures of a run that was tested at once');

  // “Try again” does the same.
  isBroken = true;
  await page.goto(`${url}${QUICK}&testSet=10000`);
  await page.waitForSelector('[name=setting-testSet][value="10000"]:checked');
  await goTo(page, 'train');
  await train(page);
  assert.equal((await rows(page, 3))[0][4], 'untested');
  isBroken = false;
  await page.click('#retry');
  await page.waitForFunction(() => !document.querySelector('#results-rows')?.textContent?.includes('untested'));
  assert.match((await results(page))[0][4], /%$/);
  await inspectRow(page, 1);
  assert.match(await textOf(page, '#inspect-sentence'), /of 10,000 test images read right/);
});
