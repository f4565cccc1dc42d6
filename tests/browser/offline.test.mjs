// The lab without a network, new builds of it, and hosts that send less than they should.

import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { listBuild } from '../../scripts/lib/build-list.mjs';
import { startServer } from '../../scripts/server.mjs';
import { launchBrowser, openPage } from './harness.mjs';
import { ended, goTo, ready, textOf, train } from './lab-page.mjs';

/** @typedef {import('node:test').TestContext} TestContext */
/** @typedef {import('puppeteer-core').Page} Page */

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const MANIFEST = JSON.parse(await readFile(path.join(DIST, 'dataset/manifest.json'), 'utf8'));
const QUICK = '#preset=tiny&trainN=1000&epochs=2&lr=0.05';
const TRAIN = '/dataset/train.bin.gz';

/** A host whose files can be changed and which can be switched off. */
class Host {
  /** Paths that it was asked for, in order; ' fresh' where caches were to be passed. @type {string[]} */
  asked = [];
  /** Answers instead of the files, if it says so. @type {import('../../scripts/server.mjs').ServerOptions['intercept']} */
  bend = () => false;
  #options;
  /** @type {import('../../scripts/server.mjs').RunningServer|null} */
  #server = null;
  url = '';
  root = DIST;

  /** @param {Partial<import('../../scripts/server.mjs').ServerOptions>} options */
  constructor(options) {
    this.#options = options;
  }

  async start() {
    this.#server = await startServer({
      ...this.#options,
      root: this.root,
      port: this.url === '' ? 0 : Number(new URL(this.url).port),
      intercept: (request, response, pathname) => {
        const isFresh = request.headers['cache-control'] === 'no-cache';
        this.asked.push(isFresh ? `${pathname} fresh` : pathname);
        return this.bend?.(request, response, pathname) ?? false;
      },
    });
    this.url = this.#server.url;
  }

  async stop() {
    await this.#server?.close();
    this.#server = null;
  }

  /** Serves another folder from now on. @param {string} root */
  async deploy(root) {
    await this.stop();
    this.root = root;
    await this.start();
  }
}

/**
 * A browser at its first visit of the lab.
 * @param {TestContext} context
 * @param {{hash?: string, host?: Partial<import('../../scripts/server.mjs').ServerOptions>}} [options]
 */
async function visit(context, { hash = '', host: options = {} } = {}) {
  const host = new Host(options);
  await host.start();
  context.after(() => host.stop());
  const browser = await launchBrowser(context);
  const { page, faults } = await openPage(browser);
  await page.goto(host.url + hash);
  await ready(page);
  return { host, browser, page, faults };
}

/** Waits until the service worker has everything that it keeps. @param {Page} page */
async function installed(page) {
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    await new Promise((resolve) => {
      const look = () => active?.state === 'activated' && resolve(undefined);
      active?.addEventListener('statechange', look);
      look();
    });
  });
}

/** What ran has come to its end. @param {Page} page */
async function finished(page) {
  assert.equal(await textOf(page, '#progress-phase'), 'Finished', await textOf(page, '#problem'));
}

/** @param {Page} page */
async function reload(page) {
  await page.reload();
  await ready(page);
}

/** What is kept, by cache: 'build', 'dataset'. @param {Page} page @returns {Promise<Record<string, string[]>>} */
function kept(page) {
  return page.evaluate(async () => {
    const { scope } = await navigator.serviceWorker.ready;
    /** @type {Record<string, string[]>} */
    const names = {};
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      names[name.split(' ')[2]] = (await cache.keys()).map(({ url }) => url.slice(scope.length));
    }
    return names;
  });
}

/** Waits until the splits of a run are kept. @param {Page} page */
async function splitsKept(page) {
  for (const split of ['train', 'validation', 'test']) {
    await page.waitForFunction(async (name) => (await caches.match(name)) !== undefined, {}, `dataset/${split}.bin.gz`);
  }
}

/**
 * A copy of what is deployed that says its version in two of its files.
 * @param {TestContext} context
 * @param {string} version
 */
