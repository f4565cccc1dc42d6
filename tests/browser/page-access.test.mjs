// The page for everyone: narrow and wide, light and dark, by keys, by ear, and light on the network.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { ended, goTo, openLab, openSettings, train } from './lab-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

const PLACES = ['train', 'compare', 'inspect', 'draw', 'data'];
const QUICK = '#preset=tiny&trainN=1000&epochs=2&lr=0.05&plan=paired&mask=15&seeds=2';

/** @param {Page} page @returns {Promise<string[]>} what stands out of the page's sides */
function overflowing(page) {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const mayStandOut = '.scroller, .queue, .visually-hidden, .skip-link';
    const isScrolled = (/** @type {Element} */ element) => element.closest(mayStandOut) !== null;
    return [...document.querySelectorAll('body *')]
      .filter((element) => !isScrolled(element))
      .filter((element) => {
        const { left, right, width: own } = element.getBoundingClientRect();
        return own > 0 && (right > width + 0.5 || left < -0.5);
      })
      .map((element) => `${element.tagName} ${element.id} ${element.getAttribute('class')}`);
  });
}

/** @param {Page} page @returns {Promise<string[]>} text whose contrast with what is behind it is below 4.5 (WCAG 1.4.3) */
function faint(page) {
  return page.evaluate(() => {
    const numbers = (/** @type {string} */ colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (/** @type {number[]} */ rgb) => {
      const [r, g, b] = rgb.map((value) => (value / 255 <= 0.04045 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (/** @type {Element|null} */ element) => {
      for (let each = element; each !== null; each = each.parentElement) {
        const colour = getComputedStyle(each).backgroundColor;
        if (!colour.startsWith('rgb')) {
          return null; // mixed from others
        }
        const [r, g, b, alpha = 1] = numbers(colour);
        if (alpha === 1) {
          return [r, g, b];
        }
      }
      return [255, 255, 255];
    };
    const isReadable = (/** @type {Element} */ element) =>
      element.getClientRects().length > 0 && !element.matches(':disabled, :disabled *') &&
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());
    return [...document.querySelectorAll('body *')]
      .filter(isReadable)
      .filter((element) => {
        const background = behind(element);
        const style = getComputedStyle(element);
        const colour = numbers(element instanceof SVGElement ? style.fill : style.color).slice(0, 3);
        if (background === null || element.closest('svg') !== null) {
          return false;
        }
        const [light, dark] = [luminance(colour), luminance(background)].sort((a, b) => b - a);
        return (light + 0.05) / (dark + 0.05) < 4.5;
      })
      .map((element) => `${element.tagName}.${element.getAttribute('class')}: ${element.textContent?.slice(0, 30)}`);
  });
}

for (const width of [360, 900, 1600]) {
  test(`nothing stands out of the page's sides at ${width} pixels, and text is readable in both themes`, async (t) => {
    const { page, faults } = await openLab(t, { width, hash: QUICK });
    await openSettings(page);
    await train(page);
    for (const place of PLACES) {
      await goTo(page, place);
      if (place === 'inspect') {
        await page.waitForSelector('#gallery-tiles canvas');
      }
      assert.deepEqual(await overflowing(page), [], place);
      for (const scheme of ['light', 'dark']) {
        await page.emulateMediaFeatures([
          { name: 'prefers-color-scheme', value: scheme },
          { name: 'prefers-reduced-motion', value: 'reduce' },
        ]);
        await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)));
        assert.deepEqual(await faint(page), [], `${place}, ${scheme}`);
      }
    }
    assert.deepEqual(faults, []);
  });
}

