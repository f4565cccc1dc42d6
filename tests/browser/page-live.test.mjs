// A run while it goes on: its speed, its gates, Pause and single steps, and Stop at any time.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { mulberry32 } from '../lib/reference.mjs';
import { middle } from './harness.mjs';
import {
  ended, goTo, openLab, openSettings, press, ready, results, stop, textOf, tick, train, type, waitForRows,
} from './lab-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

const N_MINIBATCHES = 63; // of 64 images, 4,000 in all
const LONG = '#mask=7&p=0.5&epochs=100';

/** What the page must say of three branches that may be skipped with p = 0.5, and one that may not. @param {number} nMinibatches */
function expectedRates(nMinibatches) {
  const draw = mulberry32(201 + 200_000);
  const skipped = [0, 0, 0, 0];
  for (let minibatch = 0; minibatch < nMinibatches; minibatch++) {
    for (let branch = 0; branch < 4; branch++) {
      skipped[branch] += draw() < 0.5 ? 1 : 0;
    }
  }
  const rates = skipped.map((n) => `${((100 * n) / nMinibatches).toFixed(1)}% skipped`);
  return [...rates.slice(0, 3), 'always kept'];
}

/** Notes each picture of the gates, and each line about the speed. @param {Page} page */
async function watchLive(page) {
  await page.evaluate(() => {
    /** @type {{gates: string[], times: number[], details: string[]}} */
    const seen = { gates: [], times: [], details: [] };
    Object.assign(window, { seen });
    const text = (/** @type {string} */ selector) => document.querySelector(selector)?.textContent ?? '';
    const isTraining = () => text('#progress-phase').startsWith('Epoch');
    new MutationObserver(() => {
      if (isTraining()) {
        const branches = [...document.querySelectorAll('.network__branch')];
        seen.times.push(performance.now());
        seen.gates.push(branches.map((branch) => Number(branch.classList.contains('network__branch--skipped'))).join(''));
      }
    }).observe(/** @type {Element} */ (document.querySelector('.network')), { attributes: true, subtree: true });
    new MutationObserver(() => {
      if (isTraining()) {
        seen.details.push(text('#progress-detail'));
      }
    }).observe(/** @type {Element} */ (document.querySelector('#progress-detail')), { childList: true });
  });
}

/** Minibatches done, as the page says. @param {Page} page */
async function position(page) {
  const words = await textOf(page, '#progress-phase');
  const [, epoch, minibatch] = (/^Paused in epoch (\d+) of \d+: (\d+) of 63 minibatches$/.exec(words) ?? []).map(Number);
  assert.ok(Number.isInteger(epoch), words);
  return (epoch - 1) * N_MINIBATCHES + minibatch;
}

/** Waits until the page shows so many minibatches, and the skip rates that go with them. @param {Page} page @param {number} n */
async function waitForPosition(page, n) {
  await page.waitForFunction((nDone, nEach) => {
    const words = document.querySelector('#progress-phase')?.textContent ?? '';
    const [, epoch, minibatch] = (/^Paused in epoch (\d+) of \d+: (\d+) of/.exec(words) ?? []).map(Number);
    return (epoch - 1) * nEach + minibatch === nDone;
  }, {}, n, N_MINIBATCHES);
  await waitForRates(page, n);
}

/** @param {Page} page @param {number} n   minibatches */
async function waitForRates(page, n) {
  await page.waitForFunction((rates) => rates === [...document.querySelectorAll('.network__rate')]
    .map((rate) => rate.textContent).join(), {}, expectedRates(n).join());
}

/**
 * Trains until four pictures of the gates were seen, and three different ones, then pauses.
 * @param {Page} page
 * @returns {Promise<{gates: string[], details: string[], pause: number}>} what was seen; milliseconds between two pictures on
 *   average, the time before the first counted too, so that no stall of the machine makes it smaller than the page's pace
 */
async function trainWatched(page) {
  await watchLive(page);
  const start = await page.evaluate(() => performance.now());
  await page.click('#train');
  await page.waitForFunction(() => {
    const { gates } = /** @type {any} */ (window).seen;
    return gates.length >= 4 && new Set(gates).size >= 3;
  });
  await page.click('#pause');
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent?.startsWith('Paused in'));
  const { gates, details, times } = await page.evaluate(() => /** @type {any} */ (window).seen);
  return { gates, details, pause: (times.at(-1) - start) / (times.length - 1) };
}

