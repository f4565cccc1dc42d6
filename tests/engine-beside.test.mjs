// Where one thread trains best, another one validates each epoch while the next is trained: a real engine, on a machine where two
// threads together are made to be slow.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { ROOT, directorySource, openNodeEngine } from '../scripts/lib/node-session.mjs';
import { countParameters } from '../web/config.js';
import { RunControl } from '../web/control.js';
import { Dataset } from '../web/dataset.js';
import { Training } from '../web/training.js';
import { configure, progressOf, stepUntil } from './lib/open-splits.mjs';

/** @typedef {import('../web/engine.js').Engine} Engine */
/** @typedef {import('../web/types.js').EpochRow} EpochRow */

const WIDTHS = [784, 128, 96, 64, 48, 32, 10];
const N_EPOCHS = 60;

/** Far longer than any of this takes: what waits for a row that does not come shall fail. */
const LIMITED = { timeout: 240_000 };

const SETTINGS = { widths: WIDTHS, trainN: 1000, epochs: N_EPOCHS, mask: 15, p: 0.5 };

const engine = await openNodeEngine({ build: 'fused-threads', threads: 2 });
const dataset = new Dataset(engine, directorySource(path.join(ROOT, 'dist/dataset')));
const { handle: train } = await dataset.load('train');
const { handle: validation } = await dataset.load('validation');
test.after(() => engine.close());

/** The engine as training sees it: with two threads a step takes 2 ms more, until their number is decided. */
function slowTogether() {
  const state = { inUse: 2, isDecided: () => false };
  const seen = /** @type {Engine} */ (/** @type {unknown} */ ({
    threadCounts: [2, 1],
    description: engine.description,
    useThreads(/** @type {number} */ n) {
      state.inUse = n;
      engine.useThreads(n);
    },
    status(/** @type {string} */ name, /** @type {number[]} */ ...parameters) {
      const end = performance.now() + (name === 'gd_run_step' && state.inUse === 2 && !state.isDecided() ? 2 : 0);
      while (performance.now() < end) {
        // a machine of two slow cores
      }
      return engine.status(name, ...parameters);
    },
    number: (/** @type {Parameters<Engine['number']>} */ ...parameters) => engine.number(...parameters),
    view: (/** @type {Parameters<Engine['view']>} */ ...parameters) => engine.view(...parameters),
  }));
  return { seen, state };
}

/** A run, opened without validation images. */
function openRun() {
  configure(engine, SETTINGS);
  const run = engine.status('gd_run_open', train, 0, 0);
  const bringValidation = async () => {
    engine.status('gd_run_set_validation', run, validation);
  };
  const { seen, state } = slowTogether();
  const training = new Training(seen, run, bringValidation, {
    nEpochs: N_EPOCHS,
    nParameters: countParameters(WIDTHS),
    widths: WIDTHS,
  });
  state.isDecided = () => training.threadVerdict !== null;
  return { run, training };
}

/** What one thread alone makes of it. */
function plainResult() {
  configure(engine, SETTINGS);
  const run = engine.status('gd_run_open', train, validation, 0);
  stepUntil(engine, run, 'finished');
  const [history, final] = ['history', 'finalSHA256'].map((id) => Array.from(engine.view('run', run, id), Number));
  engine.status('gd_run_close', run);
  return { history, final };
}

/** @param {EpochRow[]} history */
function numbersOf(history) {
  return history.flatMap((row) => [row.trainingLoss, row.validationAccuracy, row.validationCrossEntropy]);
}

/** @param {() => boolean} condition */
async function until(condition) {
  while (!condition()) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** Starts a run, and waits until an epoch is validated while the next is trained. */
async function startUntilBehind() {
  const { run, training } = openRun();
  const control = new RunControl();
  const finished = training.drive(control, { onProgress() {}, onEpoch() {} });
  await until(() => {
    const { epoch, epochsDone } = progressOf(engine, run);
    return epoch - epochsDone > 1;
  });
  return { run, training, control, finished };
}

test('the results are those of one thread, and it is said', LIMITED, async () => {
  const { run, training } = openRun();
  /** @type {number[]} minibatches done of the epoch under way when a row came */
  const minibatches = [];
  const onEpoch = () => minibatches.push(progressOf(engine, run).minibatch);
  assert.equal(await training.drive(new RunControl(), { onProgress() {}, onEpoch }), 'finished');
  const expected = plainResult();
  assert.deepEqual(numbersOf(training.history), expected.history);
  assert.deepEqual(Array.from(engine.view('run', run, 'finalSHA256')), expected.final);
  assert.deepEqual(training.history.map(({ epoch }) => epoch), Array.from({ length: N_EPOCHS }, (_, i) => i + 1));
  assert.match(training.threadVerdict ?? '', /fastest on one thread .* Another one validated meanwhile\.$/);
  const nBeside = minibatches.filter((n, i) => n > 0 && i < N_EPOCHS - 1).length;
  assert.ok(nBeside > N_EPOCHS / 2, `${nBeside} rows came while the next epoch was trained`);
  training.history.forEach(({ seconds, trainingSeconds }) => {
    // Both are differences of sums of some hundred doubles: a nanosecond is far beyond their rounding.
    assert.ok(trainingSeconds > 0 && seconds > trainingSeconds - 1e-9, `${seconds} s, ${trainingSeconds} s of them trained`);
  });
  engine.status('gd_run_close', run);
});

test('a pause waits for the row of the epoch before, and steps are those of a run without it', LIMITED, async () => {
  const { run, training, control, finished } = await startUntilBehind();
  control.tell('pause'); // while a validation is under way
  await until(() => training.progress(true).epoch - training.history.length === 1);
  const paused = progressOf(engine, run);
  assert.ok(paused.minibatch > 0, 'in the middle of the epoch after');
  assert.equal(training.history.length, paused.epochsDone);

  control.tell('stepMinibatch');
  await until(() => control.isPaused);
  assert.equal(progressOf(engine, run).gatedMinibatches, paused.gatedMinibatches + 1);

  control.tell('stepEpoch');
  await until(() => control.isPaused);
  assert.equal(training.history.length, paused.epochsDone + 1);
  assert.equal(progressOf(engine, run).minibatch, 0);

  control.tell('resume');
  assert.equal(await finished, 'finished');
  assert.deepEqual(numbersOf(training.history), plainResult().history);
  engine.status('gd_run_close', run);
});

test('a run that is stopped while it validates beside can be closed, and the engine goes on', LIMITED, async () => {
  const { run, control, finished } = await startUntilBehind();
  control.tell('stop');
  assert.equal(await finished, 'stopped');
  engine.status('gd_run_close', run);
  assert.equal(plainResult().history.length, 3 * N_EPOCHS);
});