async function otherBuild(context, version) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'lab-build-'));
  context.after(() => rm(folder, { recursive: true }));
  await cp(DIST, folder, { recursive: true });
  const change = async (/** @type {string} */ name, /** @type {(text: string) => string} */ edit) =>
    writeFile(path.join(folder, name), edit(await readFile(path.join(folder, name), 'utf8')));
  await change('index.html', (text) => text.replace('<html', `<html data-page="${version}"`));
  await change('app.js', (text) => `document.documentElement.dataset.app = '${version}';\n${text}`);
  await change('service-worker.js', (text) => text.slice(text.indexOf('\n') + 1));
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  const files = new Map();
  for (const name of names) {
    files.set(name, await readFile(path.join(folder, name)));
  }
  const splits = [...Object.values(MANIFEST.splits), ...Object.values(MANIFEST.optional_splits)];
  await writeFile(path.join(folder, 'service-worker.js'), listBuild(files, splits));
  return folder;
}

/** The versions of the page and of its code. @param {Page} page */
function versions(page) {
  return page.evaluate(() => {
    const { page: ofPage = '1', app: ofCode = '1' } = document.documentElement.dataset;
    return [ofPage, ofCode];
  });
}

/** A page that the service worker serves. @param {TestContext} context */
async function secondVisit(context) {
  const visited = await visit(context);
  await installed(visited.page);
  await reload(visited.page);
  return visited;
}

test('after the first visit the lab trains to the end without its server', async (t) => {
  const { host, page, faults } = await visit(t, { hash: QUICK });
  await train(page);
  await installed(page);
  await splitsKept(page);
  const order = [/preview\.json$/, /^\/wasm\/.*\.wasm$/, /^\/service-worker\.js$/].map((name) =>
    host.asked.findIndex((asked) => name.test(asked)));
  assert.ok(Math.min(...order) >= 0 && Math.max(order[0], order[1]) < order[2], `first view, engine, service worker: ${order}`);

  await host.stop();
  await reload(page);
  assert.equal((await page.$$('#preview canvas')).length, 20);
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
  for (const place of ['compare', 'inspect', 'draw', 'data', 'train']) {
    await goTo(page, place);
  }
  await train(page);
  await finished(page);
  await goTo(page, 'compare');
  await page.waitForFunction(() => document.querySelectorAll('#results-rows tr').length === 2);
  const accuracies = await page.$$eval('#results-rows tr', (rows) => rows.map((row) => row.children[4].textContent));
  assert.match(accuracies[0] ?? '', /%$/);
  assert.equal(accuracies[0], accuracies[1], 'the same bits as with a network');
  assert.deepEqual(faults, []);
});

test('kept is what this browser uses, and the splits that were used', async (t) => {
  const { host, page } = await secondVisit(t);
  const { build, dataset = [] } = await kept(page);
  assert.deepEqual(dataset, []);
  for (const name of ['', 'app.js', 'worker.js', 'app.webmanifest', 'dataset/manifest.json', 'dataset/preview.json',
    'thread.js', 'wasm/engine-fused.wasm', 'wasm/engine-fused-threads.wasm', 'wasm/producer.wasm']) {
    assert.ok(build.includes(name), `${name} is kept`);
  }
  const unwanted = /engine-mul-add|\.map$|\.bin\.gz$|^licenses\/|service-worker/;
  assert.deepEqual(build.filter((name) => unwanted.test(name)), []);
  assert.equal(new Set(build).size, build.length);

  host.asked = [];
  await page.goto(`${host.url}?query${QUICK}`);
  await ready(page);
  await train(page);
  await splitsKept(page);
  const splits = ['train', 'validation', 'test'].map((name) => `/dataset/${name}.bin.gz`);
  assert.deepEqual(host.asked.filter((name) => name !== '/service-worker.js').sort(), [...splits].sort());
  assert.deepEqual((await kept(page)).dataset.map((name) => `/${name}`).sort(), [...splits].sort());
});

