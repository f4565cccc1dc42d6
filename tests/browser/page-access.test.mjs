// The page for everyone: narrow and wide, light and dark, by keys, by ear, and light on the network.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { ended, goTo, openLab, openSettings, textOf, tick, train, type } from './lab-page.mjs';

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
    const { page, faults } = await openLab(t, { width, hash: QUICK.replace('plan=paired', 'plan=grid&masks=0,15') });
    await openSettings(page);
    await train(page);
    assert.equal(await page.$$eval('.queue__run', (runs) => runs.length), 4);
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
  await page.waitForFunction(() => /^Finished\. Test accuracy \d/.test(document.querySelector('#announcer')?.textContent ?? ''));
  const times = await page.evaluate(() => /** @type {any} */ (window).times);
  assert.ok(times.length > 1);
  const pauses = times.slice(1).map((/** @type {number} */ time, /** @type {number} */ i) => time - times[i]);
  assert.ok(pauses.every((/** @type {number} */ pause) => pause >= 4990), pauses.join());
});

/** Presses Tab until an element has the focus; each one on the way must show that it has it. @param {Page} page @param {string} selector */
async function tabTo(page, selector) {
  for (let i = 0; i < 150; i++) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate((wanted) => {
      const element = document.activeElement ?? document.body;
      const label = element.closest('.chip')?.querySelector('span') ?? document.querySelector(`label.button[for="${element.id}"]`);
      return {
        isThere: element.matches(wanted),
        isMarked: element === document.body || getComputedStyle(label ?? element).boxShadow !== 'none',
        words: `${element.tagName} ${element.id} ${element.className}`,
      };
    }, selector);
    assert.ok(stop.isMarked, `the focus is not to be seen on ${stop.words}`);
    if (stop.isThere) {
      return;
    }
  }
  assert.fail(`Tab does not come to ${selector}`);
}

test('settings, a plan, its comparison and its mistakes by keys alone', async (t) => {
  const { page, faults } = await openLab(t);
  const { keyboard } = page;
  const value = (/** @type {string} */ selector) => page.$eval(selector, (input) => /** @type {HTMLInputElement} */ (input).value);
  await tabTo(page, '#skip');
  await keyboard.press('Enter');
  assert.deepEqual(await page.evaluate(() => [document.activeElement?.id, location.hash]), ['main', '']);
  await tabTo(page, '#settings-toggle');
  await keyboard.press('Enter');
  await tabTo(page, '#setting-preset');
  await keyboard.press('ArrowUp');
  assert.equal(await value('#setting-preset'), 'tiny');
  for (const [id, figure] of [['trainN', '1000'], ['epochs', '2'], ['lr', '0.05']]) {
    await tabTo(page, `#setting-${id}`);
    await keyboard.type(figure); // Tab has chosen what stood there
    assert.equal(await value(`#setting-${id}`), figure);
    if (id === 'epochs') {
      await tabTo(page, '[name=setting-batch]');
      await keyboard.press('ArrowLeft');
      assert.equal(await value('[name=setting-batch]:checked'), '32');
    }
  }
  await tabTo(page, '[type=checkbox]:has(+ [aria-label="Branch 2"])');
  await keyboard.press('Space');
  await tabTo(page, '[name=plan-kind]');
  await keyboard.press('ArrowRight');
  await tabTo(page, '#plan-seeds');
  await page.waitForFunction(() => document.querySelector('#plan-summary')?.textContent?.startsWith('2 runs of the tiny network'));
  await keyboard.press('Enter');
  await ended(page);

  await tabTo(page, '[data-place=compare]');
  await keyboard.press('Enter');
  await page.waitForSelector('.depth__dot');
  await tabTo(page, '[name=results-checkpoint]');
  await keyboard.press('ArrowRight');
  assert.equal(await value('[name=results-checkpoint]:checked'), 'final');
  await tabTo(page, '#results-rows .link');
  await tabTo(page, '.depth__dot');
  await keyboard.press('Enter');
  await page.waitForSelector('#place-inspect:not([hidden]) #gallery-tiles button');
  await tabTo(page, '#gallery-tiles button');
  await keyboard.press('ArrowRight');
  await keyboard.press('Enter');
  assert.equal(await page.$eval('#gallery-tiles li:nth-child(2) button', (tile) => tile.getAttribute('aria-pressed')), 'true');
  await tabTo(page, '.confusion__cell:not(.confusion__cell--right)');
  await keyboard.press('Enter');
  const n = await page.evaluate(() => document.activeElement?.textContent);
  assert.match(await textOf(page, '#gallery-position'), new RegExp(`, ${n} images?$`));
  assert.deepEqual(faults, []);
});

test('Train pressed by a key gives the focus to Stop, and has it back at the end', async (t) => {
  const { page } = await openLab(t, { hash: QUICK });
  const focused = () => page.evaluate(() => document.activeElement?.id ?? '');
  await tabTo(page, '#train');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.id === 'stop');
  await ended(page);
  await page.waitForFunction(() => document.activeElement?.id === 'train');
  await tabTo(page, '#see-mistakes');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#gallery-tiles button');
  assert.notEqual(await focused(), 'train');
});

test('going from place to place loses nothing', async (t) => {
  const { page } = await openLab(t, { hash: QUICK });
  await train(page);
  await goTo(page, 'inspect');
  await page.waitForSelector('#gallery-tiles canvas');
  await page.select('#gallery-truth', '4');
  await goTo(page, 'compare');
  await tick(page, '[value=trainingLoss]');
  await page.waitForFunction(() => document.querySelector('#overlay .chart__title')?.textContent === 'Training loss');
  await goTo(page, 'train');
  await openSettings(page);
  await type(page, '#setting-lr', 7);
  await goTo(page, 'inspect');
  const position = await page.$eval('#gallery-position', (element) => element.textContent);
  for (const place of [...PLACES, 'inspect']) {
    await goTo(page, place);
  }
  assert.equal(await page.$eval('#gallery-truth', (select) => /** @type {HTMLSelectElement} */ (select).value), '4');
  assert.equal(await page.$eval('#gallery-position', (element) => element.textContent), position);
  assert.equal(await page.$eval('#overlay .chart__title', (title) => title.textContent), 'Training loss');
  const lr = await page.$eval('#setting-lr', (input) => /** @type {HTMLInputElement} */ (input).value);
  assert.equal(lr, '7', 'even what is wrong');
});

test('the page is light: 200 kB for the first view, 90 kB of scripts, styles and HTML in all', async (t) => {
  const { requests } = await openLab(t);
  const dist = new URL('../../dist/', import.meta.url);
  const total = async (/** @type {string[]} */ names) => {
    const sizes = await Promise.all([...new Set(names)].map(async (name) => {
      const bytes = await readFile(new URL(name, dist));
      return name.endsWith('.gz') ? bytes.length : gzipSync(bytes, { level: 9 }).length;
    }));
    return sizes.reduce((sum, bytes) => sum + bytes, 0);
  };
  const isEngine = (/** @type {string} */ name) => name.startsWith('wasm/') || name === 'worker.js';
  const seen = await total(requests.map((path) => path.slice(1) || 'index.html').filter((name) => !isEngine(name)));
  const code = await total((await readdir(dist, { recursive: true })).filter((name) => /\.(js|mjs|css|html)$/.test(name)));
  t.diagnostic(`first view ${seen} bytes, scripts, styles and HTML ${code} bytes`);
  assert.ok(seen <= 200_000, `first view: ${seen} bytes`);
  assert.ok(code <= 90_000, `scripts, styles, HTML: ${code} bytes`);
});
