// The splits that an engine shares among all who ask for them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openNodeEngine } from '../scripts/lib/node-session.mjs';
import { LabError } from '../web/fault.js';
import { Splits } from '../web/splits.js';
import { changedSource, fileOf, manifestOf } from './lib/sources.mjs';

/** @typedef {import('../web/types.js').DownloadProgress} DownloadProgress */

const engine = await openNodeEngine();
const GZIP = 'validation.bin.gz';

/**
 * A body whose first 10,000 bytes come at once and whose rest comes when it is let go; tells when it is cancelled.
 * @param {string} [name]   of the file
 */
function heldBody(name = GZIP) {
  const bytes = fileOf(name);
  let letGo = () => {};
  let onCancel = () => {};
  /** @type {Promise<void>} */
  const cancelled = new Promise((resolve) => {
    onCancel = resolve;
  });
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.slice(0, 10000));
      letGo = () => {
        controller.enqueue(bytes.slice(10000));
        controller.close();
      };
    },
    cancel: () => onCancel(),
  });
  return { body, cancelled, letGo: () => letGo() };
}

/**
 * Asks for validation, and waits for the first news of its bytes.
 * @param {Splits} splits
 * @param {AbortSignal} [signal]
 */
async function askUntilProgress(splits, signal) {
  /** @type {DownloadProgress[]} */
  const heard = [];
  /** @type {Promise<import('../web/dataset.js').LoadedSplit>} */
  let loaded = new Promise(() => {});
  await new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
    loaded = splits.ask('validation', {
      signal,
      onProgress: (progress) => {
        heard.push(progress);
        resolve();
      },
    });
  });
  loaded.catch(() => {}); // the test awaits it later
  return { heard, loaded };
}

test('splits that are expected early are asked for once, and taken in when the engine is there', async () => {
  const { source, asked } = changedSource({});
  let onStarted = () => {};
  const started = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
    onStarted = resolve;
  });
  const splits = new Splits(started.then(() => engine), source);
  splits.expect(['train', 'validation']);
  splits.expect(['validation', 'train']);
  onStarted();
  const [validation, train] = await Promise.all([splits.ask('validation'), splits.ask('train')]);
  assert.deepEqual([train.audit.nImages, validation.audit.nImages], [10000, 2000]);
  assert.deepEqual(asked.map(({ name }) => name), ['manifest.json', 'train.bin.gz', GZIP]);
  assert.equal((await splits.ask('train')).handle, train.handle);
  const checks = [train, validation].flatMap(({ audit }) => audit.checks.map(({ name }) => name));
  assert.equal(checks.filter((name) => name.startsWith('no image of')).length, 1);
});

test('of expected splits a later one is taken in after the first, however that ends', async () => {
  for (const isGivenUp of [false, true]) {
    const { body, letGo } = heldBody('train.bin.gz');
    const { source, asked } = changedSource({ 'train.bin.gz': () => body });
    const splits = new Splits(engine, source);
    splits.expect(['train', 'validation']);
    const controller = new AbortController();
    /** @type {string[]} */
    const heard = [];
    let onFirst = () => {};
    const first = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
      onFirst = resolve;
    });
    const onProgress = (/** @type {DownloadProgress} */ { split }) => {
      heard.push(split);
      onFirst();
    };
    const train = splits.ask('train', { signal: controller.signal, onProgress });
    const validation = splits.ask('validation', { onProgress });
    await first;
    if (isGivenUp) {
      controller.abort();
      await assert.rejects(train, { code: 'STOPPED' });
    } else {
      letGo();
    }
    assert.equal((await validation).audit.nImages, 2000);
    assert.ok(heard[0] === 'train' && heard.lastIndexOf('train') < heard.indexOf('validation'), `${heard}`);
    assert.equal(asked.length, 3);
  }
});

test('who asks in the middle of a load hears how far it is, and what follows', async () => {
  const { body, letGo } = heldBody();
  const splits = new Splits(engine, changedSource({ [GZIP]: () => body }).source);
  const first = await askUntilProgress(splits);
  const second = await askUntilProgress(splits);
  assert.equal(second.heard[0].receivedBytes, 10000);
  letGo();
  assert.equal((await first.loaded).handle, (await second.loaded).handle);
  const { gzip_bytes: totalBytes } = manifestOf().splits.validation;
  const end = { split: 'validation', receivedBytes: totalBytes, totalBytes, retrying: false };
  assert.deepEqual([first, second].map(({ heard }) => heard.at(-1)), [end, end]);
});

test('a load that was expected ends with the one who asked for it, and the next begins anew', async () => {
  const { body, cancelled } = heldBody();
  const { source, asked } = changedSource({ [GZIP]: (nth) => (nth === 1 ? body : fileOf(GZIP)) });
  const splits = new Splits(engine, source);
  splits.expect(['validation']);
  const controller = new AbortController();
  const { loaded } = await askUntilProgress(splits, controller.signal);
  controller.abort();
  await assert.rejects(loaded, { code: 'STOPPED' });
  const next = splits.ask('validation');
  await cancelled;
  assert.equal((await next).audit.nImages, 2000);
  assert.deepEqual(asked.map(({ name }) => name), ['manifest.json', GZIP, GZIP]);
});

test('what is not expected any more is given up, unless somebody has asked for it', async () => {
  const train = heldBody('train.bin.gz');
  const validation = heldBody();
  const { source, asked } = changedSource({
    'train.bin.gz': (nth) => (nth === 1 ? train.body : fileOf('train.bin.gz')), [GZIP]: () => validation.body,
  });
  const splits = new Splits(engine, source);
  splits.expect(['train']);
  const { loaded } = await askUntilProgress(splits);
  splits.expect([]);
  await train.cancelled;
  validation.letGo();
  assert.equal((await loaded).audit.nImages, 2000);
  assert.equal((await splits.ask('train')).audit.nImages, 10000);
  assert.equal(asked.filter(({ name }) => name === 'train.bin.gz').length, 2);
});

test('a load goes on when one of two gives up, and stays when one gives up after it', async () => {
  const { body, letGo } = heldBody();
  const { source, asked } = changedSource({ [GZIP]: () => body });
  const splits = new Splits(engine, source);
  const controller = new AbortController();
  const first = await askUntilProgress(splits, controller.signal);
  const second = splits.ask('validation');
  controller.abort();
  await assert.rejects(first.loaded, { code: 'STOPPED' });
  letGo();
  assert.equal((await second).audit.nImages, 2000);
  const late = splits.ask('validation', { signal: controller.signal });
  assert.equal((await late).handle, (await second).handle);
  assert.equal(asked.length, 2);
});

test('what has failed before anyone asked is attempted anew, and its fault told to who asks', async () => {
  let isWell = false;
  const { source } = changedSource({});
  const splits = new Splits(engine, async (name, options) => {
    if (!isWell) {
      throw new LabError({ code: 'NETWORK', message: 'offline' });
    }
    return source(name, options);
  });
  splits.expect(['validation']);
  await assert.rejects(splits.ask('validation'), { code: 'NETWORK' });
  splits.expect(['validation']);
  await new Promise(setImmediate); // all that follows from the refusal is done
  isWell = true;
  assert.equal((await splits.ask('validation')).audit.nImages, 2000);
});

test('where no engine starts, those who ask are told so, and nothing is fetched twice', async () => {
  const { source, asked } = changedSource({});
  const splits = new Splits(Promise.reject(new LabError({ code: 'NO_ENGINE', message: 'none' })), source);
  await assert.rejects(splits.ask('validation'), { code: 'NO_ENGINE' });
  assert.equal(asked.length, 2);
});
