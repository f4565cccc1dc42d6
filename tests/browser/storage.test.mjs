// What outlives a reload, a crash and a full disk: runs, their weights, and plans that are not finished.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage } from './harness.mjs';
import { ended, goTo, openLab, ready, textOf, train } from './lab-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

const QUICK = '#preset=tiny&trainN=1000&epochs=2&lr=0.05';
const GRID = `${QUICK}&plan=grid&seeds=4&ps=0.25,0.5&masks=3,15`; // 16 runs
const ACCURACY = /^\d\d\.\d\d%$/;

/** @param {Page} page @returns {Promise<string[][]>} cells of the results table, the newest run first */
function results(page) {
  return page.$$eval('#results-rows tr', (list) => list.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
}

/** Goes to the table and waits for so many rows. @param {Page} page @param {number} n */
async function rows(page, n) {
  await goTo(page, 'compare');
  await page.waitForFunction((count) => document.querySelectorAll('#results-rows tr').length === count, {}, n);
  return results(page);
}

/** Waits until so many runs of the plan that is shown have their test result. @param {Page} page @param {number} n */
async function tested(page, n) {
  await page.waitForFunction(
    (count) => {
      const words = [...document.querySelectorAll('.queue__words')].map((element) => element.textContent ?? '');
      return words.filter((text) => /^test \d/.test(text)).length >= count;
    },
    { timeout: 60_000 },
    n,
  );
}

/** Finished runs that the database holds, with the time that their training took. @param {Page} page @returns {Promise<Record<string, number>>} */
function stored(page) {
  return page.evaluate(async () => {
    const database = await new Promise((resolve, reject) => {
      const request = indexedDB.open('mnist-browser-lab');
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const runs = await new Promise((resolve) => {
      const request = database.transaction('runs').objectStore('runs').getAll();
      request.onsuccess = () => resolve(request.result);
    });
    database.close();
    const finished = runs.filter((/** @type {any} */ run) => run.status === 'finished');
    return Object.fromEntries(finished.map((/** @type {any} */ run) => [run.id, run.result.timing.trainingSeconds]));
  });
}

/** Kills the page's process, workers and all. @param {Page} page */
async function crash(page) {
  const session = await page.createCDPSession();
  const crashed = new Promise((resolve) => session.once('Inspector.targetCrashed', resolve));
  await session.send('Inspector.enable');
  session.send('Page.crash').catch(() => {}); // there is nobody left to answer
  await crashed;
}

test('a run is stored as it finishes: it is there after a crash, with its weights', async (t) => {
  const { browser, page, url } = await openLab(t, { hash: QUICK });
  await train(page);
  const before = (await rows(page, 1))[0];
  await page.waitForFunction(() => document.querySelector('#storage')?.textContent?.startsWith('1 run kept'));
  await crash(page);

  const { page: next, faults } = await openPage(browser);
  await next.goto(url);
  await ready(next);
  assert.deepEqual((await rows(next, 1))[0], before);
  assert.match(await textOf(next, '#storage'), /1 run kept in this browser.*The lab takes [\d.]+ .B of the [\d.]+ .B/);
  await next.click('#results-rows .link');
  await next.waitForSelector('#place-inspect:not([hidden]) #gallery-tiles canvas', { timeout: 30_000 });
  assert.deepEqual(faults, []);
});

test('a grid goes on after a crash where it stood: what is finished is not trained again', async (t) => {
  const { browser, page, url } = await openLab(t, { hash: GRID });
  await page.click('#train');
  await tested(page, 3);
  const queue = await queueOf(page);
  await crash(page);

  const { page: next, faults } = await openPage(browser);
  await next.goto(url);
  await ready(next);
  const before = await stored(next);
  const nFinished = Object.keys(before).length;
  assert.ok(nFinished >= 2 && nFinished < 16, `${nFinished} were finished`);
  await next.waitForSelector('.queue__run');
  assert.deepEqual(await queueOf(next), queue);
  await ended(next);
  assert.ok((await rows(next, 16)).every((cells) => ACCURACY.test(cells[4])));
  const after = await stored(next);
  assert.equal(Object.keys(after).length, 16);
  assert.deepEqual(Object.keys(before).map((id) => after[id]), Object.values(before));
  assert.deepEqual(faults, []);
});

/** The runs of the plan that is shown, in their order. @param {Page} page @returns {Promise<string[]>} */
function queueOf(page) {
  return page.$$eval('.queue__run > :first-child', (names) => names.map((name) => name.textContent ?? ''));
}

test('a second page leaves a plan to the first, and takes it on when that is closed', async (t) => {
  const { browser, page, url } = await openLab(t, { hash: GRID });
  await page.click('#train');
  await tested(page, 1);
  const { page: second } = await openPage(browser);
  await second.goto(url);
  await ready(second);
  await rows(second, 0);
  await goTo(second, 'train');
  assert.equal(await second.$eval('#train', (button) => button.hasAttribute('hidden')), false);
  await page.close();
  await second.waitForSelector('.queue__run');
  await ended(second);
  const all = await rows(second, 16);
  assert.ok(all.every((cells) => ACCURACY.test(cells[4])));
});

test('a plan that was stopped stays stopped', async (t) => {
  const { page } = await openLab(t, { hash: GRID });
  await page.click('#train');
  await tested(page, 1);
  await page.click('#stop');
  await ended(page);
  await goTo(page, 'compare');
  const n = (await results(page)).length;
  await page.waitForFunction(() => !/fetches|trains/.test(document.querySelector('#results-rows')?.textContent ?? ''));
  await page.reload();
  await ready(page);
  const after = await rows(page, n);
  assert.ok(after.every((cells) => ACCURACY.test(cells[4]) || cells[4] === 'stopped'), after.map((cells) => cells[4]).join());
  assert.equal(await page.$eval('#train', (button) => button.hasAttribute('hidden')), false);
});

test('no room: said in plain words, kept for this visit, stored once there is room', async (t) => {
  const { page, url } = await openLab(t, { hash: QUICK });
  const session = await page.createCDPSession();
  const origin = new URL(url).origin;
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 });
  await train(page);
  assert.match(await textOf(page, '#problem'), /no more room for the lab, so a run is kept only until the page is closed\. Delete/);
  assert.match(await textOf(page, '#problem'), /STORAGE_FULL/);
  await rows(page, 1);
  await page.waitForFunction(() => document.querySelector('#storage')?.textContent?.includes('1 run only until it is closed'));
  await page.click('#results-rows .link'); // its weights are there nevertheless
  await page.waitForSelector('#place-inspect:not([hidden]) #gallery-tiles canvas', { timeout: 30_000 });

  await session.send('Storage.overrideQuotaForOrigin', { origin });
  await page.click('#retry');
  await page.waitForSelector('#problem[hidden]');
  await goTo(page, 'compare');
  await page.waitForFunction(() => document.querySelector('#storage')?.textContent?.startsWith('1 run kept'));
  await page.reload();
  await ready(page);
  assert.ok((await rows(page, 1)).every((cells) => ACCURACY.test(cells[4])));
});

test('room that is made by deleting a run is used at once', async (t) => {
  const { page } = await openLab(t, { hash: QUICK });
  await train(page);
  await page.evaluate(() => {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('There is no room.', 'QuotaExceededError');
    };
    Object.assign(window, {
      makeRoom() {
        IDBObjectStore.prototype.put = put;
      },
    });
  });
  await train(page);
  await page.waitForSelector('#problem:not([hidden])');
  await rows(page, 2);
  await page.evaluate(() => {
    /** @type {any} */ (window).makeRoom();
  });
  await page.click('#results-rows tr:last-child button[aria-label^=Delete]');
  await page.waitForSelector('#problem[hidden]');
  await page.waitForFunction(() => document.querySelector('#storage')?.textContent?.startsWith('1 run kept'));
  assert.equal(Object.keys(await stored(page)).length, 1);
});

test('a browser without storage says so and works for the visit', async (t) => {
  const { browser, url } = await openLab(t);
  const { page, faults } = await openPage(browser);
  await page.evaluateOnNewDocument(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('Not here.', 'SecurityError');
    };
  });
  await page.goto(url + QUICK);
  await ready(page);
  await page.waitForSelector('#problem:not([hidden])');
  assert.match(await textOf(page, '#problem'), /keeps nothing for this page, so runs are lost at the end of this visit/);
  await train(page);
  assert.match((await rows(page, 1))[0][4], ACCURACY);
  await page.click('#results-rows .link');
  await page.waitForSelector('#place-inspect:not([hidden]) #gallery-tiles canvas', { timeout: 30_000 });
  assert.deepEqual(faults, []);
});
