// What outlives a reload, a crash and a full disk: runs, their weights, and plans that are not finished.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage } from './harness.mjs';
import { ended, goTo, openLab, press, ready, results, rows, textOf, train, waitForRows } from './lab-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

const QUICK = '#preset=tiny&trainN=1000&epochs=2&lr=0.05';
/** 16 runs, some seconds together: what a test does after the first of them, it does while others wait. */
const GRID = `${QUICK.replace('epochs=2', 'epochs=20')}&plan=grid&seeds=4&ps=0.25,0.5&masks=3,15`;
const ACCURACY = /^\d\d\.\d\d%$/;

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

/** Finished runs that the database holds, with the time that their training took. @returns {Promise<Record<string, number>>} */
async function readStored() {
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
}

/** @param {Page} page */
function stored(page) {
  return page.evaluate(readStored);
}

/** Keeps the database busy: what the page asks of it waits. @param {Page} page @returns {Promise<() => Promise<void>>} ends it */
async function hold(page) {
  await page.evaluate(async () => {
    /** @type {IDBDatabase} */
    const database = await new Promise((resolve, reject) => {
      const request = indexedDB.open('mnist-browser-lab');
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const runs = database.transaction(['runs', 'weights'], 'readwrite').objectStore('runs');
    let isHeld = true;
    Object.assign(window, { letGo: () => (isHeld = false) });
    await new Promise((resolve) => {
      const goOn = () => {
        resolve(undefined);
        if (isHeld) {
          runs.count().onsuccess = goOn;
        } else {
          database.close();
        }
      };
      runs.count().onsuccess = goOn;
    });
  });
  return () => page.evaluate(() => /** @type {any} */ (window).letGo());
}

/** Waits until the page has drawn what it knows. @param {Page} page */
function drawn(page) {
  return page.evaluate(() => new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(resolve));
  }));
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
  await next.waitForFunction(() => /1 run kept in this browser.*The lab takes [\d.]+ .B of the [\d.]+ .B/
    .test(document.querySelector('#storage')?.textContent ?? ''));
  await next.click('#results-rows .link');
  await next.waitForSelector('#place-inspect:not([hidden]) #gallery-tiles canvas', { timeout: 30_000 });
  assert.deepEqual(faults, []);
});

test('a grid goes on after a crash where it stood: what is finished is not trained again', async (t) => {
  const { browser, page, url } = await openLab(t, { hash: GRID });
  await page.click('#train');
  await tested(page, 3);
  const queue = await queueOf(page);
  await page.waitForFunction(`(${readStored})().then((runs) => Object.keys(runs).length >= 2)`);
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

test('the page is stopped only when a reload would not go on either', async (t) => {
  const { page } = await openLab(t, { hash: GRID });
  await page.click('#train');
  await tested(page, 1);
  const letGo = await hold(page);
  await page.click('#stop');
  await page.waitForFunction(() => document.querySelectorAll('.queue__run').length < 16); // those that waited are struck
  await drawn(page);
  assert.equal(await page.$eval('#train', (button) => button.hasAttribute('hidden')), true);
  await letGo();
  await ended(page);
  const n = await page.$$eval('.queue__run', (all) => all.length);
  await page.reload();
  await ready(page);
  assert.ok((await rows(page, n)).every((cells) => ACCURACY.test(cells[4]) || cells[4] === 'stopped'));
});

test('a run that is deleted is listed until the browser has deleted it, and does not come back', async (t) => {
  const { page } = await openLab(t, { hash: `${QUICK}&plan=paired&mask=3` });
  await train(page);
  await rows(page, 2);
  const letGo = await hold(page);
  await page.click('#results-rows tr:first-child button[aria-label^=Delete]');
  await press(page, '#delete-all');
  await page.keyboard.press('Enter');
  await drawn(page);
  assert.equal((await results(page)).length, 2);
  await letGo();
  await waitForRows(page, 0);
  await page.reload();
  await ready(page);
  await rows(page, 0);
  assert.deepEqual(await stored(page), {});
});

test('a run that cannot be deleted stays listed, and the fault is told', async (t) => {
  const { page } = await openLab(t, { hash: QUICK });
  await train(page);
  await rows(page, 1);
  await page.evaluate(() => {
    IDBObjectStore.prototype.delete = () => {
      throw new DOMException('The disk is gone.', 'UnknownError');
    };
  });
  await page.click('#results-rows tr:first-child button[aria-label^=Delete]');
  await page.waitForSelector('#problem:not([hidden])');
  assert.match(await textOf(page, '#problem'), /The disk is gone/);
  assert.equal((await results(page)).length, 1);
});

test('all runs can be deleted while a plan goes on, and the plan goes on after a reload too', async (t) => {
  const { page } = await openLab(t, { hash: GRID.replace('epochs=20', 'epochs=30') });
  await page.click('#train');
  await tested(page, 1);
  await goTo(page, 'compare');
  await press(page, '#delete-all');
  const words = await textOf(page, '#storage');
  await page.waitForFunction((before) => document.querySelector('#storage')?.textContent !== before, {}, words);
  assert.equal(await textOf(page, '#delete-all'), 'Really delete all?', 'news of the plan take the question back');
  const gone = await page.$$eval('#results-rows tr:has(button[aria-label^=Delete])', (all) =>
    all.map((row) => row.getAttribute('data-run') ?? ''));
  await page.keyboard.press('Enter');
  await page.waitForFunction((ids) => ids.every((id) => document.querySelector(`[data-run="${id}"]`) === null), {}, gone);
  const { length } = await results(page);
  assert.ok(length >= 2 && length <= 16 - gone.length, `${length} are left of 16, ${gone.length} were deleted`);
  await page.reload();
  await ready(page);
  await page.waitForSelector('.queue__run');
  await ended(page);
  assert.ok((await rows(page, length)).every((cells) => ACCURACY.test(cells[4])));
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
