// Settings and plans by hand: clicks and keys alone, up to the largest grid.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  clickChip, ended, goTo, openLab, openSettings, ready, results, textOf, tick, train, type, waitForRows,
} from './lab-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

/** PROTOCOL.md's table. */
const PRESETS = [
  ['tiny', '784 → 128 → 96 → 64 → 48 → 32 → 10', '124,090'],
  ['small', '784 → 256 → 192 → 128 → 96 → 64 → 10', '294,250'],
  ['uniform', '784 → 128 → 128 → 128 → 128 → 128 → 10', '167,818'],
  ['wide', '784 → 512 → 384 → 256 → 192 → 128 → 10', '772,810'],
  ['full', '784 → 2,500 → 2,000 → 1,500 → 1,000 → 500 → 10', '11,972,510'],
];

/** @param {Page} page @param {RegExp} pattern   what the line beside Train says in the end */
async function waitForSummary(page, pattern) {
  await page.waitForFunction((source) => new RegExp(source).test(document.querySelector('#plan-summary')?.textContent ?? ''),
    {}, pattern.source);
}

test('every setting by hand: presets, branches, rates, orders, and all 10,000 test images at the end', async (t) => {
  const { page, faults, requests } = await openLab(t);
  await page.click('#settings-toggle');
  const selector = '#settings input:not([type=radio], [type=checkbox]), #settings select, #settings .chip';
  const hidden = await page.$$eval(selector, (controls) => controls
    .filter((control) => control.getClientRects().length === 0)
    .map((control) => control.id || control.textContent));
  assert.equal(hidden.filter((name) => name !== 'setting-widths' && name !== 'plan-order').length, 16 + 3,
    'hidden are a grid’s 16 branch sets and 3 probabilities alone');
  for (const [preset, widths, parameters] of PRESETS) {
    await page.select('#setting-preset', preset);
    assert.equal(await textOf(page, '#setting-preset-hint'), `Widths ${widths}`);
    const option = await page.$eval(`#setting-preset option[value=${preset}]`, (element) => element.textContent ?? '');
    assert.ok(option.endsWith(` · ${parameters} parameters`), option);
    await waitForSummary(page, new RegExp(`${preset} network \\(${parameters} parameters\\)`));
  }
  await page.select('#setting-preset', 'tiny');
  await type(page, '#setting-trainN', 1000);
  await type(page, '#setting-epochs', 3);
  await tick(page, '[name=setting-batch][value="32"]');
  await type(page, '#setting-lr', 0.05);
  await type(page, '#setting-seed', 7);
  // On the way 0 and 0.0 were refused under their field: what stands below has its place again once all is accepted.
  await page.waitForFunction(() => /lr=0\.05.*seed=7/.test(location.hash));
  await tick(page, 'span[aria-label="Branch 1"]');
  await tick(page, 'span[aria-label="Branch 3"]');
  await tick(page, '[name=setting-p][value="0.25"]');
  await tick(page, '[name=setting-testSet][value="10000"]');
  await waitForSummary(page, /^The tiny network/);
  await clickChip(page, 'Networks', 'Paired');
  await waitForSummary(page, /^2 runs of the tiny network/);
  await clickChip(page, 'Networks', 'Sweep');
  await waitForSummary(page, /^5 runs of the tiny network/);
  const orders = await page.$$eval('#plan-order option', (options) => options.map((option) => option.textContent ?? ''));
  assert.equal(new Set(orders).size, 24);
  orders.forEach((order) => assert.deepEqual(order.split(' → ').sort(), ['1', '2', '3', '4']));
  await page.select('#plan-order', '2,0,3,1');
  await page.waitForFunction(() => location.hash.includes('order=2,0,3,1'));
  const query = new URLSearchParams(await page.evaluate(() => location.hash.slice(1)));
  assert.deepEqual(Object.fromEntries(query), {
    preset: 'tiny', trainN: '1000', testSet: '10000', epochs: '3', batch: '32', lr: '0.05', p: '0.25', mask: '5', seed: '7',
    plan: 'sweep', seeds: '1', order: '2,0,3,1',
  });
  await train(page);
  const data = requests.filter((path) => path.endsWith('.gz'));
  assert.ok(!data.includes('/dataset/test.bin.gz'), data.join());
  assert.ok(data.indexOf('/dataset/test-full.bin.gz') > data.indexOf('/dataset/train.bin.gz'), data.join());

  await goTo(page, 'compare');
  await waitForRows(page, 5);
  const rows = await results(page);
  assert.deepEqual(rows.map(([, , skips, p]) => [skips, p]).toReversed(),
    ['none', '3', '1, 3', '1, 3, 4', 'all four'].map((skips) => [skips, '0.25']));
  await page.waitForFunction(() => document.querySelectorAll('.depth path[fill=none]').length === 1);

  await page.setViewport({ width: 360, height: 800 });
  await page.click('#results-rows tr:nth-child(5) td:nth-child(6)'); // a row opens its run, wherever it is clicked
  await page.waitForFunction(() => document.querySelector('#inspect-sentence')?.textContent?.includes('of 10,000 test images'));
  const cells = await page.$$eval('.confusion__cell', (buttons) => buttons.map((button) => ({
    text: button.textContent ?? '', isCut: button.scrollWidth > button.clientWidth || button.scrollHeight > button.clientHeight,
  })));
  assert.equal(cells.reduce((sum, { text }) => sum + Number(text), 0), 10_000);
  assert.ok(cells.some(({ text }) => text.length === 4));
  assert.deepEqual(cells.filter(({ isCut }) => isCut), [], 'figures of four digits have room at 360 pixels');
  assert.deepEqual(faults, []);
});

