// Runs that are kept: stored once more, gone on with in a later visit, deleted, and what hangs on a run that is deleted.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { newGate } from './harness.mjs';
import {
  countEngines, ended, goTo, inspectRow, nEngines, openLab, openSettings, ready, results, rows, textOf, tick, train, type,
  waitForRows, withoutServiceWorker,
} from './lab-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

const QUICK = '#preset=tiny&trainN=1000&epochs=2&lr=0.05&seed=7';
const ACCURACY = /^\d\d\.\d\d%$/;
const DELETE = '#results-rows tr:first-child button[aria-label^=Delete]';

/** Runs in the page, before its scripts: there is no room to store anything until `makeRoom`, and then storing takes until `letGo`. */
function lackRoom() {
  const { put } = IDBObjectStore.prototype;
  let isFull = true;
  let isSlow = true;
  IDBObjectStore.prototype.put = function (value, key) {
    if (isFull) {
      throw new DOMException('There is no room.', 'QuotaExceededError');
    }
    const goOn = () => {
      Object.assign(globalThis, { isStoring: true });
      if (isSlow) {
        this.count().onsuccess = goOn;
      }
    };
    goOn();
    return put.call(this, value, key);
  };
  Object.assign(globalThis, {
    makeRoom: () => (isFull = false),
    letGo: () => (isSlow = false),
  });
}

test('what is stored once more does not undo what has become of a run meanwhile', async (t) => {
  const { page } = await openLab(t, { hash: `${QUICK}&seeds=2`, scripts: [lackRoom] });
  await openSettings(page);
  await tick(page, '#plan-paused');
  await page.click('#train');
  await page.waitForSelector('#problem:not([hidden])');
  assert.match(await textOf(page, '#problem'), /no more room/);
  await page.evaluate(() => /** @type {any} */ (globalThis).makeRoom());
  await page.locator('#retry').click();
  await page.waitForFunction(() => 'isStoring' in globalThis);
  await page.locator('#pause').click();
  await page.waitForFunction(() =>
    document.querySelectorAll('.queue__words').length === 2
    && [...document.querySelectorAll('.queue__words')].every((words) => words.textContent?.startsWith('test ')));
  await page.evaluate(() => /** @type {any} */ (globalThis).letGo());
  await ended(page);
  const before = await rows(page, 2);
  await page.reload();
  await ready(page);
  assert.deepEqual(await rows(page, 2), before);
  assert.ok(before.every((cells) => ACCURACY.test(cells[4])));
});

/** Runs in the page, before its scripts. */
function haveEightCores() {
  Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => 8 });
}

test('a plan that goes on in a later visit takes no more memory than in the first', async (t) => {
  const gate = newGate(/engine-(fused|mul-add)\.wasm$/);
  const { page, url } = await openLab(t, {
    hash: '#widths=784,3072,3072,3072,3072,3072,10&seeds=8',
    server: { intercept: gate.intercept },
    scripts: [haveEightCores, countEngines, withoutServiceWorker],
  });
  let isAsked = gate.hold();
  await page.click('#train');
  await isAsked;
  const first = await nEngines(page);
  assert.ok(first > 1 && first < 9, `${first} engines`);
  await page.goto('about:blank');
  isAsked = gate.hold();
  await page.goto(url);
  await isAsked;
  assert.equal(await nEngines(page), first);
});

test('a plan whose start is deleted fails, and does not stand in the way of what is trained next', async (t) => {
  const { page } = await openLab(t, { hash: QUICK });
  await train(page);
  await inspectRow(page, 1);
  await page.click('#train-further');
  await page.waitForSelector('#continuation:not([hidden]) > *');
  await openSettings(page);
  await tick(page, '#plan-paused');
  await type(page, '#plan-seeds', 6);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent?.startsWith('Paused'));
  await rows(page, 7);
  await page.click('#results-rows tr:last-child button[aria-label^=Delete]');
  await waitForRows(page, 6);
  await goTo(page, 'train');
  await page.locator('#pause').click();
  await ended(page);
  assert.match(await textOf(page, '#problem'), /weights to go on from are not here any more/);
  await tick(page, '#plan-paused');
  await type(page, '#plan-seeds', 1);
  await type(page, '#setting-seed', 99);
  await page.keyboard.press('Enter');
  await ended(page);
  const [latest] = await rows(page, 7);
  assert.equal(latest[1], 'tiny, seed 99');
  assert.match(latest[4], ACCURACY);
});

test('Train does not speak of weights that were deleted', async (t) => {
  const { page } = await openLab(t, { hash: QUICK });
  await train(page);
  await inspectRow(page, 1);
  await page.click('#train-further');
  await page.waitForFunction(() => document.querySelector('#plan-summary')?.textContent?.includes('on from weights'));
  await goTo(page, 'compare');
  await page.click(DELETE);
  await waitForRows(page, 0);
  assert.doesNotMatch(await textOf(page, '#plan-summary'), /on from weights/);
});

/** Presses the mouse where it is. @param {Page} page @param {number} nth   in a row, as the browser counts them */
async function pressMouse(page, nth) {
  await page.mouse.down({ clickCount: nth });
  await page.mouse.up({ clickCount: nth });
}

test('a double click on Delete deletes one run, and one on Delete all only asks', async (t) => {
  const { page } = await openLab(t, { hash: `${QUICK}&seeds=4` });
  await train(page);
  await rows(page, 4);
  await page.hover(DELETE);
  await pressMouse(page, 1);
  await waitForRows(page, 3);
  await pressMouse(page, 2); // another run's button is under the mouse now
  const [latest] = await page.$$eval('#results-rows tr', (all) => all.map((row) => row.getAttribute('data-run')));
  await page.click(DELETE);
  await page.waitForFunction((id) => document.querySelector(`[data-run="${id}"]`) === null, {}, latest);
  assert.equal((await results(page)).length, 2);

  await page.waitForSelector('#delete-all:not(:disabled)');
  await page.click('#delete-all', { count: 2 });
  assert.equal(await textOf(page, '#delete-all'), 'Really delete all?');
  await page.click('#delete-all');
  await waitForRows(page, 0);
});

/** Runs in the page, before its scripts: the browser does not tell what room there is. */
function tellNoRoom() {
  StorageManager.prototype.estimate = () => Promise.reject(new DOMException('Not here.', 'SecurityError'));
}

test('a browser that does not tell what room there is has no fault', async (t) => {
  const { page, faults } = await openLab(t, { hash: QUICK, scripts: [tellNoRoom] });
  await goTo(page, 'compare');
  await page.waitForFunction(() =>
    document.querySelector('#storage')?.textContent !== '' || document.querySelector('#problem:not([hidden])'));
  assert.equal(await textOf(page, '#storage'), '0 runs kept in this browser, also when the page is closed.');
  assert.ok(await page.$('#problem[hidden]'));
  assert.deepEqual(faults, []);
});
