// What a person tells a run, against what happens in it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RunControl } from '../web/control.js';
import { Training } from '../web/training.js';

/**
 * Lets events happen while the run may go on.
 * @param {RunControl} control
 * @param {string[]} events   what the next pieces of work do
 * @returns {number} how many were done before it paused
 */
function work(control, events) {
  let nDone = 0;
  while (nDone < events.length && control.mayGoOn) {
    control.happened(events[nDone++]);
  }
  return nDone;
}

const EPOCHS = ['minibatch', 'epochTrained', 'part', 'epoch', 'minibatch', 'minibatch'];

test('a minibatch step takes one minibatch, and the validation that follows it', () => {
  const control = new RunControl({ startPaused: true });
  assert.equal(work(control, EPOCHS), 0);
  control.tell('stepMinibatch');
  assert.equal(work(control, EPOCHS), 1);
  control.tell('stepMinibatch');
  assert.equal(work(control, EPOCHS.slice(1)), 3, 'the last minibatch of an epoch');
});

test('a pause from before a validation waits for it, and the minibatch step after it takes a minibatch', async () => {
  const events = ['minibatch', 'epochTrained', 'validating', 'epoch', 'finished'];
  const script = ['minibatch', 'epochTrained', 'validating', 'epoch', 'minibatch', 'epochTrained', 'epoch', 'finished'];
  const control = new RunControl();
  let nDone = 0;
  const engine = /** @type {import('../web/engine.js').Engine} */ (/** @type {unknown} */ ({
    threadCounts: [1],
    description: { events, progress: ['images'], states: [], history: [] },
    useThreads() {},
    number: () => 0,
    view: () => [0],
    status() {
      const event = script[nDone++];
      if (nDone === 2) {
        control.tell('pause'); // pressed while the last minibatch of the epoch was computed
      }
      return events.indexOf(event);
    },
  }));
  const training = new Training(engine, 1, () => Promise.resolve(), { nEpochs: 2, nParameters: 1, widths: [784, 10] });
  /** @type {number[]} where it stood each time that it waited */
  const stops = [];
  const ready = control.ready.bind(control);
  control.ready = () => {
    if (control.isPaused) {
      stops.push(nDone);
      control.tell(stops.length < 3 ? 'stepMinibatch' : 'resume');
    }
    return ready();
  };
  assert.equal(await training.drive(control, { onProgress() {}, onEpoch() {} }), 'finished');
  assert.deepEqual(stops, [4, 5], 'after the validation, and one minibatch later');
});

test('an epoch step from before a validation ends with it', () => {
  const control = new RunControl();
  control.happened('epochTrained');
  control.tell('pause');
  control.tell('stepEpoch');
  assert.equal(work(control, EPOCHS.slice(2)), 2);
  control.tell('stepEpoch');
  assert.equal(work(control, ['minibatch', 'epochTrained', 'part', 'epoch', 'minibatch']), 4);
});
