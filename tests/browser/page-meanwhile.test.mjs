// What happens while something else is on its way: the engine, a plan's engines, the preview, the test images.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { newGate } from './harness.mjs';
import {
  countEngines, ended, follow, goTo, nEngines, openLab, openSettings, press, ready, results, rows, textOf, train, type, waitForRows,
  started, withoutServiceWorker,
} from './lab-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

const QUICK = '#preset=tiny&trainN=1000&epochs=2&lr=0.05&seed=7';
const PLAN = `${QUICK}&seeds=6`;

/** The engines of a plan's runs have one thread each; the page's own has more. */
const PLAN_ENGINE = /engine-(fused|mul-add)\.wasm$/;

const ACCURACY = /^\d\d\.\d\d%$/;

/** What the results say of each run's end. @param {Page} page */
async function statuses(page) {
  return (await results(page)).map((cells) => cells[4]);
}

/**
 * Presses Train, and no engine comes yet.
 * @param {import('node:test').TestContext} t
 */
async function trainWithoutEngine(t) {
  const gate = newGate(/\.wasm$/);
  const { page, url } = await openLab(t, { server: { intercept: gate.intercept }, isReady: false });
  const isAsked = gate.hold();
  await page.goto(url + QUICK);
  await isAsked;
  await page.click('#train');
  await page.waitForSelector('#stop:not([hidden])');
  return { page, gate };
}

test('Stop, pressed while the engine starts, stops', async (t) => {
  const { page, gate } = await trainWithoutEngine(t);
  await page.click('#stop');
  gate.open();
  await page.waitForSelector('#train:not([hidden])');
  await goTo(page, 'compare');
  assert.deepEqual(await results(page), []);
  await goTo(page, 'train');
  await train(page);
  await rows(page, 1);
});

test('Pause, pressed while the engine starts, pauses before the first minibatch', async (t) => {
  const { page, gate } = await trainWithoutEngine(t);
  await page.locator('#pause').click();
  gate.open();
  await page.waitForFunction(() => /^(Paused|Finished)/.test(document.querySelector('#progress-phase')?.textContent ?? ''));
  assert.match(await textOf(page, '#progress-phase'), /^Paused (before the first|in epoch 1 of 2: 0 of)/);
  await page.locator('#pause').click();
  await ended(page);
  assert.equal(await textOf(page, '#progress-phase'), 'Finished');
});

/** The lab with a gate before a plan's engines. @param {import('node:test').TestContext} t @param {string} hash */
async function openGated(t, hash) {
  const gate = newGate(PLAN_ENGINE);
  const { page } = await openLab(t, { hash, server: { intercept: gate.intercept }, scripts: [withoutServiceWorker] });
  return { page, gate };
}

/** Presses Train for a plan, and Stop while its engines are on their way. @param {import('node:test').TestContext} t */
async function stopPlan(t) {
  const { page, gate } = await openGated(t, PLAN);
  const isAsked = gate.hold();
  await page.click('#train');
  await isAsked;
  await page.click('#stop');
  return { page, gate };
}

test('Stop ends a plan whose engines are on their way, and a reload does not bring it back', async (t) => {
  const { page, gate } = await stopPlan(t);
  await page.waitForSelector('#train:not([hidden])');
  assert.equal(await textOf(page, '#progress-phase'), 'Stopped');
  gate.open();
  await page.reload();
  await ready(page);
  await goTo(page, 'compare');
  await page.waitForSelector('#results-rows tr');
  assert.deepEqual(new Set(await statuses(page)), new Set(['stopped']));
  assert.ok((await results(page)).length < 6, 'what waited is struck');
  assert.ok(await page.$('#train:not([hidden])'));
});

test('a run that was stopped does not fail when its engine cannot be had', async (t) => {
  const { page, gate } = await stopPlan(t);
  gate.refuse();
  await ended(page);
  await goTo(page, 'compare');
  assert.deepEqual(new Set(await statuses(page)), new Set(['stopped']));
  assert.ok(await page.$('#problem[hidden]'));
});

