// A visitor comes back: what an earlier visit has kept is there at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openLab, ready, train } from './lab-page.mjs';

/** Runs in the page, before its scripts: notes the splits that its workers have loaded. */
function noteLoads() {
  /** @type {string[]} */
  const loads = [];
  Object.assign(globalThis, {
    loads,
    Worker: class extends Worker {
      /** @param {string|URL} url @param {WorkerOptions} options */
      constructor(url, options) {
        super(url, options);
        this.addEventListener('message', ({ data }) => data.result?.checks && loads.push(data.result.split));
      }
    },
  });
}

test('a later visit loads what was kept before Train is clicked, and nothing from the network', async (t) => {
  const { page, faults, requests } = await openLab(t, { hash: '#preset=tiny&trainN=1000&epochs=2&lr=0.05' });
  await train(page);
  for (const split of ['train', 'validation']) {
    await page.waitForFunction(async (name) => (await caches.match(name)) !== undefined, {}, `dataset/${split}.bin.gz`);
  }
  await page.evaluateOnNewDocument(noteLoads);
  requests.length = 0;
  await page.reload();
  await ready(page);
  await page.waitForFunction(() => /** @type {any} */ (globalThis).loads.length === 2);
  assert.deepEqual(await page.evaluate('loads'), ['train', 'validation']);
  assert.deepEqual(requests.filter((name) => name.endsWith('.gz')), []);
  assert.deepEqual(faults, []);
});
