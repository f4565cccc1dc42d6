// Which runs Compare joins and averages: those that differ in nothing but their branches and their seed.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { familiesOf } from '../web/parts/family.js';

/** @typedef {import('../web/state.js').RunRecord} RunRecord */

const CONFIG = {
  preset: 'tiny', widths: [784, 128, 96, 64, 48, 32, 10], trainN: 1000, testSet: 2000, epochs: 2, batch: 64, lr: 0.05, p: 0.5,
  mask: 1, seed: 201,
};

/** A run as far as it matters here. @param {{config?: object, numerics?: string, startedFrom?: string, endpoints?: object|null}} [changes] */
function run({ config = {}, numerics = 'fused', startedFrom = 'seed', endpoints = { selected: { accuracy: 0.9 } } } = {}) {
  return /** @type {RunRecord} */ (/** @type {unknown} */ ({
    only: null,
    start: null,
    result: {
      config: { ...CONFIG, ...config }, engine: { numerics }, startedFrom, endpoints, provenance: { initializationSHA256: 'ab' },
    },
  }));
}

test('branches and seeds make no new family; everything else does', () => {
  const familyCount = (/** @type {RunRecord[]} */ ...runs) => familiesOf(runs, 'selected').length;
  assert.equal(familyCount(run(), run({ config: { mask: 3 } }), run({ config: { seed: 202 } })), 1);
  const others = [
    { config: { widths: [784, 128, 96, 64, 48, 31, 10] } }, { config: { trainN: 2000 } }, { config: { testSet: 10000 } },
    { config: { epochs: 3 } }, { config: { batch: 32 } }, { config: { lr: 0.04 } }, { config: { p: 0.25 } },
    { numerics: 'mul-add' }, { startedFrom: 'weights' },
  ];
  for (const other of others) {
    assert.equal(familyCount(run(), run(other)), 2, JSON.stringify(other));
  }
  assert.equal(familyCount(run({ endpoints: null })), 0, 'a run without test figures has none');
});
