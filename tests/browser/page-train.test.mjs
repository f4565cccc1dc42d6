// The first view and one training run: real data, real training, clicks and keys.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { ended, goTo, openLab, openSettings, ready, textOf, train, type } from './lab-page.mjs';

const PREVIEW = new URL('../../dist/dataset/preview.json', import.meta.url);

test('the first view is calm: twenty digits, a sentence, one button; each place says what will appear in it', async (t) => {
  const { page, faults } = await openLab(t);
  const shown = (/** @type {string} */ selector) => page.$$eval(selector, (elements) => elements
    .filter((element) => element.getClientRects().length > 0).map((element) => element.textContent ?? ''));
  assert.deepEqual(await shown('main button'), ['Train', 'Settings']);
  assert.deepEqual(await shown('main :is(.card, form, table, progress, .empty, .notice)'), []);
  assert.equal((await shown('.opening__sentence')).length, 1);
  for (const [place, words] of Object.entries({
    compare: /^Runs are listed here, .*Train one/,
    inspect: /its test images are shown here.*Press Train first/,
    draw: /no trained network yet\. Press Train first/,
    data: /Drop the four files here/,
  })) {
    await goTo(page, place);
    const empty = await shown(`#place-${place} .empty`);
    assert.ok(empty.some((text) => words.test(text)), `${place}: ${empty.join(' | ')}`);
  }
  const ragged = await page.$$eval('body *', (elements) => elements
    .filter((element) => getComputedStyle(element).fontVariantNumeric !== 'tabular-nums').map((element) => element.tagName));
  assert.deepEqual(ragged, [], 'figures are tabular everywhere');
  assert.deepEqual(faults, []);
});

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
  // When the page asked, not when the server heard it: two requests may overtake each other on the way.
  const asked = await page.evaluate(() => performance.getEntriesByType('resource')
    .map(({ name, startTime }) => ({ path: new URL(name).pathname, startTime })));
  const preview = asked.find(({ path }) => path === '/dataset/preview.json');
  const engine = asked.filter(({ path }) => path.startsWith('/wasm/') || path.endsWith('worker.js'));
  assert.ok(preview !== undefined && engine.length > 0, JSON.stringify(asked));
  assert.deepEqual(engine.filter(({ startTime }) => startTime <= preview.startTime), [], `preview at ${preview.startTime}`);
  assert.deepEqual(requests.filter((path) => path.endsWith('.gz')), [], 'no split is fetched before it is needed');
  assert.deepEqual(faults, []);
});

test('one click trains the small network on 4,000 images to at least 90 %, and tests it', async (t) => {
  const { page, faults } = await openLab(t);
  await page.click('#train');
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
  await page.waitForFunction(() => document.querySelectorAll('#curves .uplot canvas').length === 2);
  assert.deepEqual(faults, []);
});

test('settings are checked by C, told in words under their control, and refused by Train', async (t) => {
  const { page, faults, requests } = await openLab(t);
  await openSettings(page);
  await type(page, '#setting-epochs', 101);
  await page.waitForFunction(() => /1 to 100.*101/.test(document.querySelector('#setting-epochs-error')?.textContent ?? ''));
  assert.ok(await page.$('#setting-epochs[aria-invalid]'));
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

test('a part of the page that cannot be fetched is told in plain words', async (t) => {
  const { page, url } = await openLab(t, {
    server: {
      intercept(_request, response, pathname) {
        const isLater = pathname === '/vendor/uPlot.mjs' || pathname.startsWith('/part-');
        if (isLater) {
          response.destroy();
        }
        return isLater;
      },
    },
    isReady: false,
  });
  await page.goto(`${url}#preset=tiny&trainN=1000&epochs=2`);
  await ready(page);
  for (const act of [() => page.click('[data-place=compare]'), () => page.click('#train')]) {
    await act();
    await page.waitForSelector('#problem:not([hidden])');
    assert.match(await textOf(page, '#problem'), /^A part of the page could not be fetched\. Check that you are online/);
    await page.reload();
    await ready(page);
  }
});

test('a double click on Train starts a run and does not stop it', async (t) => {
  const { page } = await openLab(t);
  await page.click('#train', { count: 2 });
  await ended(page);
  assert.equal(await textOf(page, '#progress-phase'), 'Finished');
});
