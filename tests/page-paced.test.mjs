// Drawings that have to ask first: they do not overtake each other, and the last state is drawn.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { paced } from '../web/parts/paced.js';

const PACE_MS = 100;

test('a drawing begins when the one before is over, and what is asked for meanwhile is drawn once, at the end', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const later = async () => {
    t.mock.timers.tick(PACE_MS);
    await new Promise(setImmediate); // all promises that can be kept are
  };
  /** @type {string[]} */
  const events = [];
  /** @type {(() => void)[]} */
  const answers = [];
  let state = 0;
  const draw = paced(async () => {
    const mine = state;
    events.push(`begins ${mine}`);
    await new Promise((/** @type {(value: void) => void} */ resolve) => answers.push(resolve));
    events.push(`ends ${mine}`);
  }, PACE_MS);

  draw();
  await later();
  for (state of [1, 2, 3]) {
    draw();
    await later();
  }
  assert.deepEqual(events, ['begins 0']);
  answers[0]();
  await later();
  assert.deepEqual(events, ['begins 0', 'ends 0', 'begins 3']);
  answers[1]();
  await later();
  assert.deepEqual(events, ['begins 0', 'ends 0', 'begins 3', 'ends 3']);
});
