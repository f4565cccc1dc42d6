import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chooseBuilds, detectFeatures, openEngine } from '../web/builds.js';
import { faultSentence } from '../web/engine.js';

const EVERYTHING = { simd: true, relaxedSimd: true, sharedMemory: true, cores: 4 };
const NOWHERE = { wasmUrl: 'file:///nowhere/' };

test('everything there is: the fused build with threads first, then what needs less', () => {
  const { candidates, nThreads, reasons } = chooseBuilds(EVERYTHING);
  assert.deepEqual(candidates, ['fused-threads', 'fused', 'mul-add-threads', 'mul-add']);
  assert.equal(nThreads, 4);
  assert.deepEqual(reasons, []);
});

test('never more threads than cores or than eight, unless they are asked for', () => {
  assert.equal(chooseBuilds({ ...EVERYTHING, cores: 2 }).nThreads, 2);
  assert.equal(chooseBuilds({ ...EVERYTHING, cores: 64 }).nThreads, 8);
  assert.equal(chooseBuilds({ ...EVERYTHING, cores: 2 }, { threads: 4 }).nThreads, 4);
});

test('one thread alone: when it is asked for, on one core, and without shared memory', () => {
  const alone = [
    { features: EVERYTHING, threads: 1, reason: 'fused-threads: one thread was asked for.' },
    { features: { ...EVERYTHING, cores: 1 }, reason: 'fused-threads: this machine has one core.' },
    {
      features: { ...EVERYTHING, sharedMemory: false },
      reason: 'fused-threads: memory cannot be shared here (the page is not cross-origin isolated).',
    },
  ];
  for (const { features, threads, reason } of alone) {
    const { candidates, reasons } = chooseBuilds(features, { threads });
    assert.deepEqual(candidates, ['fused', 'mul-add']);
    assert.equal(reasons[0], reason);
  }
});

test('without relaxed SIMD the plain builds are taken, and the reason is said', () => {
  const { candidates, reasons } = chooseBuilds({ ...EVERYTHING, relaxedSimd: false });
  assert.deepEqual(candidates, ['mul-add-threads', 'mul-add']);
  assert.match(reasons.join(' '), /fused: no relaxed SIMD/);
});

test('a build that is asked for is the only one', () => {
  assert.deepEqual(chooseBuilds(EVERYTHING, { build: 'mul-add' }).candidates, ['mul-add']);
  assert.deepEqual(chooseBuilds({ ...EVERYTHING, relaxedSimd: false }, { build: 'fused' }).candidates, []);
});

test('the probes are modules: SIMD is everywhere that this test runs', () => {
  assert.equal(detectFeatures().simd, true);
});

test('a build that cannot be fetched is told at once: another one may compute other bits', async () => {
  await assert.rejects(openEngine({ ...NOWHERE, build: 'fused', threads: 1 }), { code: 'NETWORK', subject: 'engine-fused.wasm' });
});

test('where no build runs, each refusal is told', async () => {
  const platform = {
    compile: () => Promise.reject(new Error('it is no module.')),
    startWorker() {
      throw new Error('No thread is asked for.');
    },
  };
  await assert.rejects(openEngine({ ...NOWHERE, threads: 1, platform }), (/** @type {any} */ error) => {
    assert.equal(error.code, 'NO_ENGINE');
    assert.match(error.message, /mul-add: it is no module\./);
    return true;
  });
  await assert.rejects(openEngine({ ...NOWHERE, build: 'turbo' }), { code: 'NO_ENGINE' });
});

test('a fault reads as a sentence', () => {
  assert.equal(faultSentence('the file is short', {}), 'The file is short.');
  assert.equal(
    faultSentence('a setting lies outside its range', { subject: 'epochs', expected: '1 to 100', found: '0' }),
    'epochs: a setting lies outside its range (expected 1 to 100, found 0).',
  );
});