test('every control has a name, and one live region speaks at most every five seconds', async (t) => {
  const { page } = await openLab(t, { hash: QUICK });
  await page.evaluate(() => {
    const region = /** @type {Element} */ (document.querySelector('#announcer'));
    const times = /** @type {number[]} */ ([]);
    Object.assign(window, { times });
    const observer = new MutationObserver(() => times.push(performance.now()));
    observer.observe(region, { childList: true, characterData: true, subtree: true });
  });
  await openSettings(page);
  await train(page);
  for (const place of PLACES) {
    await goTo(page, place);
  }
  const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, a, [tabindex="0"]')]
    .filter((element) => {
      const labels = /** @type {HTMLInputElement} */ (element).labels;
      const name = element.getAttribute('aria-label') ?? element.textContent?.trim();
      return !name && !labels?.length && !element.hasAttribute('aria-labelledby');
    })
    .map((element) => `${element.tagName} ${element.id} ${element.className}`));
  assert.deepEqual(nameless, []);
  const regions = await page.$$eval('[aria-live], [role=status], [role=alert], [role=log]', (all) => all.map(({ id }) => id));
  assert.deepEqual(regions, ['announcer']);
  const times = await page.evaluate(() => /** @type {any} */ (window).times);
  assert.ok(times.length > 0);
  const pauses = times.slice(1).map((/** @type {number} */ time, /** @type {number} */ i) => time - times[i]);
  assert.ok(pauses.every((/** @type {number} */ pause) => pause >= 4990), pauses.join());
});

test('the whole of a run by keys alone', async (t) => {
  const { page, faults } = await openLab(t, { hash: QUICK });
  const focused = () => page.evaluate(() => document.activeElement?.id ?? '');
  /** @param {string} name */
  const tabTo = async (name) => {
    for (let i = 0; i < 80 && (await focused()) !== name; i++) {
      await page.keyboard.press('Tab');
    }
    assert.equal(await focused(), name);
  };
  await tabTo('train');
  await page.keyboard.press('Enter');
  await ended(page);
  assert.equal(await focused(), 'train', 'the focus comes back to Train');
  await tabTo('see-mistakes');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#gallery-tiles button');
  await page.focus('#gallery-tiles button');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  assert.equal(await page.$eval('#gallery-tiles li:nth-child(2) button', (tile) => tile.getAttribute('aria-pressed')), 'true');
  assert.deepEqual(faults, []);
});

test('going from place to place loses nothing', async (t) => {
  const { page } = await openLab(t, { hash: QUICK });
  await train(page);
  await goTo(page, 'inspect');
  await page.waitForSelector('#gallery-tiles canvas');
  await page.select('#gallery-truth', '4');
  const position = await page.$eval('#gallery-position', (element) => element.textContent);
  for (const place of [...PLACES, 'inspect']) {
    await goTo(page, place);
  }
  assert.equal(await page.$eval('#gallery-truth', (select) => /** @type {HTMLSelectElement} */ (select).value), '4');
  assert.equal(await page.$eval('#gallery-position', (element) => element.textContent), position);
});

test('the page is light: 200 kB for the first view, 90 kB of scripts, styles and HTML for all places', async (t) => {
  const { page, requests } = await openLab(t, { hash: QUICK });
  const gzipped = async (/** @type {string} */ name) => {
    const file = new URL(`../../dist${name === '/' ? '/index.html' : name}`, import.meta.url);
    const bytes = await readFile(file);
    return name.endsWith('.gz') ? bytes.length : gzipSync(bytes, { level: 9 }).length;
  };
  const total = async (/** @type {string[]} */ names) =>
    (await Promise.all([...new Set(names)].map(gzipped))).reduce((sum, bytes) => sum + bytes, 0);
  const isSeen = requests.filter((name) => !name.startsWith('/wasm/') && name !== '/worker.js');
  assert.ok(await total(isSeen) <= 200_000, `first view: ${await total(isSeen)} bytes`);
  await train(page);
  for (const place of PLACES) {
    await goTo(page, place);
  }
  const code = requests.filter((name) => /(\/|\.js|\.mjs|\.css|\.html)$/.test(name));
  assert.ok(code.some((name) => name.endsWith('uPlot.mjs')));
  assert.ok(await total(code) <= 90_000, `scripts, styles, HTML: ${await total(code)} bytes`);
  t.diagnostic(`first view ${await total(isSeen)} bytes, scripts, styles and HTML ${await total(code)} bytes`);
});
