// Weights as files: out of the page, in again, and trained further.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import * as ort from 'onnxruntime-web';

import { goTo, openLab, ready, textOf, train, type } from './lab-page.mjs';

/** @typedef {import('node:test').TestContext} TestContext */
/** @typedef {import('puppeteer-core').Page} Page */

const QUICK = '#preset=tiny&trainN=1000&epochs=2&lr=0.05&mask=3';

/**
 * Presses a button that saves a file.
 * @param {TestContext} context
 * @param {Page} page
 * @param {string} selector
 * @returns {Promise<string>} where the file is
 */
async function saved(context, page, selector) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'lab-weights-'));
  context.after(() => rm(folder, { recursive: true }));
  const client = await page.createCDPSession();
  await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, eventsEnabled: true });
  const isSaved = new Promise((resolve) => {
    client.on('Browser.downloadProgress', ({ state }) => state === 'completed' && resolve(undefined));
  });
  await page.click(selector);
  await isSaved;
  await client.detach();
  const [name] = await readdir(folder);
  return path.join(folder, name);
}

/** Gives a file to “Load results or weights”. @param {Page} page @param {string} file */
async function load(page, file) {
  await goTo(page, 'compare');
  const input = /** @type {import('puppeteer-core').ElementHandle<HTMLInputElement>} */ (await page.$('#import-file'));
  await input.uploadFile(file);
}

/** @param {Page} page @param {number} n */
async function waitForRows(page, n) {
  await page.waitForFunction((count) => document.querySelectorAll('#results-rows tr').length === count, {}, n);
}

