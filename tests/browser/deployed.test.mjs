// What is deployed, as a browser asks for it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { launchBrowser, openPage, serveLab } from './harness.mjs';
import { goTo, ready } from './lab-page.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('the page works in a folder of a host', async (t) => {
  /** @type {string[]} */
  const requests = [];
  const url = await serveLab(t, {
    root: ROOT,
    intercept: (_request, _response, pathname) => {
      requests.push(pathname);
      return false;
    },
  });
  const { page, faults } = await openPage(await launchBrowser(t));
  await page.goto(`${url}dist/`);
  await ready(page); // its worker and its engine have been found
  for (const place of ['compare', 'inspect', 'draw', 'data', 'train']) {
    await goTo(page, place);
  }
  assert.deepEqual(requests.filter((name) => !name.startsWith('/dist/')), []);
  assert.deepEqual(faults, []);
});
