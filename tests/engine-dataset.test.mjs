// One split on its way into the engine, with everything that can go wrong on it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';

import { openNodeEngine } from '../scripts/lib/node-session.mjs';
import { Dataset } from '../web/dataset.js';
import { LabError } from '../web/fault.js';
import { changedSource, fileOf, flipped, jsonBytes, manifestOf, streamOf } from './lib/sources.mjs';

/** @typedef {import('../web/types.js').SplitAudit} SplitAudit */

const engine = await openNodeEngine();
const GZIP = 'validation.bin.gz';

/** How gzip can be decoded: each mistake must be noticed by both. */
const ROUTES = /** @type {const} */ (['stream', 'zlib']);

/**
 * Loads validation from a changed source; closes it again.
 * @param {Parameters<typeof changedSource>[0]} changed
 * @param {object} [options]
 * @param {'auto'|'stream'|'zlib'} [options.inflate]
 * @param {number} [options.chunkBytes]
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<{audit: SplitAudit|null, fault: LabError|null, asked: string[]}>}
 */
async function loadValidation(changed, { inflate = 'auto', chunkBytes, signal } = {}) {
  const { source, asked } = changedSource(changed, chunkBytes);
  const dataset = new Dataset(engine, source, { inflate });
  /** @type {SplitAudit|null} */
  let audit = null;
  /** @type {LabError|null} */
  let fault = null;
  try {
    const loaded = await dataset.load('validation', { signal });
    audit = loaded.audit;
    engine.status('gd_split_close', loaded.handle);
  } catch (error) {
    assert.ok(error instanceof LabError, String(error));
    fault = error;
  }
  return { audit, fault, asked: asked.map(({ name, fresh }) => (fresh ? `${name} (fresh)` : name)) };
}

const FIRST = ['manifest.json', GZIP];
const BOTH = [...FIRST, 'manifest.json (fresh)', `${GZIP} (fresh)`];