test('a new build waits for a click, and then replaces the old one', async (t) => {
  const { host, page, faults } = await visit(t, { hash: QUICK });
  await train(page);
  await installed(page);
  await splitsKept(page);
  await reload(page);
  const { build: oldFiles } = await kept(page);
  await host.deploy(await otherBuild(t, '2'));
  await reload(page);
  assert.deepEqual(await versions(page), ['1', '1']);
  await page.waitForSelector('#update-reload');
  assert.match(await textOf(page, '#update'), /A new version is ready\.\s*Reload/);
  await goTo(page, 'draw'); // parts of the old build still come
  assert.deepEqual(await versions(page), ['1', '1']);

  await Promise.all([page.waitForNavigation(), page.click('#update-reload')]);
  await ready(page);
  assert.deepEqual(await versions(page), ['2', '2']);
  await page.waitForFunction(async () => (await caches.keys()).length === 2);
  const { build, dataset } = await kept(page);
  assert.equal(build.length, oldFiles.length);
  assert.equal(dataset.length, 3, 'the splits are the same, so they stay');
  await host.stop();
  await reload(page);
  assert.deepEqual(await versions(page), ['2', '2']);
  assert.deepEqual(faults, []);
});

test('a new build takes over by itself when no page is open any more', async (t) => {
  const { host, browser, page } = await secondVisit(t);
  await host.deploy(await otherBuild(t, '2'));
  await reload(page);
  await page.waitForSelector('#update-reload');
  const { page: later } = await openPage(browser);
  const session = await later.createCDPSession();
  /** Those that wait. @type {Set<string>} */
  const waiting = new Set();
  const takenOver = new Promise((resolve) => {
    session.on('ServiceWorker.workerVersionUpdated', ({ versions: workers }) => {
      for (const { versionId, status } of workers) {
        if (status === 'installed') {
          waiting.add(versionId);
        } else if (status === 'activated' && waiting.has(versionId)) {
          resolve(undefined);
        }
      }
    });
  });
  await session.send('ServiceWorker.enable');
  await page.close();
  await takenOver;
  await later.goto(host.url);
  await ready(later);
  assert.deepEqual(await versions(later), ['2', '2']);
});

test('two pages: the new build waits until one of them is closed', async (t) => {
  const { host, browser, page } = await secondVisit(t);
  const { page: other } = await openPage(browser);
  await other.goto(host.url);
  await ready(other);
  await host.deploy(await otherBuild(t, '2'));
  await page.bringToFront();
  await reload(page);
  await page.waitForSelector('#update-reload');
  await page.click('#update-reload');
  await page.waitForFunction(() => document.querySelector('#update')?.textContent?.includes('Close the other tabs'));
  await other.bringToFront();
  await goTo(other, 'compare');
  assert.deepEqual(await versions(other), ['1', '1']);
  await other.close();
  await Promise.all([page.waitForNavigation(), page.click('#update-reload')]);
  await ready(page);
  assert.deepEqual(await versions(page), ['2', '2']);
});

test('a build that is deployed by halves is not taken', async (t) => {
  const { host, page } = await secondVisit(t);
  const half = await otherBuild(t, '2');
  await cp(path.join(DIST, 'app.js'), path.join(half, 'app.js'));
  await host.deploy(half);
  const state = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const found = new Promise((resolve) => {
      const look = () => registration.installing && resolve(registration.installing);
      registration.addEventListener('updatefound', look);
      look(); // the browser may have found it by itself
    });
    await registration.update().catch(() => {});
    const next = await found;
    await new Promise((resolve) => {
      const look = () => ['installed', 'redundant'].includes(next.state) && resolve(undefined);
      next.addEventListener('statechange', look);
      look();
    });
    return next.state;
  });
  assert.equal(state, 'redundant');
  await reload(page);
  assert.deepEqual(await versions(page), ['1', '1']);
  assert.equal(await page.evaluate(async () => (await caches.keys()).filter((name) => name.includes(' build ')).length), 1);
});

