// Splits on their way from a real server into a real browser's engine, and what servers do to them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fileOf, flipped, jsonBytes, manifestOf } from '../lib/sources.mjs';
import { answering, CLIENT_MODULE, loadSplit, openBlank, openClient, shareBrowser } from './client.mjs';
import { middle } from './harness.mjs';

/** @typedef {import('puppeteer-core').Page} Page */
/** @typedef {import('./client.mjs').Bend} Bend */

const MANIFEST = '/dataset/manifest.json';
const GZIP = '/dataset/validation.bin.gz';
const FIRST = [MANIFEST, GZIP];
const BOTH = [...FIRST, `${MANIFEST} fresh`, `${GZIP} fresh`];

const browser = shareBrowser();

/** A server that sends the beginning of a file, and then nothing more; tells when each connection is closed. */
function stalling() {
  /** @type {Promise<void>[]} */
  const closed = [];
  /** @type {Bend} */
  const bend = (response) => {
    closed.push(
      new Promise((resolve) => {
        response.on('close', resolve);
      }),
    );
    response.write(fileOf('validation.bin.gz').slice(0, 100000)); // every split's beginning serves
    return true;
  };
  return { bend, closed };
}

/**
 * Loads validation from a server with bent answers.
 * @param {import('node:test').TestContext} context
 * @param {Record<string, Bend>} bends
 * @param {Parameters<typeof openClient>[1]} [options]
 */
async function loadBent(context, bends, options) {
  const { page, asked } = await openBlank(context, browser(), { bends });
  await openClient(page, options);
  const { audit, fault } = await loadSplit(page, 'validation');
  return { page, audit, fault, asked: () => asked.map(({ path, isFresh }) => (isFresh ? `${path} fresh` : path)) };
}

test('all four splits load and pass every check, on both routes', async (context) => {
  const { page, faults } = await openBlank(context, browser());
  for (const inflate of /** @type {const} */ (['stream', 'zlib'])) {
    await openClient(page, { inflate });
    for (const split of ['train', 'validation', 'test', 'test-full']) {
      const { audit, fault } = await loadSplit(page, split);
      assert.equal(fault, undefined);
      assert.equal(audit?.route, inflate === 'zlib' ? 'zlib' : 'DecompressionStream');
      assert.ok(audit?.checks.every(({ state }) => state === 'passed' || state === 'not needed'));
      assert.equal(audit?.checks.some(({ name }) => name === 'no image of train'), split === 'validation');
    }
  }
  assert.deepEqual(faults, []);
});

test('progress counts the compressed bytes to the manifest\'s figure', async (context) => {
  const { page } = await openBlank(context, browser());
  await openClient(page);
  const seen = await page.evaluate(async () => {
    /** @type {any[]} */
    const heard = [];
    await /** @type {any} */ (window).client.loadSplit('train', { onProgress: (/** @type {any} */ data) => heard.push(data) });
    return heard;
  });
  const { gzip_bytes: totalBytes } = manifestOf().splits.train;
  assert.ok(seen.length > 0);
  assert.deepEqual(seen.at(-1), { split: 'train', receivedBytes: totalBytes, totalBytes, retrying: false });
});

test('a server that has decoded the gzip already', async (context) => {
  const { page } = await openBlank(context, browser(), { server: { decodesGzip: true } });
  await openClient(page);
  const { audit, fault } = await loadSplit(page, 'validation');
  assert.equal(fault, undefined);
  assert.equal(audit?.wasGzip, false);
  assert.equal(audit?.route, 'already decoded');
});

test('a page that is not isolated loads too', async (context) => {
  const { page } = await openBlank(context, browser(), { server: { isolated: false } });
  const engine = await openClient(page);
  assert.equal(engine.threads, 1);
  const { fault } = await loadSplit(page, 'validation');
  assert.equal(fault, undefined);
});

test('a flipped byte is asked for once more past the caches, then told', async (context) => {
  const { fault, asked } = await loadBent(context, { [GZIP]: answering(flipped(fileOf('validation.bin.gz'), 100000)) });
  assert.equal(fault?.code, 'WRONG_GZIP_DIGEST');
  assert.deepEqual(asked(), BOTH);
});

test('a byte that was flipped once only is mended by the second answer', async (context) => {
  const bad = answering(flipped(fileOf('validation.bin.gz'), 100000));
  const { audit } = await loadBent(context, {
    [GZIP]: (response, nth, request) => nth === 1 && bad(response, nth, request),
  });
  assert.equal(audit?.retried, true);
});

test('a cut file', async (context) => {
  const { fault, asked } = await loadBent(context, { [GZIP]: answering(fileOf('validation.bin.gz').slice(0, 200000)) });
  assert.equal(fault?.code, 'WRONG_GZIP_SIZE');
  assert.equal(fault?.found, '200000');
  assert.deepEqual(asked(), BOTH);
});

test('a connection that breaks in the middle', async (context) => {
  const { fault, asked } = await loadBent(context, {
    [GZIP]: (response) => {
      const bytes = fileOf('validation.bin.gz');
      response.setHeader('Content-Length', bytes.length);
      response.write(bytes.slice(0, 100000), () => response.destroy());
      return true;
    },
  });
  assert.equal(fault?.code, 'NETWORK');
  assert.deepEqual(asked(), FIRST);
});