for (const inflate of ROUTES) {
  test(`${inflate}: a good file passes every check at the first attempt`, async () => {
    const { audit, asked } = await loadValidation({}, { inflate });
    assert.deepEqual(asked, FIRST);
    assert.equal(audit?.route, inflate === 'zlib' ? 'zlib' : 'DecompressionStream');
    assert.equal(audit?.wasGzip, true);
    assert.equal(audit?.nImages, 2000);
    assert.equal(audit?.receivedBytes, manifestOf().splits.validation.gzip_bytes);
    assert.ok((audit?.checks.length ?? 0) >= 10);
    assert.ok(audit?.checks.every(({ state }) => state === 'passed' || state === 'not needed'));
  });

  test(`${inflate}: chunks of any size give the same`, async () => {
    for (const chunkBytes of [1, 7, 65536, 1e9]) {
      // One byte at a time would be slow for the whole file: its head shows that the first bytes are put together.
      const head = () => streamOf(fileOf(GZIP).slice(0, 64), chunkBytes);
      const rest = () => streamOf(fileOf(GZIP).slice(64), Math.max(chunkBytes, 5000));
      const body = () => joined([head(), rest()]);
      const { audit, fault } = await loadValidation({ [GZIP]: body }, { inflate });
      assert.equal(fault, null);
      assert.equal(audit?.sha256, manifestOf().splits.validation.sha256);
    }
  });

  test(`${inflate}: a flipped byte is noticed wherever it is, and asked for once more`, async () => {
    const good = fileOf(GZIP);
    for (const at of [2, 9, 30, 5000, good.length >> 1, good.length - 6]) {
      const { fault, asked } = await loadValidation({ [GZIP]: flipped(good, at) }, { inflate });
      assert.equal(fault?.code, 'WRONG_GZIP_DIGEST', `byte ${at}`);
      assert.match(fault?.message ?? '', /expected b3160bc7.*found /);
      assert.deepEqual(asked, BOTH);
    }
  });

  test(`${inflate}: a second answer that is right mends the first`, async () => {
    const good = fileOf(GZIP);
    const { audit, asked } = await loadValidation(
      { [GZIP]: (nth) => (nth === 1 ? flipped(good, 1000) : good) },
      { inflate },
    );
    assert.equal(audit?.retried, true);
    assert.deepEqual(asked, BOTH);
  });

  test(`${inflate}: a cut file is too short, wherever it is cut`, async () => {
    const good = fileOf(GZIP);
    for (const n of [2, 8, 9, 18, 4096, good.length - 9, good.length - 8, good.length - 1]) {
      const { fault } = await loadValidation({ [GZIP]: good.slice(0, n) }, { inflate });
      assert.equal(fault?.code, 'WRONG_GZIP_SIZE', `${n} bytes`);
      assert.equal(fault?.found, String(n));
    }
  });

  test(`${inflate}: more bytes than the manifest allows stop the load at once`, async () => {
    let nPulled = 0;
    const endless = () => {
      nPulled = 0;
      const good = fileOf(GZIP);
      return new ReadableStream({
        pull(controller) {
          controller.enqueue(nPulled++ === 0 ? good : new Uint8Array(1000));
        },
      });
    };
    const { fault } = await loadValidation({ [GZIP]: endless }, { inflate });
    assert.equal(fault?.code, 'TOO_LONG');
    assert.ok(nPulled < 10, `${nPulled} chunks were taken`);
  });

  test(`${inflate}: gzip that decodes to more than the manifest allows is stopped`, async () => {
    const bomb = new Uint8Array(gzipSync(new Uint8Array(64 * 1024 * 1024)));
    const manifest = manifestOf();
    manifest.splits.validation.gzip_bytes = bomb.length;
    const { fault } = await loadValidation({ 'manifest.json': jsonBytes(manifest), [GZIP]: bomb }, { inflate });
    assert.equal(fault?.code, 'TOO_LONG');
  });

  test(`${inflate}: a wrong hash in the manifest`, async () => {
    const wrong = 'ab'.repeat(32);
    for (const [member, code] of [
      ['sha256', 'WRONG_DIGEST'],
      ['gzip_sha256', 'WRONG_GZIP_DIGEST'],
      ['original_indices_sha256_uint32_le', 'WRONG_INDEX_DIGEST'],
    ]) {
      const manifest = manifestOf();
      manifest.splits.validation[member] = wrong;
      const { fault, asked } = await loadValidation({ 'manifest.json': jsonBytes(manifest) }, { inflate });
      assert.equal(fault?.code, code);
      assert.equal(fault?.expected, wrong);
      assert.deepEqual(asked, BOTH);
    }
  });

  test(`${inflate}: a stop in the middle ends the load`, async () => {
    const controller = new AbortController();
    const stalled = () =>
      new ReadableStream({
        start(stream) {
          stream.enqueue(fileOf(GZIP).slice(0, 100000));
          setImmediate(() => controller.abort());
        },
        // It never ends by itself.
      });
    const { fault, asked } = await loadValidation({ [GZIP]: stalled }, { inflate, signal: controller.signal });
    assert.equal(fault?.code, 'STOPPED');
    assert.deepEqual(asked, FIRST);
  });
}

test('a manifest that was stale is fetched anew with the file', async () => {
  const stale = manifestOf();
  stale.splits.validation.gzip_sha256 = 'cd'.repeat(32);
  const { audit, asked } = await loadValidation({
    'manifest.json': (nth) => (nth === 1 ? jsonBytes(stale) : fileOf('manifest.json')),
  });
  assert.equal(audit?.retried, true);
  assert.deepEqual(asked, BOTH);
});

test('a body that the server has decoded already is taken as it is', async () => {
  const decoded = new Uint8Array(gunzipSync(fileOf(GZIP)));
  const { audit } = await loadValidation({ [GZIP]: decoded });
  assert.equal(audit?.wasGzip, false);
  assert.equal(audit?.route, 'already decoded');
  const states = new Set(audit?.checks.map(({ state }) => state));
  assert.deepEqual(states, new Set(['passed', 'not needed']));
});

