// The first view and one training run: real data, real training, clicks and keys.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { ended, openLab, openSettings, textOf, tick, train, type } from './lab-page.mjs';

const PREVIEW = new URL('../../dist/dataset/preview.json', import.meta.url);

test('the twenty preview digits are drawn, pixel for pixel, before anything else is fetched', async (t) => {
  const { page, faults, requests } = await openLab(t);
  const drawn = await page.$$eval('#preview canvas', (canvases) => canvases.map((canvas) => {
    const context = /** @type {HTMLCanvasElement} */ (canvas).getContext('2d');
    const data = context?.getImageData(0, 0, 28, 28).data ?? [];
    return Array.from({ length: 784 }, (_, i) => data[4 * i]);
  }));
  const { examples } = JSON.parse(await readFile(PREVIEW, 'utf8'));
  assert.equal(drawn.length, 20);
  for (const [i, example] of examples.entries()) {
    assert.deepEqual(drawn[i], [...Buffer.from(example.pixels, 'base64')], `digit ${i}`);
  }
  const preview = requests.indexOf('/dataset/preview.json');
  const engine = requests.findIndex((path) => path.startsWith('/wasm/') || path.endsWith('worker.js'));
  assert.ok(preview >= 0 && engine > preview, requests.join(' '));
  assert.deepEqual(requests.filter((path) => path.endsWith('.gz')), [], 'no split is fetched before it is needed');
  assert.deepEqual(faults, []);
});

test('one click trains the small network on 4,000 images to at least 90 %, and tests it', async (t) => {
  const { page, faults, requests } = await openLab(t);
  await page.click('#train');
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent?.startsWith('Epoch'));
  assert.deepEqual(requests.filter((path) => path.startsWith('/dataset/test')), [], 'test images wait for their time');
  await ended(page);

  assert.equal(await textOf(page, '#progress-phase'), 'Finished');
  const legend = await textOf(page, '#curves .legend__value');
  assert.match(legend, /^\d+\.\d%$/);
  assert.ok(parseFloat(legend) >= 90, `validation accuracy ${legend}`);
  const accuracy = parseFloat(await textOf(page, '#test-accuracy'));
  assert.ok(accuracy >= 88 && accuracy <= 100, `test accuracy ${accuracy}`);
  const digits = await page.$$eval('#per-digit li', (rows) => rows.map((row) => row.textContent ?? ''));
  assert.equal(digits.length, 10);
  digits.forEach((row, digit) => assert.match(row, new RegExp(`^${digit}\\d+ wrong\\d+\\.\\d%$`)));
  await page.waitForFunction(() => document.querySelectorAll('#mistakes-tiles canvas').length === 12);
  assert.equal(await page.$$eval('#curves .uplot canvas', (canvases) => canvases.length), 2);
  assert.deepEqual(faults, []);
});

test('settings are checked by C, told in words under their control, and refused by Train', async (t) => {
  const { page, faults, requests } = await openLab(t);
  await openSettings(page);
  await type(page, '#setting-epochs', 101);
  await page.waitForSelector('#setting-epochs[aria-invalid]');
  const words = await textOf(page, '#setting-epochs-error');
  assert.match(words, /1 to 100/);
  assert.match(words, /101/);
  await page.click('#train');
  await page.waitForSelector('#problem:not([hidden])');
  assert.match(await textOf(page, '#problem'), /1 to 100/);
  assert.deepEqual(requests.filter((path) => path.endsWith('.gz')), []);

  await type(page, '#setting-epochs', 2);
  await type(page, '#setting-trainN', 1000);
  await page.select('#setting-preset', 'tiny');
  await page.waitForFunction(() => !document.querySelector('#setting-epochs')?.hasAttribute('aria-invalid'));
  await page.waitForFunction(() => document.querySelector('#plan-summary')?.textContent?.includes('124,090'));
  assert.equal(
    await textOf(page, '#plan-summary'),
    'The tiny network (124,090 parameters): 1,000 images, 2 epochs.',
  );
  await train(page);
  assert.equal(await textOf(page, '#progress-phase'), 'Finished');
  assert.ok(await page.$eval('#problem', (notice) => /** @type {HTMLElement} */ (notice).hidden));
  assert.deepEqual(faults, []);
});