test('speed and gates are shown live, and may be watched step by step', async (t) => {
  const { page, faults } = await openLab(t, { hash: LONG });
  await page.waitForFunction(() => document.querySelector('#engine-line')?.textContent !== '');
  assert.match(await textOf(page, '#engine-line'),
    /^Engine: WebAssembly with .*, (1 thread for a run|\d+ threads for a run, 1 for each of several)\.$/);
  const { gates, details, pause } = await trainWatched(page);
  assert.ok(gates.every((seen) => seen[3] === '0'), 'branch 4 is never skipped');
  assert.ok(pause >= 250, `a picture every ${pause} ms`);
  const speeds = details.filter((words) => words !== '');
  assert.ok(speeds.length > 0);
  for (const words of speeds) {
    const [, rate, gflops] = (/^([\d,]+) images\/s · (\d+\.\d) GFLOP\/s$/.exec(words) ?? []).map((part) =>
      Number(part.replaceAll(',', '')));
    // Forward and backward are six operations a parameter and image.
    assert.ok(Math.abs(gflops - (6 * 294_250 * rate) / 1e9) <= 0.06, words);
  }
  const before = await position(page);
  await waitForRates(page, before);
  await page.click('#step-minibatch');
  await waitForPosition(page, before + 1);
  await page.click('#step-minibatch');
  await waitForPosition(page, before + 2);
  await page.click('#step-epoch');
  await waitForPosition(page, (Math.floor((before + 2) / N_MINIBATCHES) + 1) * N_MINIBATCHES);
  await stop(page);
  assert.equal(await textOf(page, '#progress-phase'), 'Stopped');
  assert.deepEqual(faults, []);
});

test('pauses and single steps change no bit', async (t) => {
  const { page, faults } = await openLab(t, { hash: '#preset=tiny&mask=7&p=0.5&epochs=30' });
  await openSettings(page);
  await tick(page, '#plan-paused');
  await page.click('#train');
  await page.waitForSelector('#step-minibatch:not([hidden])');
  await page.waitForFunction(() =>
    document.querySelector('#progress-phase')?.textContent === 'Paused before the first minibatch');
  await page.click('#step-minibatch');
  await waitForPosition(page, 1);
  await page.click('#step-epoch');
  await waitForPosition(page, N_MINIBATCHES);
  assert.match(await textOf(page, '#curves .legend__value'), /^\d+\.\d%$/);
  const nRows = () => page.$$eval('#curves .chart:nth-child(2) tbody tr', (rows) => rows.length);
  await page.locator('#curves .chart:nth-child(2) .tools button').click();
  assert.equal(await nRows(), 1);
  await press(page, '#pause');
  await page.waitForFunction(() => { // in one step, for thirty epochs take a second or two
    const isFarEnough = /^Epoch ([3-9]|[12]\d) /.test(document.querySelector('#progress-phase')?.textContent ?? '');
    if (isFarEnough) {
      /** @type {HTMLElement} */ (document.querySelector('#pause')).click();
    }
    return isFarEnough;
  });
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent?.startsWith('Paused in'));
  await press(page, '#pause');
  await ended(page);
  await waitForRates(page, 30 * N_MINIBATCHES);
  assert.equal(await nRows(), 30, 'a table that is open grows');
  const stepped = await textOf(page, '#weights-sha256');
  await tick(page, '#plan-paused');
  await train(page);
  assert.equal(await textOf(page, '#weights-sha256'), stepped);
  assert.deepEqual(faults, []);
});

test('with reduced motion nothing slides, and the gates are drawn once a second', async (t) => {
  const { page } = await openLab(t, { hash: LONG });
  const moving = () => page.evaluate(() => [document.documentElement, ...document.querySelectorAll('body *')]
    .filter((element) => {
      const { scrollBehavior, transitionDuration } = getComputedStyle(element);
      return scrollBehavior === 'smooth' || parseFloat(transitionDuration) > 0;
    }).length);
  assert.ok(await moving() > 0);
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
  await page.reload();
  await ready(page);
  const { pause } = await trainWatched(page);
  assert.equal(await moving(), 0);
  assert.ok(pause >= 1000, `a picture every ${pause} ms`);
});

/**
 * Presses Stop three times, for three runs that have come so far.
 * @param {Page} page
 * @param {string} what
 * @param {() => Promise<void>} comeSoFar   from Train on
 */
async function mustStop(page, what, comeSoFar) {
  const times = [];
  for (let run = 0; run < 3; run++) {
    await comeSoFar();
    times.push(await stop(page));
    assert.equal(await textOf(page, '#progress-phase'), 'Stopped', what);
    assert.equal(await page.$('#test-accuracy'), null, what);
  }
  assert.ok(middle(times) <= 200, `${what}: ${times} ms`);
}

test('Stop ends a run of full within 200 ms, in the middle of its minibatch', async (t) => {
  const { page, faults, requests } = await openLab(t);
  await openSettings(page);
  await page.select('#setting-preset', 'full');
  await type(page, '#setting-epochs', 100);
  await mustStop(page, 'full', async () => {
    await page.click('#train');
    await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent?.startsWith('Epoch'), {
      timeout: 60_000,
    });
  });
  assert.deepEqual(requests.filter((path) => path.startsWith('/dataset/test')), []);
  assert.deepEqual(faults, []);
});

