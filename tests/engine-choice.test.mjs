import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chooseBuilds, detectFeatures, faultSentence, openEngine } from '../web/engine.js';

const EVERYTHING = { simd: true, relaxedSimd: true, sharedMemory: true };

test('the fused build comes first where relaxed SIMD is there', () => {
  const { candidates, reasons } = chooseBuilds(EVERYTHING, { threads: 1 });
  assert.deepEqual(candidates, ['fused', 'mul-add']);
  assert.ok(reasons.every((reason) => reason.includes('one thread was asked for')));
});

test('without relaxed SIMD the plain build is taken, and the reason is said', () => {
  const { candidates, reasons } = chooseBuilds({ ...EVERYTHING, relaxedSimd: false }, { threads: 1 });
  assert.deepEqual(candidates, ['mul-add']);
  assert.match(reasons.join(' '), /fused: no relaxed SIMD/);
});

test('a build that is asked for is the only one', () => {
  assert.deepEqual(chooseBuilds(EVERYTHING, { build: 'mul-add' }).candidates, ['mul-add']);
  assert.deepEqual(chooseBuilds({ ...EVERYTHING, relaxedSimd: false }, { build: 'fused' }).candidates, []);
});

test('threaded builds need shared memory', () => {
  const { candidates } = chooseBuilds({ ...EVERYTHING, sharedMemory: false });
  assert.ok(candidates.every((name) => !name.endsWith('-threads')));
});

test('the probes are modules: SIMD is everywhere that this test runs', () => {
  assert.equal(detectFeatures().simd, true);
});

test('where no build can be loaded, each refusal is told', async () => {
  await assert.rejects(openEngine({ wasmUrl: 'file:///nowhere/' }), (/** @type {any} */ error) => {
    assert.equal(error.code, 'NO_ENGINE');
    assert.match(error.message, /mul-add: /);
    return true;
  });
  await assert.rejects(openEngine({ wasmUrl: 'file:///nowhere/', build: 'turbo' }), { code: 'NO_ENGINE' });
});

test('a fault reads as a sentence', () => {
  assert.equal(faultSentence('the file is short', {}), 'The file is short.');
  assert.equal(
    faultSentence('a setting lies outside its range', { subject: 'epochs', expected: '1 to 100', found: '0' }),
    'epochs: a setting lies outside its range (expected 1 to 100, found 0).',
  );
});
