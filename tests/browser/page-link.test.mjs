// Addresses that are experiments.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { newGate } from './harness.mjs';
import { ended, follow, openLab, openSettings, ready, rows, textOf, tick, train, type } from './lab-page.mjs';

const SMALL_RUN = 'preset=tiny&trainN=1000&epochs=2&batch=32&lr=0.05&mask=5&p=0.25&seed=7';

/** What the results say of it: network and seed, branches, p. */
const SMALL_CELLS = ['tiny, seed 7', '1, 3', '0.25'];

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

/** The lab with a gate before its engines; it is not opened yet. @param {import('node:test').TestContext} t */
async function withEngineGate(t) {
  const gate = newGate(/\.wasm$/);
  const { page, url } = await openLab(t, { server: { intercept: gate.intercept }, isReady: false });
  return { page, url, gate };
}

/** A link that was opened while no engine could be had; now they can. @param {import('node:test').TestContext} t */
async function openAfterRefusal(t) {
  const { page, url, gate } = await withEngineGate(t);
  gate.refuse();
  await page.goto(`${url}#${SMALL_RUN}`);
  await page.waitForSelector('#problem:not([hidden])');
  gate.open();
  return page;
}

test('Train, pressed before the engine is there, trains what the link says', async (t) => {
  const { page, url, gate } = await withEngineGate(t);
  gate.hold();
  await page.goto(`${url}#${SMALL_RUN}`);
  await page.waitForFunction(() => document.querySelector('#preview canvas'));
  await page.click('#train');
  await page.waitForSelector('#stop:not([hidden])');
  gate.open();
  await ended(page);
  assert.deepEqual((await rows(page, 1))[0].slice(1, 4), SMALL_CELLS);
});

test('a link is kept until there is an engine that can read it', async (t) => {
  const page = await openAfterRefusal(t);
  await page.click('#retry');
  await ready(page);
  assert.equal(await page.$eval('#setting-seed', (input) => /** @type {HTMLInputElement} */ (input).value), '7');
});

test('Train, pressed when the engine could not be had, trains what the link says', async (t) => {
  const page = await openAfterRefusal(t);
  await train(page);
  assert.deepEqual((await rows(page, 1))[0].slice(1, 4), SMALL_CELLS);
});

test('a link pasted after Train, before the engine is there, is what is trained', async (t) => {
  const { page, url, gate } = await withEngineGate(t);
  const isAsked = gate.hold();
  await page.goto(url);
  await isAsked;
  await page.click('#train');
  await page.waitForSelector('#stop:not([hidden])');
  await follow(page, `#${SMALL_RUN}`);
  gate.open();
  await ended(page);
  assert.deepEqual((await rows(page, 1))[0].slice(1, 4), SMALL_CELLS);
});

test('a link that asks for a start while a run goes on fills the controls and does not ask', async (t) => {
  const { page } = await openLab(t, { hash: '#preset=tiny&trainN=1000&epochs=1&lr=0.05' });
  await openSettings(page);
  await tick(page, '#plan-paused');
  await page.click('#train');
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent?.startsWith('Paused'));
  await follow(page, `#${SMALL_RUN}&run=1`);
  await page.waitForFunction(() => document.querySelector('#plan-summary')?.textContent?.includes('2 epochs'));
  await page.locator('#pause').click();
  await ended(page);
  assert.ok(await page.$('#question[hidden]'));
  await tick(page, '#plan-paused');
  await train(page);
  assert.deepEqual((await rows(page, 2))[0].slice(1, 4), SMALL_CELLS);
});

test('a link shows its settings also in the field that is being typed into', async (t) => {
  const { page } = await openLab(t);
  const value = (/** @type {string} */ selector) =>
    page.$eval(selector, (input) => /** @type {HTMLInputElement} */ (input).value);
  await openSettings(page);
  await type(page, '#setting-epochs', 5);
  await follow(page, `#${SMALL_RUN}`);
  await page.waitForFunction(() => document.querySelector('#plan-summary')?.textContent?.includes('2 epochs'));
  assert.equal(await value('#setting-epochs'), '2');
  await type(page, '#plan-seeds', 5);
  await follow(page, `#${SMALL_RUN}&seeds=3`);
  await page.waitForFunction(() => document.querySelector('#plan-summary')?.textContent?.startsWith('3 runs'));
  assert.equal(await value('#plan-seeds'), '3');
});

test('a link is followed though the address is rewritten before the page hears of it', async (t) => {
  const { page } = await openLab(t);
  await page.evaluate((hash) => {
    location.hash = hash;
    history.replaceState(null, '', '#seed=3'); // as the page does when what C says of earlier settings comes
  }, SMALL_RUN);
  await page.waitForFunction(() => document.querySelector('#plan-summary')?.textContent?.includes('2 epochs'));
});

test('the bits that a link foretells are not held against other settings', async (t) => {
  const { page } = await openLab(t, { hash: `#${SMALL_RUN}&expect=${'ab'.repeat(32)}` });
  await train(page);
  assert.match(await textOf(page, '#proof-verdict'), /^Not the same bits: expected abab/);
  await openSettings(page);
  await type(page, '#setting-seed', 8);
  assert.match(await textOf(page, '#proof-verdict'), /^Not the same bits: expected abab/, 'that run was the link’s');
  await page.keyboard.press('Enter');
  await ended(page);
  assert.equal(await textOf(page, '#proof-verdict'), '');
});

test('a notice that stands there already is not drawn and gone to once more', async (t) => {
  const { page } = await openLab(t);
  await follow(page, '#epochs=ten');
  const notice = await page.waitForSelector('#problem .notice');
  await follow(page, '#epochs=ten&seed=3');
  assert.equal(await notice?.evaluate((element) => element.isConnected), true);
  await follow(page, '#epochs=eleven');
  await page.waitForFunction(() => document.querySelector('#problem')?.textContent?.includes('eleven'));
  assert.equal(await notice?.evaluate((element) => element.isConnected), false);
});

/** Runs in the page, before its scripts: the time for which a button says “Copied” ends when `passTime` is called. */
function holdCopied() {
  const real = globalThis.setTimeout;
  /** @type {TimerHandler[]} */
  const held = [];
  Object.assign(globalThis, {
    held,
    setTimeout: (/** @type {any} */ handler, /** @type {number} */ milliseconds, /** @type {any[]} */ ...given) =>
      (milliseconds === 5000 ? held.push(handler) : real(handler, milliseconds, ...given)),
    passTime: () => held.forEach((handler) => real(handler)),
  });
}

test('a button that copies, pressed twice, says again what it does', async (t) => {
  const { page } = await openLab(t, { hash: `#${SMALL_RUN}`, scripts: [holdCopied] });
  await train(page);
  const label = await textOf(page, '#copy-proof');
  for (const n of [1, 2]) {
    await page.click('#copy-proof');
    await page.waitForFunction((wanted) => /** @type {any} */ (globalThis).held.length === wanted, {}, n);
    assert.notEqual(await textOf(page, '#copy-proof'), label);
  }
  await page.evaluate(() => {
    /** @type {any} */ (globalThis).passTime();
    return new Promise((resolve) => {
      setTimeout(resolve); // after what was called before
    });
  });
  assert.equal(await textOf(page, '#copy-proof'), label);
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
