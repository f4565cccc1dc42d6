// What a person tells a run, against what happens in it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RunControl } from '../web/control.js';

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

test('a minibatch step from before a validation takes a minibatch too', () => {
  const control = new RunControl();
  control.happened('epochTrained');
  control.tell('pause'); // pressed while the last minibatch of the epoch was computed
  control.tell('stepMinibatch');
  assert.equal(work(control, EPOCHS.slice(2)), 3);
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