test('a decoded body with a flipped byte, cut, or too long', async () => {
  const decoded = new Uint8Array(gunzipSync(fileOf(GZIP)));
  const longer = new Uint8Array(decoded.length + 1);
  longer.set(decoded);
  for (const [body, code] of /** @type {[Uint8Array, string][]} */ ([
    [flipped(decoded, 500000), 'WRONG_DIGEST'],
    [decoded.slice(0, -4), 'WRONG_SIZE'],
    [longer, 'TOO_LONG'],
  ])) {
    const { fault } = await loadValidation({ [GZIP]: body });
    assert.equal(fault?.code, code);
  }
});

test('what is neither gzip nor a split is refused, and shown', async () => {
  const page = new TextEncoder().encode('<!doctype html><title>404</title>');
  for (const [body, found] of /** @type {[Uint8Array, string][]} */ ([
    [page, '"<!doctype html><"'],
    [new Uint8Array([0, 1, 2, 255]), '00 01 02 ff'],
    [new TextEncoder().encode('GDM'), '"GDM"'],
    [new Uint8Array(0), 'nothing'],
  ])) {
    const { fault, asked } = await loadValidation({ [GZIP]: body });
    assert.equal(fault?.code, 'NOT_A_SPLIT');
    assert.equal(fault?.found, found);
    assert.deepEqual(asked, BOTH);
  }
});

test('a connection that breaks is the network\'s fault, and not asked again', async () => {
  const broken = () =>
    new ReadableStream({
      start(stream) {
        stream.enqueue(fileOf(GZIP).slice(0, 1000));
        stream.error(new TypeError('network error'));
      },
    });
  const { fault, asked } = await loadValidation({ [GZIP]: broken });
  assert.equal(fault?.code, 'NETWORK');
  assert.deepEqual(asked, FIRST);
});

test('after a fault the same dataset loads when the source is well again', async () => {
  let isWell = false;
  const { source } = changedSource({
    'manifest.json': () => {
      if (!isWell) {
        throw new LabError({ code: 'NETWORK', message: 'offline' });
      }
      return fileOf('manifest.json');
    },
  });
  const dataset = new Dataset(engine, source);
  await assert.rejects(dataset.load('validation'), { code: 'NETWORK' });
  isWell = true;
  const { handle } = await dataset.load('validation');
  engine.status('gd_split_close', handle);
});

test('who gives up while the manifest is on its way does not take it from others', async () => {
  /** @type {(stream: ReadableStream<Uint8Array>) => void} */
  let answer = () => {};
  const { source } = changedSource({});
  const dataset = new Dataset(engine, (name, options) =>
    name === 'manifest.json'
      ? new Promise((resolve) => {
          answer = resolve;
        })
      : source(name, options),
  );
  const controller = new AbortController();
  const first = dataset.load('validation', { signal: controller.signal });
  const second = dataset.load('validation');
  controller.abort();
  await assert.rejects(first, { code: 'STOPPED' });
  answer(streamOf(fileOf('manifest.json'), 1e6));
  engine.status('gd_split_close', (await second).handle);
});

test('a manifest that is none, or lacks the split', async () => {
  const { fault } = await loadValidation({ 'manifest.json': new TextEncoder().encode('<html>') });
  assert.equal(fault?.code, 'BAD_MANIFEST');
  const manifest = manifestOf();
  delete manifest.splits.validation;
  const lacking = await loadValidation({ 'manifest.json': jsonBytes(manifest) });
  assert.equal(lacking.fault?.code, 'BAD_MANIFEST');
});

test('by itself zlib decodes', async () => {
  const { audit } = await loadValidation({});
  assert.equal(audit?.route, 'zlib');
});

/**
 * Streams one after the other.
 * @param {ReadableStream<Uint8Array>[]} streams
 */
function joined(streams) {
  const { readable, writable } = new TransformStream();
  const pipe = async () => {
    for (const [at, stream] of streams.entries()) {
      await stream.pipeTo(writable, { preventClose: at < streams.length - 1 });
    }
  };
  pipe().catch(() => {});
  return readable;
}
