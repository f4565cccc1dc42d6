// Plans, their queue, the comparison of their runs, and what outlives a reload.

import assert from 'node:assert/strict';
import { readFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { ended, goTo, openLab, press, ready, results, textOf, train, waitForRows } from './lab-page.mjs';

const QUICK = 'preset=tiny&trainN=1000&epochs=2&lr=0.05';

test('a sweep over seeds: queue, table, nested points, intervals, plain words', async (t) => {
  const { page, faults } = await openLab(t, { hash: `#${QUICK}&plan=sweep&seeds=2&order=2,0,1,3` });
  await page.waitForFunction(() => /^10 runs of the tiny network/.test(document.querySelector('#plan-summary')?.textContent ?? ''));
  await page.click('#train');
  await page.waitForFunction(() => {
    const runs = [...document.querySelectorAll('.queue__run')].map((run) => run.textContent ?? '');
    return runs.length === 10 && runs.some((text) => /waits, place 1$/.test(text));
  });
  await ended(page);
  await page.waitForFunction(() => document.querySelector('#queue-title')?.textContent === 'Plan of 10');
  for (const place of [1, 2]) {
    await page.click(`.queue li:nth-child(${place}) .queue__run`);
    await page.waitForFunction((selector) => document.querySelector(selector)?.getAttribute('aria-pressed') === 'true', {},
      `.queue li:nth-child(${place}) .queue__run`);
    await page.waitForFunction(() => document.querySelector('#filters canvas')?.checkVisibility());
  }

  await goTo(page, 'compare');
  await waitForRows(page, 10);
  const rows = await results(page);
  assert.deepEqual(rows.map((cells) => cells[2]).toReversed().slice(0, 5), ['none', '3', '1, 3', '1, 2, 3', 'all four']);
  for (const cells of rows) {
    assert.match(cells[4], /^\d\d\.\d\d%$/);
    assert.match(cells[5], /^\d\.\d{4}$/);
    assert.match(cells[6], / s$/);
  }
  await page.waitForFunction(() => document.querySelectorAll('.depth path[fill=none]').length === 2);
  assert.equal(await page.$$eval('.depth__dot', (dots) => dots.length), 10);
  await page.waitForFunction(() => document.querySelectorAll('.seeds__words').length === 4);
  const words = await page.$$eval('.seeds__words', (paragraphs) => paragraphs.map((paragraph) => paragraph.textContent ?? ''));
  words.forEach((sentence) => assert.match(sentence, /no difference is shown|(more|fewer) test images right/));
  assert.match(await textOf(page, '#seeds'), /McNemar/);
  const dashes = await page.$$eval('#overlay .legend__swatch line', (lines) =>
    lines.map((line) => line.getAttribute('stroke-dasharray')));
  assert.equal(dashes.length, 5);
  assert.equal(new Set(dashes).size, 5, 'curves are told apart without colour');
  const shapes = await page.$$eval('.depth__dot path', (marks) => marks.map((mark) => mark.getAttribute('d')));
  assert.equal(new Set(shapes).size, 2, 'series of points too');
  await page.click('.depth ~ .tools button');
  const points = await page.$$eval('.depth ~ .tools tbody tr', (all) =>
    all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
  assert.deepEqual(points.map(([skips, , seed, accuracy]) => [skips, seed, accuracy].join()).sort(),
    rows.map((cells) => [cells[2], cells[1].split('seed ')[1], cells[4]].join()).sort());
  assert.ok(points.every((cells) => cells[4] === 'yes'), 'they are joined');

  await page.click('.results__checkpoint .chip:nth-child(2)');
  await page.waitForFunction((before) => document.querySelector('#results-rows')?.textContent !== before, {},
    rows.map((cells) => cells.join('')).join(''));
  assert.deepEqual(faults, []);
});

test('grids that are too large are refused in words', async (t) => {
  const { page, requests } = await openLab(t, { hash: `#${QUICK}&plan=grid&seeds=30&ps=0.25,0.5&masks=1,2` });
  await page.click('#train');
  await page.waitForSelector('#problem:not([hidden])');
  assert.match(await textOf(page, '#problem'), /100/);
  assert.deepEqual(requests.filter((name) => name.endsWith('.gz')), []);
});

test('an unfinished grid goes on after a reload, and its runs stay listed; runs can be deleted', async (t) => {
  const { page, faults } = await openLab(t, {
    hash: `#${QUICK.replace('epochs=2', 'epochs=10')}&plan=grid&seeds=2&ps=0.25,0.5&masks=0,3,15`, // so that some are left to do
  });
  await page.click('#train');
  await page.waitForFunction(() => /test \d/.test(document.querySelector('.queue')?.textContent ?? ''), { timeout: 60_000 });
  await page.reload();
  await ready(page);
  await ended(page);
  await goTo(page, 'compare');
  await waitForRows(page, 12);
  const finished = await results(page);
  assert.ok(finished.every((cells) => /%$/.test(cells[4])), 'all runs are finished');

  await page.reload();
  await ready(page);
  await goTo(page, 'compare');
  await waitForRows(page, 12);
  assert.deepEqual(await results(page), finished);
  await page.waitForFunction(() => document.querySelector('#storage')?.textContent?.startsWith('12 runs kept'));

  await press(page, '#results-rows tr:first-child button[aria-label^=Delete]');
  await waitForRows(page, 11);
  assert.ok(await page.$('#results-rows tr:first-child button[aria-label^=Delete]:focus'), 'keys go on with the next run');
  await press(page, '#delete-all');
  await page.keyboard.press('Enter');
  await waitForRows(page, 0);
  await page.reload();
  await ready(page);
  await goTo(page, 'compare');
  await waitForRows(page, 0);
  assert.deepEqual(faults.filter((fault) => !fault.includes('net::ERR_ABORTED')), []);
});

test('results go out as JSON and come in again, marked as imported; a wrong file is refused', async (t) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'lab-results-'));
  t.after(() => rm(folder, { recursive: true }));
  const { page, faults } = await openLab(t, { hash: `#${QUICK}&plan=paired&mask=3` });
  await train(page);
  await goTo(page, 'compare');
  await waitForRows(page, 2);
  const client = await page.createCDPSession();
  await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, eventsEnabled: true });
  const isSaved = new Promise((resolve) => {
    client.on('Browser.downloadProgress', ({ state }) => state === 'completed' && resolve(undefined));
  });
  await press(page, '#export-json');
  await isSaved;
  const [name] = await readdir(folder);
  const file = path.join(folder, name);
  const json = JSON.parse(await readFile(file, 'utf8'));
  assert.equal(json.schemaVersion, 1);
  assert.equal(json.runs.length, 2);
  const [{ endpoints, provenance }] = json.runs;
  assert.equal(endpoints.selected.predictions.length, 2000);
  assert.equal(endpoints.selected.probabilities.length, 20_000);
  assert.match(provenance.weightsSHA256.selected, /^[0-9a-f]{64}$/);

  const input = /** @type {import('puppeteer-core').ElementHandle<HTMLInputElement>} */ (await page.$('#import-file'));
  await input.uploadFile(file);
  await waitForRows(page, 4);
  const rows = await results(page);
  assert.match(rows[0][1], /imported/);
  assert.deepEqual(rows[0].slice(2, 9), rows[2].slice(2, 9));

  json.runs[1].endpoints.final.predictions.pop();
  await writeFile(file, JSON.stringify(json));
  await input.uploadFile(file);
  await page.waitForSelector('#problem:not([hidden])');
  assert.match(await textOf(page, '#problem'), /runs\[1\]\.endpoints\.final\.predictions/);
  await waitForRows(page, 4);
  assert.deepEqual(faults, []);
});

