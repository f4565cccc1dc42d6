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

/**
 * A training whose engine does what a script says.
 * @param {string[]} script   the events of its steps
 * @param {(nDone: number) => Record<string, number>} onStep   hears of each step; says where the run stands then
 */
function scripted(script, onStep) {
  const events = [...new Set(script)];
  const progress = ['images', 'epoch', 'epochsDone'];
  let nDone = 0;
  let columns = onStep(0);
  const engine = /** @type {import('../web/engine.js').Engine} */ (/** @type {unknown} */ ({
    threadCounts: [1],
    description: { events, progress, states: [], history: [] },
    useThreads() {},
    number: () => 0,
    view: () => progress.map((id) => columns[id] ?? 0),
    status() {
      const event = script[nDone++];
      columns = onStep(nDone);
      return events.indexOf(event);
    },
  }));
  return new Training(engine, 1, () => Promise.resolve(), { nEpochs: 2, nParameters: 1, widths: [784, 10] });
}

test('a pause from before a validation waits for it, and the minibatch step after it takes a minibatch', async () => {
  const control = new RunControl();
  let nDone = 0;
  const training = scripted(
    ['minibatch', 'epochTrained', 'validating', 'epoch', 'minibatch', 'epochTrained', 'epoch', 'finished'],
    (n) => {
      nDone = n;
      if (n === 2) {
        control.tell('pause'); // pressed while the last minibatch of the epoch was computed
      }
      return {};
    },
  );
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

test('a run that diverges by the validation for which a pause waits has diverged', { timeout: 10_000 }, async () => {
  const control = new RunControl();
  const training = scripted(['epochTrained', 'minibatch', 'diverged'], (n) => {
    if (n === 2) {
      control.tell('pause'); // in the second epoch, while the first is being validated
    }
    return { epoch: n < 2 ? 1 : 2, epochsDone: 0 };
  });
  assert.equal(await training.drive(control, { onProgress() {}, onEpoch() {} }), 'diverged');
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
