// Addresses that are experiments.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ended, openLab, openSettings, ready, rows, textOf, train, type } from './lab-page.mjs';

const SMALL_RUN = 'preset=tiny&trainN=1000&epochs=2&batch=32&lr=0.05&mask=5&p=0.25&seed=7';

test('a link fills the controls, asks before it starts, and its bits are reproduced', async (t) => {
  const { browser, page, url, faults, requests } = await openLab(t, { hash: `#${SMALL_RUN}&run=1` });
  await page.waitForSelector('#link-start');
  assert.deepEqual(requests.filter((path) => path.endsWith('.gz')), [], 'nothing starts by itself');
  await openSettings(page);
  const selector = '#setting-epochs, #setting-trainN, #setting-lr, #setting-seed, #setting-preset';
  const values = await page.$$eval(selector, (controls) =>
    controls.map((control) => /** @type {HTMLInputElement} */ (control).value));
  assert.deepEqual(values, ['tiny', '1000', '2', '0.05', '7']);
  await page.click('#link-leave');
  await page.waitForSelector('#question[hidden]');
  assert.deepEqual(requests.filter((path) => path.endsWith('.gz')), [], 'nothing starts if the answer is no');
  await page.goto('about:blank');
  await page.goto(`${url}#${SMALL_RUN}&run=1`);
  await page.waitForSelector('#link-start');
  await page.click('#link-start');
  await ended(page);
  const sha256 = await textOf(page, '#weights-sha256');
  assert.match(sha256, /^[0-9a-f]{64}$/);

  await browser.defaultBrowserContext().overridePermissions(new URL(url).origin, [
    'clipboard-read', 'clipboard-sanitized-write',
  ]);
  await page.click('#copy-proof');
  await page.waitForFunction(() => document.querySelector('#copy-proof')?.textContent === 'Copied');
  const proof = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(proof.includes(`&expect=${sha256}`) && proof.endsWith('&run=1'), proof);
  await page.goto('about:blank');
  await page.goto(proof);
  await page.waitForSelector('#link-start');
  await page.click('#link-start');
  await ended(page);
  assert.match(await textOf(page, '#proof-verdict'), /^Reproduced/);

  await page.goto('about:blank');
  await page.goto(`${url}#${SMALL_RUN.replace('seed=7', 'seed=8')}&expect=${sha256}`);
  await ready(page);
  await train(page);
  assert.match(await textOf(page, '#proof-verdict'), /^Not the same bits/);
  assert.deepEqual(faults, []);
});

test('a link with a wrong value is refused as the control refuses it', async (t) => {
  const { page, requests } = await openLab(t, { hash: '#epochs=500&run=1' });
  await page.waitForSelector('#problem:not([hidden])');
  assert.match(await textOf(page, '#problem'), /1 to 100/);
  assert.equal(await page.$('#link-start'), null);
  for (const [hash, words] of [['#epochs=ten', /a number/], ['#colour=red', /a setting of the lab/], ['#expect=12', /64/]]) {
    await page.evaluate((value) => {
      location.hash = String(value);
    }, hash);
    await page.waitForFunction((source) => new RegExp(source).test(document.querySelector('#problem')?.textContent ?? ''), {},
      /** @type {RegExp} */ (words).source);
  }
  assert.deepEqual(requests.filter((path) => path.endsWith('.gz')), []);
});

test('Train, pressed before the engine is there, trains what the link says', async (t) => {
  let isHeld = true;
  /** @type {(() => void)[]} */
  const waiting = [];
  const { page, url } = await openLab(t, {
    server: {
      async intercept(_request, _response, pathname) {
        if (isHeld && pathname.endsWith('.wasm')) {
          await new Promise((/** @type {(value: void) => void} */ resolve) => waiting.push(resolve));
        }
        return false;
      },
    },
    isReady: false,
  });
  await page.goto(`${url}#${SMALL_RUN}`);
  await page.waitForFunction(() => document.querySelector('#preview canvas'));
  await page.click('#train');
  await page.waitForSelector('#stop:not([hidden])');
  isHeld = false;
  waiting.forEach((resolve) => resolve());
  await ended(page);
  const [run] = await rows(page, 1);
  assert.equal(run.slice(1, 4).join(' | '), 'tiny, seed 7 | 1, 3 | 0.25');
});

test('a link is kept until there is an engine that can read it', async (t) => {
  let isBroken = true;
  const { page, url } = await openLab(t, {
    server: {
      intercept(_request, response, pathname) {
        if (isBroken && pathname.endsWith('.wasm')) {
          response.destroy();
          return true;
        }
        return false;
      },
    },
    isReady: false,
  });
  await page.goto(`${url}#${SMALL_RUN}`);
  await page.waitForSelector('#problem:not([hidden])');
  isBroken = false;
  await page.click('#retry');
  await ready(page);
  assert.equal(await page.$eval('#setting-seed', (input) => /** @type {HTMLInputElement} */ (input).value), '7');
});

test('the address follows the controls', async (t) => {
  const { page, url, faults } = await openLab(t);
  assert.equal(page.url(), url);
  await openSettings(page);
  await type(page, '#setting-seed', 42);
  await page.select('#setting-preset', '');
  await type(page, '#setting-widths', '784, 64, 48, 32, 24, 16, 10');
  await page.waitForFunction(() => location.hash.includes('widths=784,64,48,32,24,16,10'));
  const hash = await page.evaluate(() => location.hash);
  assert.match(hash, /seed=42/);
  assert.match(await textOf(page, '#plan-summary'), /^A network of custom widths/);
  await page.reload();
  await ready(page);
  await page.waitForFunction(() => document.querySelector('#plan-summary')?.textContent?.startsWith('A network of custom'));
  assert.equal(await page.evaluate(() => location.hash), hash);
  assert.deepEqual(faults, []);
});