test('Stop ends a run within 200 ms; it keeps its curves and gets no test figures', async (t) => {
  const { page, faults, requests } = await openLab(t);
  await openSettings(page);
  await page.select('#setting-preset', 'full');
  await type(page, '#setting-epochs', 100);
  await page.click('#train');
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent?.startsWith('Epoch'), {
    timeout: 60_000,
  });
  const milliseconds = await page.evaluate(async () => {
    const start = performance.now();
    /** @type {HTMLElement} */ (document.querySelector('#stop')).click();
    const button = /** @type {HTMLElement} */ (document.querySelector('#train'));
    while (button.hidden) {
      await new Promise((resolve) => {
        new MutationObserver(resolve).observe(button, { attributes: true });
      });
    }
    return performance.now() - start;
  });
  assert.ok(milliseconds <= 200, `${milliseconds} ms`);
  assert.equal(await textOf(page, '#progress-phase'), 'Stopped');
  assert.equal(await page.$('#test-accuracy'), null);
  assert.deepEqual(requests.filter((path) => path.startsWith('/dataset/test')), []);
  assert.deepEqual(faults, []);
});

test('Stop during the download ends it, and Train works again', async (t) => {
  let isHeld = true;
  /** @type {(() => void)[]} */
  const held = [];
  const { page } = await openLab(t, {
    server: {
      async intercept(_request, _response, pathname) {
        if (isHeld && pathname.endsWith('train.bin.gz')) {
          await new Promise((resolve) => held.push(() => resolve(undefined)));
        }
        return false;
      },
    },
  });
  await page.click('#train');
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent?.startsWith('Fetching'));
  await page.click('#stop');
  await ended(page);
  assert.equal(await textOf(page, '#progress-phase'), 'Stopped');
  isHeld = false;
  held.forEach((release) => release());
  await train(page);
  assert.equal(await textOf(page, '#progress-phase'), 'Finished');
});

test('a failed download is told in plain words, and Try again carries on', async (t) => {
  let isBroken = true;
  const { page } = await openLab(t, {
    server: {
      intercept(_request, response, pathname) {
        if (isBroken && pathname.endsWith('train.bin.gz')) {
          response.statusCode = 503;
          response.end();
          return true;
        }
        return false;
      },
    },
  });
  await page.click('#train');
  await page.waitForSelector('#problem:not([hidden])');
  assert.match(await textOf(page, '#problem'), /train/);
  await ended(page);
  assert.equal(await textOf(page, '#progress-phase'), 'Failed');
  isBroken = false;
  await page.click('#retry');
  await page.waitForSelector('#test-accuracy', { timeout: 60_000 });
  assert.ok(await page.$eval('#problem', (notice) => /** @type {HTMLElement} */ (notice).hidden));
});

test('pause, one minibatch, one epoch, resume', async (t) => {
  const { page, faults } = await openLab(t);
  await openSettings(page);
  await tick(page, '#plan-paused');
  await type(page, '#setting-epochs', 3);
  await page.click('#train');
  await page.waitForSelector('#step-minibatch:not([hidden])');
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent?.startsWith('Paused'));
  assert.equal(await textOf(page, '#progress-phase'), 'Paused before the first minibatch');
  await page.click('#step-minibatch');
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent?.includes(' 1 of 63'));
  await page.click('#step-epoch');
  await page.waitForFunction(() => document.querySelector('#curves .legend__value')?.textContent !== '');
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent?.startsWith('Paused'));
  await page.click('#pause');
  await ended(page);
  assert.equal(await textOf(page, '#progress-phase'), 'Finished');
  assert.deepEqual(faults, []);
});

test('a double click on Train starts a run and does not stop it', async (t) => {
  const { page } = await openLab(t);
  await page.click('#train', { count: 2 });
  await ended(page);
  assert.equal(await textOf(page, '#progress-phase'), 'Finished');
});