test('one engine of a plan that is lost is told, and after “Try again” all runs have the same arithmetic', async (t) => {
  const { page, gate } = await openGated(t, `${QUICK}&mask=5&p=0.25&plan=paired&seeds=2`);
  gate.refuse(1);
  await train(page);
  assert.match(await textOf(page, '#problem'), /engine-[a-z-]+\.wasm could not be fetched.*HTTP_STATUS/);
  await page.locator('#retry').click();
  await page.waitForSelector('#problem[hidden]');
  await ended(page);
  const all = await rows(page, 4);
  assert.ok(all.every((cells) => ACCURACY.test(cells[4])), all.map((cells) => cells[4]).join());
  assert.equal(new Set(all.map((cells) => cells[8])).size, 1);
});

test('after a plan that has failed what waits can be deleted, and another run trained', async (t) => {
  const { page, gate } = await openGated(t, PLAN);
  gate.refuse();
  await train(page);
  await rows(page, 6);
  assert.ok((await statuses(page)).includes('failed') && (await statuses(page)).includes('waiting'));
  await page.waitForSelector('#delete-all:not(:disabled)');
  await press(page, '#delete-all');
  await page.keyboard.press('Enter');
  await waitForRows(page, 0);
  await goTo(page, 'train');
  await openSettings(page);
  await type(page, '#plan-seeds', 1);
  await page.keyboard.press('Enter');
  await ended(page);
  assert.match((await rows(page, 1))[0][4], ACCURACY);
  await page.reload();
  await ready(page);
  assert.match((await rows(page, 1))[0][4], ACCURACY);
});

test('the engines of runs that have failed are ended', async (t) => {
  const gate = newGate(/validation\.bin\.gz$/);
  const { page } = await openLab(t, { hash: PLAN, server: { intercept: gate.intercept }, scripts: [countEngines] });
  const before = await nEngines(page);
  gate.refuse();
  await train(page);
  assert.match(await textOf(page, '#problem'), /validation\.bin\.gz could not be fetched/);
  assert.equal(await nEngines(page), before);
});

/** The lab with a gate before the preview. @param {import('node:test').TestContext} t @param {boolean} isHeld   from the start */
async function openWithPreview(t, isHeld) {
  const gate = newGate(/preview\.json$/);
  if (isHeld) {
    gate.hold();
  }
  const { page, url } = await openLab(t, {
    server: { intercept: gate.intercept }, scripts: [withoutServiceWorker], isReady: false,
  });
  await page.goto(url + QUICK);
  await started(page);
  return { page, gate };
}

test('earlier runs are listed while the preview is on its way', async (t) => {
  const { page, gate } = await openWithPreview(t, false);
  await train(page);
  const isAsked = gate.hold();
  await page.reload();
  await isAsked;
  await started(page);
  await rows(page, 1);
  assert.equal(await page.$('#preview canvas'), null);
});

test('a run that ends before the preview comes is listed once', async (t) => {
  const { page, gate } = await openWithPreview(t, true);
  await train(page);
  gate.open();
  await page.waitForSelector('#preview canvas');
  await train(page);
  await goTo(page, 'inspect');
  assert.equal(await page.$$eval('#inspect-run option', (options) => options.length), 2);
});

/** Runs in the page, before its scripts: the page does not get the full test set until `letImages` is called. */
function holdTestImages() {
  globalThis.Worker = class extends Worker {
    /** @override @param {any} message @param {any} [options] */
    postMessage(message, options) {
      const ask = () => super.postMessage(message, options);
      if (message.method === 'loadSplit' && message.params.split === 'test-full') {
        Object.assign(globalThis, { letImages: ask });
      } else {
        ask();
      }
    }
  };
}

test('a run’s mistakes are not shown under another one while its images are on their way', async (t) => {
  const { page } = await openLab(t, { hash: QUICK, scripts: [holdTestImages] });
  await train(page);
  await page.waitForSelector('#mistakes-tiles li');
  await follow(page, `${QUICK}&testSet=10000`);
  await page.waitForSelector('[name=setting-testSet][value="10000"]:checked');
  await train(page);
  await page.waitForFunction(() => 'letImages' in globalThis);
  assert.equal(await page.$('#mistakes-tiles li'), null);
  await page.evaluate(() => /** @type {any} */ (globalThis).letImages());
  await page.waitForSelector('#mistakes-tiles li');
});
