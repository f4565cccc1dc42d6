// Threads in a real browser: the recorded bits, what happens where there can be none, and how quickly a large run stops.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RECORDED } from '../lib/same-bits.mjs';
import { openBlank, openClient, shareBrowser } from './client.mjs';
import { middle } from './harness.mjs';

/** @typedef {import('puppeteer-core').Page} Page */
/** @typedef {import('../../web/types.js').ConfigInput} ConfigInput */

const ANSWER_MS = 200;

const browser = shareBrowser();

/**
 * Carries a run out with `window.client`.
 * @param {Page} page
 * @param {ConfigInput} config
 */
function runInPage(page, config) {
  return page.evaluate(async (given) => {
    const { status, engine, provenance } = await /** @type {any} */ (window).client.startRun(given).finished;
    return { status, engine, digest: provenance.weightsSHA256?.final };
  }, config);
}

const [SMALL, FULL] = RECORDED;

/** Each numerics on each number of threads; full, which takes its time, on the page's own. */
const CASES = [
  ...['mul-add', 'fused'].flatMap((numerics) => [1, 2, 4].map((nThreads) => ({ run: SMALL, numerics, nThreads }))),
  { run: FULL, numerics: 'fused', nThreads: 2 },
];

for (const { run, numerics, nThreads } of CASES) {
  test(`${numerics}, ${nThreads} threads: ${run.about}`, async (context) => {
    const { page, faults } = await openBlank(context, browser());
    const build = nThreads === 1 ? numerics : `${numerics}-threads`;
    await openClient(page, { build, threads: nThreads });
    const { status, engine, digest } = await runInPage(page, run.config);
    assert.equal(status, 'finished');
    assert.deepEqual([engine.build, engine.threads], [build, nThreads]);
    assert.equal(digest, run.weightsSHA256[numerics]);
    assert.deepEqual(faults, []);
  });
}

test('by itself the page takes threads, tries them, and says what came out', async (context) => {
  const { page, faults } = await openBlank(context, browser());
  const { build, threads } = await openClient(page);
  const cores = Math.min(await page.evaluate(() => navigator.hardwareConcurrency), 8);
  assert.deepEqual([build, threads], cores > 1 ? ['fused-threads', cores] : ['fused', 1]);
  // Long enough for a trial: five epochs of wide are a second of work.
  const { engine } = await runInPage(page, { preset: 'wide', trainN: 4000, epochs: 5, batch: 64, seed: 1 });
  assert.ok(engine.threads >= 1 && engine.threads <= cores);
  const verdict = engine.reasons.at(-1) ?? '';
  if (cores === 1) {
    assert.match(verdict, /runs here/);
  } else if (verdict.includes('Another one validated meanwhile')) {
    assert.match(verdict, /fastest on one thread/); // on a busy machine
    assert.equal(engine.threads, 2);
  } else {
    assert.match(verdict, engine.threads === 1
      ? /fastest on one thread/
      : new RegExp(`as fast on ${engine.threads} threads as on one`));
  }
  assert.deepEqual(faults, []);
});

test('a page that is not isolated has one thread, and says so', async (context) => {
  const { page, faults } = await openBlank(context, browser(), { server: { isolated: false } });
  const { build, threads, reasons } = await openClient(page);
  assert.deepEqual([build, threads], ['fused', 1]);
  assert.equal(reasons[0], 'fused-threads: memory cannot be shared here (the page is not cross-origin isolated).');
  assert.equal((await runInPage(page, SMALL.config)).digest, SMALL.weightsSHA256.fused);
  assert.deepEqual(faults, []);
});

test('where workers cannot start there is one thread, and the page says so', async (context) => {
  const { page } = await openBlank(context, browser(), {
    bends: {
      '/thread.js': (response) => Boolean(response.destroy()),
    },
  });
  const { build, threads, reasons } = await openClient(page, { threads: 3 });
  assert.deepEqual([build, threads], ['fused', 1]);
  assert.equal(reasons[0], 'fused-threads: its threads could not be started.');
  assert.equal((await runInPage(page, SMALL.config)).digest, SMALL.weightsSHA256.fused);
});

test('a closed client takes its threads with it', async (context) => {
  const { page } = await openBlank(context, browser());
  const before = new Set(browser().targets()); // some of them may be another page's, and on their way out
  const started = () => browser().targets().filter((target) => !before.has(target));
  await openClient(page, { build: 'mul-add-threads', threads: 3 });
  assert.equal(started().length, 3);
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    browser().on('targetdestroyed', () => started().length === 0 && resolve());
  });
  await page.evaluate(() => /** @type {any} */ (window).client.close());
  await ended;
});

test('a run of full is stopped at once, in the middle of its minibatch', async (context) => {
  const { page } = await openBlank(context, browser());
  await openClient(page, { threads: 1 });
  const took = await page.evaluate(async (config) => {
    const { client } = /** @type {any} */ (window);
    const times = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      /** @type {() => void} */
      let onTraining = () => {};
      const training = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
        onTraining = resolve;
      });
      const run = client.startRun(config, {
        onProgress: (/** @type {any} */ { minibatchesDone }) => minibatchesDone >= 1 + attempt && onTraining(),
      });
      await training;
      const start = performance.now();
      run.stop();
      const { status } = await run.finished;
      times.push(status === 'stopped' ? performance.now() - start : Infinity);
    }
    return times;
  }, { preset: 'full', trainN: 10000, epochs: 100, batch: 128, lr: 0.02, mask: 0 });
  assert.ok(middle(took) < ANSWER_MS, `${took.map((ms) => ms.toFixed(0))} ms`);
});
