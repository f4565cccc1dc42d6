// Drawings that have to ask first: they do not overtake each other, and the last state is drawn.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { paced } from '../web/parts/paced.js';

test('a drawing begins when the one before is over, and what is asked for meanwhile is drawn once, at the end', async () => {
  /** @type {string[]} */
  const events = [];
  /** @type {(() => void)[]} */
  const answers = [];
  let state = 0;
  /** @type {() => void} */
  let begun = () => {};
  const next = () => new Promise((/** @type {(value: void) => void} */ resolve) => {
    begun = resolve;
  });
  const draw = paced(async () => {
    const mine = state;
    events.push(`begins ${mine}`);
    begun();
    await new Promise((/** @type {(value: void) => void} */ resolve) => answers.push(resolve));
    events.push(`ends ${mine}`);
  }, 1);

  let hasBegun = next();
  draw();
  await hasBegun;
  hasBegun = next();
  for (state of [1, 2, 3]) {
    draw();
  }
  await new Promise((resolve) => setTimeout(resolve, 20)); // longer than the pace: an overtaking drawing would have begun
  assert.deepEqual(events, ['begins 0']);
  answers[0]();
  await hasBegun;
  answers[1]();
  await new Promise(setImmediate);
  assert.deepEqual(events, ['begins 0', 'ends 0', 'begins 3', 'ends 3']);
});