test('a chart is read as a table, copied as CSV, saved as SVG and PNG', async (t) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'lab-figures-'));
  t.after(() => rm(folder, { recursive: true }));
  const { browser, page, url, faults } = await openLab(t, { hash: `#${QUICK}` });
  await browser.defaultBrowserContext().overridePermissions(new URL(url).origin, [
    'clipboard-read', 'clipboard-sanitized-write',
  ]);
  await train(page);
  assert.deepEqual(await page.$$eval('#curves .chart:nth-child(2) .legend__item', (items) => items.slice(0, 2)
    .map((item) => [item.textContent?.replace(/[\d.]+/, '#'), item.querySelector('line')?.getAttribute('stroke-dasharray')])),
  [['training#', '6 4'], ['validation#', '']]);
  const tools = '#curves .chart:nth-child(2) .tools__buttons button';
  await page.click(`${tools}:nth-child(1)`);
  const cells = await page.$$eval('#curves .chart:nth-child(2) tbody td', (all) => all.map((cell) => cell.textContent ?? ''));
  assert.equal(cells.length, 6);
  await page.click(`${tools}:nth-child(2)`);
  await page.waitForFunction(() => /Copied/.test(document.querySelector('#curves')?.textContent ?? ''));
  const text = await page.evaluate(() => navigator.clipboard.readText());
  assert.deepEqual(text.trim().split('\r\n').slice(1).join(), cells.join());
  const client = await page.createCDPSession();
  await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, eventsEnabled: true });
  let nSaved = 0;
  const areSaved = new Promise((resolve) => {
    client.on('Browser.downloadProgress', ({ state }) => state === 'completed' && ++nSaved === 2 && resolve(undefined));
  });
  await page.click(`${tools}:nth-child(3)`);
  await page.click(`${tools}:nth-child(4)`);
  await areSaved;
  const drawing = await readFile(path.join(folder, 'loss.svg'), 'utf8');
  assert.match(drawing, /^<svg[^]*<path/);
  const legend = [...drawing.matchAll(/stroke-dasharray="([^"]*)"[^>]* d="M[\d.]+ 44h/g)];
  assert.deepEqual(legend.map(([, dashes]) => dashes), ['6 4', '', '']);
  assert.equal((await readFile(path.join(folder, 'loss.png'))).subarray(1, 4).toString(), 'PNG');
  assert.deepEqual(faults, []);
});
