// Data: every check with its value, credit, and the rebuild from MNIST's own files.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { ORIGINALS, publishedFiles } from '../lib/originals.mjs';
import { newGate } from './harness.mjs';
import { choose, goTo, openLab, textOf, train, withoutServiceWorker } from './lab-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

const MANIFEST = JSON.parse(await readFile(new URL('../../dist/dataset/manifest.json', import.meta.url), 'utf8'));

/** The manifest's figures of a split. @param {string} split */
function expected(split) {
  return MANIFEST.splits[split] ?? MANIFEST.optional_splits[split.replace('-', '_')];
}

/**
 * Name and value of every check that is shown for a split.
 * @param {Page} page
 * @param {string} split
 * @returns {Promise<Map<string, string>>}
 */
async function checks(page, split) {
  await page.waitForSelector(`[data-split=${split}] tbody tr`, { timeout: 30_000 });
  const cells = await page.$$eval(`[data-split=${split}] tbody tr`, (rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
  assert.deepEqual(cells.filter(([state]) => !/passed|not needed/.test(state)), []);
  return new Map(cells.map(([, name, value]) => [name, value]));
}

test('every check of every split is shown with its value; what training has fetched is not fetched again', async (t) => {
  const { page, faults, requests } = await openLab(t, { hash: '#preset=tiny&trainN=1000&epochs=1' });
  await train(page);
  await goTo(page, 'data');
  const before = requests.length;
  let nShared = 0;
  for (const split of ['train', 'validation', 'test']) {
    await page.click(`#audit-${split}`);
    const shown = await checks(page, split);
    nShared += [...shown.values()].filter((value) => value === '0 shared').length;
  }
  assert.equal(nShared, 1, 'training and validation images share none');
  assert.deepEqual(requests.slice(before).filter((name) => name.endsWith('.gz')), []);
  await page.click('#audit-test-full');
  for (const split of ['train', 'validation', 'test', 'test-full']) {
    const shown = await checks(page, split);
    const { bytes, class_counts: counts, count, gzip_bytes: gzipBytes, gzip_sha256: gzipSHA256, sha256 } = expected(split);
    const { original_indices_sha256_uint32_le: indices } = expected(split);
    for (const [name, value] of [
      ['gzip size', gzipBytes], ['gzip SHA-256', gzipSHA256], ['size', bytes], ['SHA-256', sha256], ['image count', count],
      ['pixel offset', 32], ['label offset', 32 + 784 * count], ['index offset', 32 + 785 * count], ['labels', '0 to 9'],
      ['class counts', counts.join(' ')], ['index uniqueness', 'each index once'], ['index SHA-256', indices],
      ['index range', split.startsWith('test') ? 'below 10000' : 'below 60000'],
    ]) {
      assert.equal(shown.get(name), String(value), `${split}: ${name}`);
    }
    assert.match(await textOf(page, `[data-split=${split}] .audit__head`), /all \d+ checks passed/);
  }
  assert.match(await textOf(page, '#engine-statement'), /SIMD.*thread/);
  const words = await textOf(page, '#place-data');
  assert.match(words, /Yann LeCun, Corinna Cortes and Christopher J.C. Burges,[^.]* under CC BY-SA 3\.0/);
  assert.deepEqual(faults, []);
});

/** Drops files on their zone. @param {Page} page @param {string[]} files */
async function dropFiles(page, files) {
  const zone = await page.$eval('.rebuild__zone', (element) => {
    element.scrollIntoView({ block: 'center', behavior: 'instant' });
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  });
  const client = await page.createCDPSession();
  for (const type of /** @type {const} */ (['dragEnter', 'dragOver', 'drop'])) {
    await client.send('Input.dispatchDragEvent', { type, ...zone, data: { items: [], files, dragOperationsMask: 1 } });
  }
}

/** Waits for the end of a rebuild, every hash of which must be right. @param {Page} page */
async function checkRebuilt(page) {
  await page.waitForSelector('#rebuild-words.right', { timeout: 200_000 });
  assert.equal(await textOf(page, '#rebuild-words'), 'Rebuilt: every hash is the manifest’s.');
  const steps = await page.$$eval('#rebuild-steps > li', (all) => all.map((step) => step.textContent ?? ''));
  assert.equal(steps.length, 11);
  for (const split of ['train', 'validation', 'test', 'test-full']) {
    const step = steps.find((words) => words.startsWith(`${split} `)) ?? '';
    assert.ok(step.includes(expected(split).sha256) && step.includes(expected(split).gzip_sha256), `${split}: ${step}`);
  }
}

test('the originals, dropped, give the same splits in the tab; a wrong file is named', { timeout: 240_000 }, async (t) => {
  const { page, faults } = await openLab(t);
  await goTo(page, 'data');
  const files = (await readdir(ORIGINALS)).map((name) => path.join(ORIGINALS, name));
  await choose(page, '#rebuild-files', ...files.slice(1));
  await page.waitForFunction(() => document.querySelector('#rebuild-words')?.textContent?.startsWith('Missing: t10k-images'));

  // Compressed by someone else, so it is not MNIST's own .gz.
  const folder = await mkdtemp(path.join(os.tmpdir(), 'lab-originals-'));
  t.after(() => rm(folder, { recursive: true }));
  const compressed = path.join(folder, 'train-labels-idx1-ubyte.gz');
  await writeFile(compressed, gzipSync(await readFile(path.join(ORIGINALS, 'train-labels-idx1-ubyte'))));
  await choose(page, '#rebuild-files', ...files.slice(0, 3), compressed);
  await page.waitForSelector('#rebuild-words.wrong');
  assert.match(await textOf(page, '#place-data'), /train-labels-idx1-ubyte.*size of the original file/s);

  await dropFiles(page, files);
  await checkRebuilt(page);
  assert.deepEqual(faults, []);
});

test('a rebuild that was begun first does not speak for what was chosen after', async (t) => {
  const gate = newGate(/producer\.wasm$/);
  const { page } = await openLab(t, { server: { intercept: gate.intercept }, scripts: [withoutServiceWorker] });
  await goTo(page, 'data');
  const files = (await readdir(ORIGINALS)).map((name) => path.join(ORIGINALS, name));
  const isAsked = gate.hold();
  const isEnded = new Promise((resolve) => {
    page.once('workerdestroyed', resolve);
  });
  await choose(page, '#rebuild-files', ...files);
  await isAsked;
  await choose(page, '#rebuild-files', ...files.slice(1));
  gate.refuse();
  await isEnded;
  await page.evaluate(() => 0); // what the end of the worker has brought is shown
  assert.match(await textOf(page, '#rebuild-words'), /^Missing: t10k-images/);
});

test('the .gz files as MNIST published them, dropped, are proven and give the same', { timeout: 240_000 }, async (t) => {
  const folder = await publishedFiles(t);
  const { page, faults } = await openLab(t);
  await goTo(page, 'data');
  await dropFiles(page, (await readdir(folder)).map((name) => path.join(folder, name)));
  await checkRebuilt(page);
  const words = await textOf(page, '#rebuild-steps');
  for (const { md5, sha256 } of /** @type {any[]} */ (Object.values(MANIFEST.split_provenance.files))) {
    assert.ok(words.includes(md5) && words.includes(sha256), words);
  }
  assert.deepEqual(faults, []);
});