/** A server that keeps the client waiting for some files. */
function newHold() {
  /** @type {Map<string, {arrived: () => void, closed: () => void}>} */
  const held = new Map();
  return {
    /** @param {string} name @returns {{isAsked: Promise<void>, isGivenUp: Promise<void>}} */
    hold(name) {
      let [arrived, closed] = [() => {}, () => {}];
      const isAsked = new Promise((/** @type {(value: void) => void} */ resolve) => {
        arrived = resolve;
      });
      const isGivenUp = new Promise((/** @type {(value: void) => void} */ resolve) => {
        closed = resolve;
      });
      held.set(name, { arrived, closed });
      return { isAsked, isGivenUp };
    },
    /** @param {string} name */
    release(name) {
      held.delete(name);
    },
    /**
     * @param {import('node:http').IncomingMessage} _request
     * @param {import('node:http').ServerResponse} response
     * @param {string} pathname
     */
    intercept(_request, response, pathname) {
      const hold = held.get(pathname.split('/').at(-1) ?? '');
      if (hold !== undefined) {
        response.on('close', hold.closed);
        hold.arrived();
      }
      return hold !== undefined;
    },
  };
}

test('Stop ends what was begun while the engine is on its way, and does not wait for it', async (t) => {
  const { hold, release, intercept } = newHold();
  const { page, url } = await openLab(t, { server: { intercept }, isReady: false });
  const cores = await page.evaluate(() => navigator.hardwareConcurrency);
  const file = cores > 1 ? 'engine-fused-threads.wasm' : 'engine-fused.wasm';
  const engine = hold(file);
  const images = hold('train.bin.gz');
  await page.goto(url);
  await engine.isAsked;
  await page.click('#train');
  await images.isAsked;
  await stop(page);
  await images.isGivenUp;
  await goTo(page, 'compare');
  await page.waitForSelector('#place-compare .empty');
  assert.deepEqual(await results(page), []);
  assert.ok(await page.$('#problem[hidden]'));
  release('train.bin.gz');
  release(file);
  await page.reload();
  await ready(page);
  await goTo(page, 'train');
  await train(page);
});

test('Stop ends any download and any training within 200 ms; what was stopped is listed with its curves', async (t) => {
  const { hold, release, intercept } = newHold();
  const { page } = await openLab(t, { hash: '#preset=tiny&trainN=1000&epochs=2', server: { intercept } });
  /** @type {Promise<void>[]} */
  const givenUp = [];
  const trainUntilAsked = async (/** @type {string} */ name) => {
    const { isAsked, isGivenUp } = hold(name);
    givenUp.push(isGivenUp);
    await page.click('#train');
    await isAsked;
  };
  await mustStop(page, 'download of the training images', async () => {
    await trainUntilAsked('train.bin.gz');
    assert.match(await textOf(page, '#progress-phase'), /^Fetching/);
  });
  release('train.bin.gz');
  await mustStop(page, 'download of the test images', () => trainUntilAsked('test.bin.gz'));
  await Promise.all(givenUp);
  assert.match(await textOf(page, '#progress-detail'), /^2 epochs in .* No test figures for a stopped run\.$/);
  assert.match(await textOf(page, '#outcome'), /was not tested/);

  release('test.bin.gz');
  await openSettings(page);
  await type(page, '#setting-epochs', 100);
  await type(page, '#setting-trainN', 4000); // it is to go on when Stop is pressed
  await mustStop(page, 'training', async () => {
    await page.click('#train');
    await page.waitForFunction(() => /^Epoch ([3-9]|\d\d)/.test(document.querySelector('#progress-phase')?.textContent ?? ''));
  });
  await page.locator('#curves .chart:nth-child(2) .tools button').click();
  const epochs = await page.$$eval('#curves .chart:nth-child(2) tbody tr', (rows) => rows.length);
  assert.ok(epochs >= 2 && epochs < 100, `${epochs} epochs`);

  await goTo(page, 'compare');
  await waitForRows(page, 9);
  for (const cells of await results(page)) {
    assert.deepEqual(cells.slice(4, 6), ['stopped', '']);
  }
  await page.waitForFunction(() => /validation accuracy.*\d\d\.\d\d%/i.test(document.querySelector('#overlay')?.textContent ?? ''));
  await goTo(page, 'inspect');
  assert.match(await textOf(page, '#place-inspect .empty'), /Press Train first/);
  await goTo(page, 'train');
  await type(page, '#setting-epochs', 2);
  await train(page);
  assert.equal(await textOf(page, '#progress-phase'), 'Finished');
});