test('a split that is spoilt in the cache is fetched once more, and mended there', async (t) => {
  const { host, page, faults } = await secondVisit(t);
  await page.goto(`${host.url}?${QUICK}`);
  await ready(page);
  await train(page);
  await splitsKept(page);
  await spoil(page, 'train');
  host.asked = [];
  await reload(page);
  await train(page);
  await finished(page);
  const asked = host.asked.filter((name) => name.startsWith('/dataset/'));
  assert.deepEqual(asked, ['/dataset/manifest.json fresh', `${TRAIN} fresh`]);
  await page.waitForFunction(async () => {
    const bytes = await (await caches.match('dataset/train.bin.gz'))?.arrayBuffer();
    return bytes !== undefined && new Uint8Array(bytes)[1000] !== 0xff;
  });
  host.asked = [];
  await reload(page);
  await train(page);
  assert.deepEqual(host.asked.filter((name) => name.startsWith('/dataset/')), []);
  assert.deepEqual(faults, []);

  await spoil(page, 'train');
  await host.stop();
  await reload(page);
  await train(page);
  assert.equal(await textOf(page, '#progress-phase'), 'Failed');
  assert.match(await textOf(page, '#problem'), /could not be fetched: the connection failed/);
  await host.start();
  await page.click('#retry');
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent !== 'Failed');
  await ended(page);
  await finished(page);
});

test('wrong content from the network is not kept', async (t) => {
  const { host, page } = await secondVisit(t);
  host.bend = (_request, response, pathname) => {
    if (pathname !== TRAIN) {
      return false;
    }
    response.end('<!doctype html><title>Sign in</title>');
    return true;
  };
  await page.goto(`${host.url}?${QUICK}`);
  await ready(page);
  host.asked = [];
  await train(page);
  assert.equal(await textOf(page, '#progress-phase'), 'Failed');
  const asked = host.asked.filter((name) => name.startsWith(TRAIN));
  assert.deepEqual(asked, [TRAIN, `${TRAIN} fresh`], 'one more try, past every cache');
  const problem = await textOf(page, '#problem');
  assert.match(problem, /train\.bin\.gz is neither gzip.*it starts with "<!doctype html>/);
  assert.match(problem, /Expected1f 8b or GDMNIST1.*Found.*Try again/s);
  host.bend = () => false;
  await page.click('#retry');
  await page.waitForFunction(() => document.querySelector('#progress-phase')?.textContent !== 'Failed');
  await ended(page);
  await finished(page);
  await splitsKept(page);
});

test('a host without the headers of isolation: threads from the second visit on', async (t) => {
  const { host, page } = await visit(t, { host: { isolated: false } });
  assert.equal(await page.evaluate(() => crossOriginIsolated), false);
  await installed(page);
  await reload(page);
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
  await host.stop();
  await reload(page);
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
});

test('a host that decodes the splits', async (t) => {
  const { host, page } = await visit(t, { hash: QUICK, host: { decodesGzip: true } });
  await train(page);
  await installed(page);
  await splitsKept(page);
  await host.stop();
  await reload(page);
  await train(page);
  await finished(page);
});

test('a cache that was thrown away: the next visit keeps again, and a newer build is not mixed in', async (t) => {
  const { host, page } = await secondVisit(t);
  const throwAway = () => page.evaluate(async () => {
    for (const name of await caches.keys()) {
      await caches.delete(name);
    }
  });
  await throwAway();
  await reload(page);
  assert.ok((await kept(page)).build.includes('app.js'));
  await host.stop();
  await reload(page);

  await throwAway();
  await host.deploy(await otherBuild(t, '2'));
  await reload(page);
  assert.deepEqual(await versions(page), ['2', '2']);
});

test('the lab can be installed', async (t) => {
  const { page } = await secondVisit(t);
  const session = await page.createCDPSession();
  const { errors, data } = await session.send('Page.getAppManifest');
  assert.deepEqual(errors, []);
  assert.equal(JSON.parse(data ?? '').display, 'standalone');
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  assert.deepEqual(installabilityErrors, []);
});

/** Overwrites bytes of a split in the cache. @param {Page} page @param {string} split */
async function spoil(page, split) {
  await page.evaluate(async (name) => {
    const cacheName = (await caches.keys()).find((key) => key.includes(' dataset ')) ?? '';
    const cache = await caches.open(cacheName);
    const response = await cache.match(name);
    const bytes = new Uint8Array((await response?.arrayBuffer()) ?? []);
    bytes.fill(0xff, 1000, 1010);
    await cache.put(name, new Response(bytes, { headers: response?.headers }));
  }, `dataset/${split}.bin.gz`);
}