test('a manifest with a wrong hash', async (context) => {
  for (const [member, code] of [
    ['sha256', 'WRONG_DIGEST'],
    ['gzip_sha256', 'WRONG_GZIP_DIGEST'],
    ['original_indices_sha256_uint32_le', 'WRONG_INDEX_DIGEST'],
  ]) {
    const manifest = manifestOf();
    manifest.splits.validation[member] = 'ab'.repeat(32);
    const { fault, asked } = await loadBent(context, { [MANIFEST]: answering(jsonBytes(manifest)) });
    assert.equal(fault?.code, code);
    assert.deepEqual(asked(), BOTH);
  }
});

test('a page instead of the file: with status 404, and with 200', async (context) => {
  const html = '<!doctype html><title>Not found</title>';
  const missing = await loadBent(context, { [GZIP]: answering(html, { status: 404, type: 'text/html' }) });
  assert.equal(missing.fault?.code, 'HTTP_STATUS');
  assert.equal(missing.fault?.found, '404');
  assert.deepEqual(missing.asked(), FIRST);
  const disguised = await loadBent(context, { [GZIP]: answering(html, { type: 'text/html' }) });
  assert.equal(disguised.fault?.code, 'NOT_A_SPLIT');
  assert.equal(disguised.fault?.found, '"<!doctype html><"');
  assert.deepEqual(disguised.asked(), BOTH);
});

test('more bytes than the manifest allows end the download', async (context) => {
  /** @type {Promise<void>[]} */
  const closed = [];
  const { fault } = await loadBent(context, {
    [GZIP]: (response) => {
      closed.push(
        new Promise((resolve) => {
          response.on('close', resolve);
        }),
      );
      response.write(fileOf('validation.bin.gz'));
      const more = () => response.write(new Uint8Array(65536));
      response.on('drain', more);
      more();
      return true;
    },
  });
  assert.equal(fault?.code, 'TOO_LONG');
  assert.equal(closed.length, 2); // the second attempt too
  await Promise.all(closed);
});

test('offline, then online again: the same client loads', async (context) => {
  let isOffline = true;
  /** @type {Bend} */
  const dropped = (response) => isOffline && Boolean(response.destroy());
  const { page, fault } = await loadBent(context, { [MANIFEST]: dropped, [GZIP]: dropped });
  assert.equal(fault?.code, 'NETWORK');
  assert.match(fault?.message ?? '', /Check that you are online, then try again\./);
  isOffline = false;
  const second = await loadSplit(page, 'validation');
  assert.equal(second.audit?.nImages, 2000);
});

test('a load that is aborted ends at once, and its download too', async (context) => {
  const { bend, closed } = stalling();
  const { page } = await openBlank(context, browser(), { bends: { [GZIP]: bend } });
  await openClient(page);
  const times = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    const { code, took } = await page.evaluate(async () => {
      const controller = new AbortController();
      let aborted = 0;
      const onProgress = () => {
        aborted = performance.now();
        controller.abort();
      };
      try {
        await /** @type {any} */ (window).client.loadSplit('validation', { signal: controller.signal, onProgress });
        return { code: 'loaded', took: 0 };
      } catch (error) {
        return { code: /** @type {any} */ (error).code, took: performance.now() - aborted };
      }
    });
    assert.equal(code, 'STOPPED');
    times.push(took);
  }
  assert.ok(middle(times) < 200, `${times} ms`);
  assert.equal(closed.length, 3);
  await Promise.all(closed);
});

/** In the page: a client that is told of a run before its engine is there, and the run. @param {Page} page */
function expectAndRun(page) {
  return page.evaluate(async (path) => {
    const { Client } = await import(path);
    const client = Client.start();
    client.expectRun();
    await client.opened;
    let told = 0;
    const run = client.startRun({ preset: 'tiny' }, {
      onDownload: (/** @type {any} */ { split, receivedBytes }) => {
        if (split === 'train' && receivedBytes > 0 && told === 0) {
          told = performance.now();
          run.stop();
        }
      },
    });
    try {
      const { status } = await run.finished;
      return { ended: status, took: performance.now() - told };
    } catch (error) {
      return { ended: /** @type {any} */ (error).code, took: 0 };
    }
  }, CLIENT_MODULE);
}

test('a run takes over what was begun for it, hears how far it is, and its stop ends the download', async (context) => {
  const { bend, closed } = stalling();
  const { page, asked } = await openBlank(context, browser(), { bends: { '/dataset/train.bin.gz': bend } });
  const times = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    const { ended, took } = await expectAndRun(page);
    assert.equal(ended, 'stopped');
    times.push(took);
    await Promise.all(closed);
    assert.deepEqual(asked.splice(0).map(({ path }) => path).sort(), [MANIFEST, '/dataset/train.bin.gz', GZIP]);
  }
  assert.ok(middle(times) < 200, `${times} ms`);
});

test('a run tells the fault of what was begun for it', async (context) => {
  const missing = answering('', { status: 404 });
  const { page } = await openBlank(context, browser(), { bends: { '/dataset/train.bin.gz': missing } });
  assert.equal((await expectAndRun(page)).ended, 'HTTP_STATUS');
});
