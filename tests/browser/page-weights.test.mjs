// Weights as files: out of the page, in again, and trained further.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import * as ort from 'onnxruntime-web';

import {
  choose, goTo, inspectRow, openLab, openSettings, pixelsOn, ready, rows, saved, textOf, tick, train, type,
} from './lab-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

const QUICK = '#preset=tiny&trainN=1000&epochs=2&lr=0.05&mask=3';

/** Gives a file to “Load results or weights”. @param {Page} page @param {string} file */
async function load(page, file) {
  await goTo(page, 'compare');
  await choose(page, '#import-file', file);
}

/** Opens the newest run in Inspect. @param {Page} page @returns {Promise<string>} what is said of it */
async function inspectNewest(page) {
  await inspectRow(page, 1);
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
  const [imported, original] = await rows(page, 2);
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
  await rows(page, 2);
  await inspectNewest(page);
  await page.click('#train-further');
  await page.waitForSelector('#continuation:not([hidden])');
  await page.waitForFunction(() => document.activeElement?.id === 'train');
  assert.match(await textOf(page, '#plan-summary'), /, on from weights that are there\.$/);
  const words = await textOf(page, '#continuation-words');
  assert.match(words, /^Those of “tiny, skips 1, 2, p 0\.5, seed 201 \(imported\)”, epoch [12]\./);
  await train(page);

  const [continued, imported] = await rows(page, 3);
  assert.match(continued[1], /^tiny, seed 201, continued$/);
  const lossOf = (/** @type {string[]} */ cells) => Number(cells[5]);
  assert.ok(lossOf(continued) < lossOf(imported), `test loss ${lossOf(imported)}, then ${lossOf(continued)}`);
  assert.doesNotMatch(await textOf(page, '#seeds'), /continued/);

  // What was continued can be saved and continued as well.
  await inspectNewest(page);
  const again = await readFile(await saved(t, page, '#save-safetensors'));
  assert.match(again.toString('latin1'), /"startedFrom":"weights"/);

  await goTo(page, 'train');
  await openSettings(page);
  await page.select('#setting-preset', 'uniform');
  await page.waitForFunction(() => /are of the widths/.test(document.querySelector('#plan-summary')?.textContent ?? ''));
  await page.click('#start-from-seed');
  await page.waitForSelector('#continuation', { hidden: true });
  await page.select('#setting-preset', 'tiny');
  await type(page, '#setting-seed', 201);
  await train(page);
  const [anew, , , first] = await rows(page, 4);
  assert.deepEqual(anew.slice(1, 6), first.slice(1, 6), 'the first run, bit for bit');
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
  await rows(page, 1);
  assert.deepEqual(faults, []);
});

test('a model that the page saves reads the test images in ONNX Runtime as the page does', async (t) => {
  const { page, faults } = await openLab(t, { hash: QUICK });
  await train(page);
  await goTo(page, 'inspect');
  await page.waitForSelector('#gallery-tiles canvas');
  const file = await saved(t, page, '#save-onnx');
  assert.match(path.basename(file), /\.onnx$/);
  await page.click('.chip:has([name=gallery-outcome][value=all])');
  const shown = await page.$$eval('#gallery-tiles button', (tiles) => tiles.map((tile) => {
    const canvas = /** @type {HTMLCanvasElement} */ (tile.querySelector('canvas'));
    const rgba = canvas.getContext('2d')?.getImageData(0, 0, 28, 28).data ?? [];
    return { label: tile.getAttribute('aria-label') ?? '', pixels: Array.from({ length: 784 }, (_, i) => rgba[4 * i]) };
  }));
  ort.env.wasm.numThreads = 1;
  const model = await ort.InferenceSession.create(new Uint8Array(await readFile(file)));
  const pixels = Uint8Array.from(shown.flatMap((tile) => tile.pixels));
  const { logits } = await model.run({ pixels: new ort.Tensor('uint8', pixels, [shown.length, 784]) });
  assert.deepEqual(logits.dims, [40, 10]);
  for (const [image, { label }] of shown.entries()) {
    const [, truth, guess = truth] = /^A (\d), read (?:right|as (\d))$/.exec(label) ?? [];
    const row = [.../** @type {Float32Array} */ (logits.data)].slice(10 * image, 10 * image + 10);
    assert.equal(row.indexOf(Math.max(...row)), Number(guess), label);
  }
  assert.deepEqual(faults, []);
});

test('the first layer’s pictures learn while one looks, and show the weights that are saved', async (t) => {
  const { page, faults } = await openLab(t, { hash: QUICK });
  await openSettings(page);
  await tick(page, '#plan-paused');
  await page.click('#train');
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent?.startsWith('Paused'));
  await page.click('#step-minibatch');
  await page.waitForFunction(() => document.querySelector('#filters canvas')?.checkVisibility());
  const before = await pixelsOn(page, '#filters canvas');
  await page.click('#step-epoch');
  await page.waitForFunction((old) => {
    const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('#filters canvas'));
    const data = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    return old.some((value, i) => value !== data[i]);
  }, {}, before);
  await page.click('#pause');
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent === 'Finished');
  await goTo(page, 'inspect');
  await page.waitForSelector('#gallery-tiles canvas');
  const bytes = await readFile(await saved(t, page, '#save-safetensors'));
  await goTo(page, 'train');

  // Of each unit the weights that pull hardest either way: blue is for, orange is against.
  const drawn = await pixelsOn(page, '#filters canvas');
  const start = 8 + Number(bytes.readBigUInt64LE(0));
  for (let unit = 0; unit < 30; unit++) {
    const weights = Array.from({ length: 784 }, (_, i) => bytes.readFloatLE(start + 4 * (784 * unit + i)));
    const largest = Math.max(...weights.map(Math.abs));
    for (const [i, weight] of weights.entries()) {
      const x = (unit % 10) * 31 + (i % 28);
      const y = Math.floor(unit / 10) * 31 + Math.floor(i / 28);
      const at = 4 * (y * (10 * 31 - 3) + x);
      const [red, blue] = [drawn[at], drawn[at + 2]];
      if (Math.abs(weight) > 0.5 * largest) {
        assert.equal(blue > red, weight > 0, `unit ${unit}, weight ${i}: ${weight} is drawn in ${red}, ${blue}`);
      }
    }
  }
  assert.deepEqual(faults, []);
});