const MASKS = ['none', '1', '2', '1, 2', '3', '1, 3', '4', '1, 4', '2, 4', 'all four'];
const N_SEEDS = 5;
const T_975 = 2.776445; // Student's t, 4 degrees of freedom

/** @param {number[]} values @returns {{mean: number, sd: number, low: number, high: number}} */
function summary(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
  const half = (T_975 * sd) / Math.sqrt(values.length);
  return { mean, sd, low: mean - half, high: mean + half };
}

/** Two-sided binomial test with 1/2: McNemar's exact test. @param {number} a @param {number} b */
function mcNemar(a, b) {
  let [term, sum] = [1, 0];
  for (let k = 0; k <= Math.min(a, b); k++) {
    sum += term;
    term *= (a + b - k) / (k + 1);
  }
  return Math.min(1, (2 * sum) / 2 ** (a + b));
}

/** @param {string} text @returns {number[]} */
function numbers(text) {
  return (text.replaceAll('−', '-').match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
}

/** Waits until fewer runs of the plan than this are left. @param {Page} page @param {number} n */
async function waitForRunsLeft(page, n) {
  await page.waitForFunction((limit) => {
    const [, nLeft] = /: (\d+) runs left/.exec(document.querySelector('#queue-title')?.textContent ?? '') ?? [];
    return Number(nLeft) < limit;
  }, { timeout: 60_000 }, n);
}

/** @param {Page} page @returns {Promise<Map<string, string>>} finished runs, with all that their rows say */
async function finished(page) {
  const rows = await page.$$eval('#results-rows tr', (all) => all.map((row) => ({
    id: row.getAttribute('data-run') ?? '', time: row.children[6].textContent ?? '', words: row.textContent ?? '',
  })));
  return new Map(rows.filter(({ time }) => time !== '').map(({ id, words }) => [id, words]));
}

test('a grid of 100 runs is one click, side by side, and goes on after a reload where it stood', async (t) => {
  const { page, faults } = await openLab(t, { server: { isolated: false } });
  await openSettings(page);
  await page.select('#setting-preset', 'tiny');
  await type(page, '#setting-trainN', 1000);
  await type(page, '#setting-epochs', 1);
  await clickChip(page, 'Networks', 'Grid');
  for (const mask of MASKS.slice(1, -1)) {
    await clickChip(page, 'Branch sets', mask);
  }
  await clickChip(page, 'Drop probabilities', '0.25');
  await type(page, '#plan-seeds', N_SEEDS);
  await waitForSummary(page, /^100 runs of the tiny network/);
  await page.click('#train');
  assert.equal(await page.evaluate(() => crossOriginIsolated), false);
  const cores = await page.evaluate(() => navigator.hardwareConcurrency);
  await page.waitForFunction((n) => {
    const words = [...document.querySelectorAll('.queue__words')].map((element) => element.textContent ?? '');
    return words.length === 100 && words.filter((text) => /^(trains|tests|validation)/.test(text)).length >= n
      && words.includes('waits, place 50');
  }, {}, Math.min(2, cores));
  await waitForRunsLeft(page, 95);
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  await waitForRunsLeft(page, 90);
  assert.equal(await page.evaluate(() => scrollY), 0, 'runs that follow each other leave the page where a person has scrolled it');
  await goTo(page, 'compare');
  await waitForRows(page, 100);
  const before = await finished(page);
  assert.ok(before.size >= 10 && before.size < 100, `${before.size} had finished`);

  await page.reload();
  await ready(page);
  await page.waitForSelector('#stop:not([hidden])');
  await ended(page);
  await goTo(page, 'compare');
  await waitForRows(page, 100);
  const after = await finished(page);
  assert.equal(after.size, 100);
  const kept = [...before].filter(([id, words]) => after.get(id) === words);
  // A run that ends while the page is left may not be stored any more, and is then trained again.
  assert.ok(kept.length >= before.size - cores, `${kept.length} of ${before.size} are as they were`);
  const rows = await results(page);
  assert.ok(rows.every((cells) => /^\d\d\.\d\d%$/.test(cells[4])), 'all runs are tested');
  await page.waitForFunction(() => document.querySelector('#storage')?.textContent?.startsWith('100 runs kept'));

  await page.waitForFunction(() => document.querySelectorAll('.depth__dot').length === 60);
  assert.equal(await page.$$eval('.depth path[fill=none]', (lines) => lines.length), 0, 'these branch sets are not nested');
  assert.match(await textOf(page, '#depth-note'), /^6 of 10 /);

  await page.waitForFunction(() => document.querySelectorAll('.seeds__words').length === 18);
  const families = await page.$$eval('.seeds__family', (sections) => sections.map((section) => ({
    name: section.querySelector('h3')?.textContent ?? '',
    tables: [...section.querySelectorAll('tbody')].map((body) =>
      [...body.rows].map((row) => [...row.cells].map((cell) => cell.textContent ?? ''))),
    words: [...section.querySelectorAll('.seeds__words')].map((words) => words.textContent ?? ''),
    nDrawn: section.querySelectorAll('.seeds__interval > line:not(.seeds__zero)').length,
  })));
  assert.equal(families.length, 2);
  for (const { name, tables: [summaries, differences], words, nDrawn } of families) {
    const p = name.includes('p 0.25') ? '0.25' : '0.5';
    const of = (/** @type {string} */ mask) => rows.filter((cells) => cells[2] === mask && cells[3] === p)
      .sort((a, b) => a[1].localeCompare(b[1])).map((cells) => parseFloat(cells[4]));
    const close = (/** @type {number[]} */ found, /** @type {number[]} */ expected) => expected.forEach((value, i) =>
      assert.ok(Math.abs(found[i] - value) <= 0.0051, `${name}: ${found} instead of ${expected}`));
    assert.equal(nDrawn, 10 + 9);
    assert.deepEqual(summaries.map(([mask]) => mask).sort(), [...MASKS].sort());
    for (const [mask, , n, mean, sd, interval] of summaries) {
      const expected = summary(of(mask));
      assert.equal(n, '5');
      close([...numbers(mean), ...numbers(sd), ...numbers(interval)], [expected.mean, expected.sd, expected.low, expected.high]);
    }
    const baseline = of('none');
    for (const [i, [mask, , mean, interval]] of differences.entries()) {
      const expected = summary(of(mask).map((value, k) => value - baseline[k]));
      close([...numbers(mean), ...numbers(interval)], [expected.mean, expected.low, expected.high]);
      const isShown = expected.low > 0 || expected.high < 0;
      assert.match(words[i], isShown ? /(more|fewer) test images right/ : /no difference is shown/);
    }
  }

  // McNemar's test of one pair, by the counts that Inspect shows.
  const [first] = families;
  const [mask, , , , , , pValues] = first.tables[1][0];
  await page.click(`::-p-xpath((//tr[td[3]="${mask}" and td[4]="${first.name.includes('p 0.25') ? 0.25 : 0.5}"])[5]//button[1])`);
  await page.waitForFunction(() => /newly wrong/.test(document.querySelector('#inspect-sentence')?.textContent ?? ''));
  const [, harmed, repaired] = (/([\d,]+) newly wrong, ([\d,]+) repaired/.exec(await textOf(page, '#inspect-sentence')) ?? [])
    .map((part) => Number(part.replace(',', '')));
  const exact = mcNemar(harmed, repaired);
  assert.ok(pValues.startsWith(`201: ${exact < 0.001 ? '< 0.001' : exact.toFixed(3)}`), `${pValues}, expected ${exact}`);
  assert.deepEqual(faults.filter((fault) => !fault.includes('net::ERR_ABORTED')), []);
});