/** @param {Page} page @returns {Promise<string[][]>} cells of the results table, the newest run first */
function results(page) {
  return page.$$eval('#results-rows tr', (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
}

/** Opens the newest run in Inspect. @param {Page} page @returns {Promise<string>} what is said of it */
async function inspectNewest(page) {
  await goTo(page, 'compare');
  await page.click('#results-rows tr:first-child td:nth-child(2) button');
  const newest = await page.$eval('#results-rows tr:first-child', (row) => row.getAttribute('data-run'));
  await page.waitForFunction((id) => {
    const select = document.querySelector('#inspect-run');
    return select instanceof HTMLSelectElement && select.value === id && document.querySelector('#inspect-sentence')?.textContent;
  }, {}, newest);
  await page.waitForSelector('#gallery-tiles canvas');
  return textOf(page, '#inspect-sentence');
}

/** The accuracy without branch 1. @param {Page} page */
async function withoutBranch1(page) {
  await page.click('#removal-branches .chip:nth-child(1)');
  await page.waitForSelector('#removal-rows [data-mask="14"]');
  return textOf(page, '#removal-rows [data-mask="14"]');
}

test('weights go out as safetensors and come in again: the same figures, with any branches, after a reload too', async (t) => {
  const { page, faults } = await openLab(t, { hash: QUICK });
  await train(page);
  await goTo(page, 'inspect');
  await page.waitForSelector('#gallery-tiles canvas');
  const own = await textOf(page, '#inspect-sentence');
  const ownWithout1 = await withoutBranch1(page);
  const file = await saved(t, page, '#save-safetensors');
  assert.match(path.basename(file), /^mnist-tiny-mask3-p0\.5-seed201-epoch[12]\.safetensors$/);

  await load(page, file);
  await waitForRows(page, 2);
  const [imported, original] = await results(page);
  assert.match(imported[1], /^tiny, seed 201, imported, only selected$/);
  assert.deepEqual(imported.slice(2, 6), original.slice(2, 6));
  assert.deepEqual(await page.$$eval('#results-rows input', (inputs) => inputs.length), 1, 'only what was trained has curves');
  assert.equal(await inspectNewest(page), own);
  assert.equal(await withoutBranch1(page), ownWithout1);
  const chips = await page.$$eval('.inspect__head .chip', (all) =>
    all.flatMap((chip) => (chip.checkVisibility() ? [chip.textContent] : [])));
  assert.equal(chips.length, 1);
  assert.match(chips[0] ?? '', /^Selected: epoch [12]$/);

  await page.reload();
  await ready(page);
  assert.equal(await inspectNewest(page), own);
  assert.equal(await withoutBranch1(page), ownWithout1);
  assert.deepEqual(faults.filter((fault) => !fault.includes('net::ERR_ABORTED')), []);
});

test('training goes on from weights that were loaded, and from the seed again when told to', async (t) => {
  const { page, faults } = await openLab(t, { hash: QUICK });
  await train(page);
  await goTo(page, 'inspect');
  await page.waitForSelector('#gallery-tiles canvas');
  const file = await saved(t, page, '#save-safetensors');
  await load(page, file);
  await waitForRows(page, 2);
  await inspectNewest(page);
  await page.click('#train-further');
  await page.waitForSelector('#continuation:not([hidden])');
  await page.waitForFunction(() => document.activeElement?.id === 'train');
  assert.match(await textOf(page, '#plan-summary'), /, on from weights that are there\.$/);
  const words = await textOf(page, '#continuation-words');
  assert.match(words, /^Those of “tiny, skips 1, 2, p 0\.5, seed 201 \(imported\)”, epoch [12]\./);
  await train(page);

  await goTo(page, 'compare');
  await waitForRows(page, 3);
  const [continued, imported] = await results(page);
  assert.match(continued[1], /^tiny, seed 201, continued$/);
  const lossOf = (/** @type {string[]} */ cells) => Number(cells[5]);
  assert.ok(lossOf(continued) < lossOf(imported), `test loss ${lossOf(imported)}, then ${lossOf(continued)}`);
  assert.doesNotMatch(await textOf(page, '#seeds'), /continued/);

  // What was continued can be saved and continued as well.
  await inspectNewest(page);
  const again = await readFile(await saved(t, page, '#save-safetensors'));
  assert.match(again.toString('latin1'), /"startedFrom":"weights"/);

  await goTo(page, 'train');
  await page.click('#settings-toggle');
  await page.select('#setting-preset', 'uniform');
  await page.waitForFunction(() => /are of the widths/.test(document.querySelector('#plan-summary')?.textContent ?? ''));
  await page.click('#start-from-seed');
  await page.waitForSelector('#continuation', { hidden: true });
  await page.select('#setting-preset', 'tiny');
  await type(page, '#setting-seed', 201);
  await train(page);
  await goTo(page, 'compare');
  await waitForRows(page, 4);
  const rows = await results(page);
  assert.deepEqual(rows[0].slice(1, 6), rows[3].slice(1, 6), 'the first run, bit for bit');
  assert.deepEqual(faults, []);
});

test('a file that is not right is refused in words, and nothing is listed', async (t) => {
  const { page, faults } = await openLab(t, { hash: QUICK });
  await train(page);
  await goTo(page, 'inspect');
  await page.waitForSelector('#gallery-tiles canvas');
  const file = await saved(t, page, '#save-safetensors');
  const bytes = await readFile(file);
  const nHeader = Number(bytes.readBigUInt64LE(0));
  const wrong = path.join(path.dirname(file), 'wrong.safetensors');

  /** @param {(copy: Buffer) => Buffer} spoil @param {RegExp} words */
  const refused = async (spoil, words) => {
    await writeFile(wrong, spoil(Buffer.from(bytes)));
    await load(page, wrong);
    await page.waitForFunction((source) => new RegExp(source).test(document.querySelector('#problem')?.textContent ?? ''), {},
      words.source);
  };
  await refused((copy) => copy.subarray(0, -4), /file: expected \d+ bytes, found \d+/);
  await refused((copy) => {
    copy.writeFloatLE(NaN, 8 + nHeader + 4 * 785 * 128);
    return copy;
  }, /layer_1\.weight: a weight is not a finite number.*At byte/);
  await refused((copy) => {
    copy.writeFloatLE(0.125, copy.length - 4);
    return copy;
  }, /not those that it was saved with: their SHA-256 should be [0-9a-f]{64}, and it is [0-9a-f]{64}/);
  const start = bytes.indexOf('"F32"', bytes.indexOf('"layer_4.bias"'));
  await refused((copy) => {
    copy.write('"F64"', start);
    return copy;
  }, /layer_4\.bias: expected dtype F32, found “F64”/);
  const p = bytes.indexOf('\\"p\\":0.5');
  await refused((copy) => {
    copy.write('\\"p\\":0.6', p);
    return copy;
  }, /p: .*0\.25.*0\.6/);
  await waitForRows(page, 1);
  assert.deepEqual(faults, []);
});

test('a model that the page saves runs in ONNX Runtime', async (t) => {
  const { page, faults } = await openLab(t, { hash: QUICK });
  await train(page);
  await goTo(page, 'inspect');
  await page.waitForSelector('#gallery-tiles canvas');
  const file = await saved(t, page, '#save-onnx');
  assert.match(path.basename(file), /\.onnx$/);
  ort.env.wasm.numThreads = 1;
  const model = await ort.InferenceSession.create(new Uint8Array(await readFile(file)));
  const { logits } = await model.run({ pixels: new ort.Tensor('uint8', new Uint8Array(784), [1, 784]) });
  assert.deepEqual(logits.dims, [1, 10]);
  assert.ok([.../** @type {Float32Array} */ (logits.data)].every(Number.isFinite));
  assert.deepEqual(faults, []);
});
