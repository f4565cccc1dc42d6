// Settings to an address and back.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LabError } from '../web/fault.js';
import { readLink, writeLink } from '../web/link.js';

/** @typedef {import('../web/types.js').Description} Description */
/** @typedef {import('../web/state.js').PlanSettings} PlanSettings */

const DESCRIPTION = /** @type {Description} */ (/** @type {unknown} */ ({
  fields: ['widths', 'trainN', 'testSet', 'epochs', 'batch', 'lr', 'p', 'mask', 'seed'].map((id) => ({ id })),
  presets: [{ id: 'tiny' }, { id: 'small' }],
}));

/** @type {PlanSettings} */
const PLAN = { kind: 'grid', order: [3, 1, 0, 2], nSeeds: 4, ps: [0.25, 0.75], masks: [0, 9], startPaused: false };

test('what is written is read again', () => {
  const config = { preset: 'tiny', trainN: 1000, epochs: 3, lr: 0.0001, p: 0.25, mask: 5, seed: 2147483647 };
  const link = readLink(`#${writeLink(config, PLAN, { expect: 'ab'.repeat(32), numerics: 'fused' })}`, DESCRIPTION);
  assert.deepEqual(link.config, { ...config, widths: undefined });
  assert.deepEqual(link.plan, { kind: 'grid', nSeeds: 4, ps: [0.25, 0.75], masks: [0, 9] });
  assert.equal(link.expect, 'ab'.repeat(32));
  assert.equal(link.numerics, 'fused');
  assert.equal(link.run, false);

  const custom = { preset: '', widths: [784, 64, 48, 32, 24, 16, 10], lr: 0.03 };
  const sweep = readLink(writeLink(custom, { ...PLAN, kind: 'sweep' }), DESCRIPTION);
  assert.deepEqual(sweep.config, custom);
  assert.deepEqual(sweep.plan, { kind: 'sweep', nSeeds: 4, order: [3, 1, 0, 2] });
});

test('what is not understood is named, and nothing is guessed', () => {
  const wrong = [
    ['epochs=', 'epochs'], ['epochs=0x10', 'epochs'], ['epochs= 3', 'epochs'], ['lr=Infinity', 'lr'], ['lr=1,5', 'lr'],
    ['preset=huge', 'preset'], ['plan=all', 'plan'], ['run=yes', 'run'], ['expect=abc', 'expect'], ['masks=1,,2', 'masks'],
    ['widths=784,a', 'widths'], ['speed=9', 'speed'], ['__proto__=1', '__proto__'],
  ];
  for (const [hash, subject] of wrong) {
    assert.throws(() => readLink(hash, DESCRIPTION), (error) => {
      assert.ok(error instanceof LabError);
      assert.equal(error.code, 'WRONG_LINK');
      assert.equal(error.subject, subject);
      return true;
    }, hash);
  }
});
