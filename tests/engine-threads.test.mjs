// Threads, and the choice of their number; large networks in parts; memory that is refused.

import assert from 'node:assert/strict';
import os from 'node:os';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { openNodeEngine, openSession } from '../scripts/lib/node-session.mjs';
import { countParameters } from '../web/config.js';
import { RunControl } from '../web/control.js';
import { parseManifest, writeExpectation } from '../web/manifest.js';
import { Training } from '../web/training.js';
import { ThreadTrial } from '../web/trial.js';
import { configure, openSplits, stepUntil } from './lib/open-splits.mjs';
import { fileOf } from './lib/sources.mjs';

/** @typedef {import('../web/engine.js').Engine} Engine */

const WIDTHS = [784, 100, 80, 60, 40, 20, 10];

/** A minibatch of 60 images through all branches. */
const WHOLE = { share: 1, nImages: 60, skipped: 0 };

/**
 * Gives a trial the minibatches of a machine that takes so long for a whole one on so many threads.
 * @param {Record<number, number>} secondsOf   by the number of threads
 * @param {(nThreads: number) => typeof WHOLE} [minibatch]   what is trained on so many; share: of a whole one's work
 * @param {boolean} [canValidateBeside]
 */
function tryThreads(secondsOf, minibatch = () => WHOLE, canValidateBeside = false) {
  let inUse = NaN;
  const engine = /** @type {Engine} */ (/** @type {unknown} */ ({
    threadCounts: Object.keys(secondsOf).map(Number).sort((a, b) => b - a),
    useThreads: (/** @type {number} */ n) => {
      inUse = n;
    },
  }));
  const trial = new ThreadTrial(engine, WIDTHS, () => canValidateBeside);
  let nMinibatches = 0;
  let total = 0;
  while (trial.isGoingOn) {
    const { share, nImages, skipped } = minibatch(inUse);
    const seconds = secondsOf[inUse] * share;
    nMinibatches++;
    total += seconds;
    trial.add({ seconds, nImages, skipped });
  }
  const { verdict } = trial;
  const forTraining = inUse;
  trial.evaluate(true);
  const forEvaluation = inUse;
  trial.evaluate(false);
  assert.equal(inUse, forTraining);
  return { inUse, forEvaluation, verdict, nMinibatches, seconds: total, isBeside: trial.validatesBeside };
}

test('the fastest number of threads is kept, and said', () => {
  const two = tryThreads({ 2: 0.002, 1: 0.0037 });
  assert.equal(two.inUse, 2);
  assert.equal(two.verdict, 'This run went 1.85 × as fast on 2 threads as on one.');
  const one = tryThreads({ 2: 0.002, 1: 0.0018 });
  assert.equal(one.inUse, 1);
  assert.equal(one.verdict, 'This run went fastest on one thread (2 threads 0.90 ×).');
  const half = tryThreads({ 8: 0.002, 4: 0.001, 2: 0.0015, 1: 0.003 });
  assert.equal(half.inUse, 4);
  assert.equal(half.verdict, 'This run went 3.00 × as fast on 4 threads as on one (8 threads 1.50 ×, 2 threads 2.00 ×).');
});

test('a thread that hardly helps is not used', () => {
  assert.equal(tryThreads({ 4: 0.00195, 2: 0.00198, 1: 0.002 }).inUse, 1);
});

test('where one thread trains best, a second one validates beside it', () => {
  const beside = tryThreads({ 4: 0.002, 2: 0.002, 1: 0.0018 }, undefined, true);
  assert.equal(beside.inUse, 2);
  assert.ok(beside.isBeside);
  assert.equal(
    beside.verdict,
    'This run went fastest on one thread (4 threads 0.90 ×, 2 threads 0.90 ×). Another one validated meanwhile.',
  );
  assert.ok(!tryThreads({ 2: 0.002, 1: 0.0018 }, undefined, false).isBeside);
  assert.ok(!tryThreads({ 2: 0.002, 1: 0.0037 }, undefined, true).isBeside);
});

test('evaluations get every thread that does no harm', () => {
  assert.equal(tryThreads({ 2: 0.002, 1: 0.0037 }).forEvaluation, 2);
  assert.equal(tryThreads({ 4: 0.0021, 2: 0.0019, 1: 0.002 }).forEvaluation, 4);
  assert.equal(tryThreads({ 4: 0.003, 2: 0.002, 1: 0.002 }).forEvaluation, 2);
  assert.equal(tryThreads({ 2: 0.0025, 1: 0.002 }).forEvaluation, 1);
});

test('a run that ends in a validation is said to have trained on the threads that it trained on', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  let inUse = NaN;
  /** @type {Set<number>} */
  const validatedOn = new Set();
  const control = new RunControl();
  const events = ['minibatch', 'epochTrained', 'validating'];
  let nSteps = 0;
  const engine = /** @type {Engine} */ (/** @type {unknown} */ ({
    threadCounts: [2, 1],
    description: { events, progress: ['images', 'lastImages', 'skipped'], states: [] },
    useThreads: (/** @type {number} */ n) => {
      inUse = n;
    },
    view: () => [60 * nSteps, 60, 0],
    number: () => 0, // it cannot validate beside training
    // Training goes fastest on one thread; 40 minibatches are more than the trial takes.
    status(/** @type {string} */ name) {
      if (name === 'gd_run_stop') {
        return 0;
      }
      nSteps++;
      now += inUse === 1 ? 20 : 21;
      if (nSteps === 42) {
        validatedOn.add(inUse);
        control.tell('stop');
      }
      return nSteps <= 40 ? 0 : nSteps - 40;
    },
  }));
  const training = new Training(engine, 1, () => Promise.resolve(), { nEpochs: 9, nParameters: 1, widths: WIDTHS });
  assert.equal(await training.drive(control, { onProgress() {}, onEpoch() {} }), 'stopped');
  assert.match(training.threadVerdict ?? '', /fastest on one thread/);
  assert.deepEqual([...validatedOn], [2]);
  assert.equal(inUse, 1);
});

test('a trial takes a quarter of a second, and one round where minibatches take longer', () => {
  const quick = tryThreads({ 2: 0.0001, 1: 0.0001 });
  assert.ok(quick.seconds > 0.25 && quick.seconds < 0.26, `${quick.seconds} s`);
  const slow = tryThreads({ 4: 0.1, 2: 0.2, 1: 0.4 });
  assert.equal(slow.nMinibatches, 4); // the first one does not count
});

test('short minibatches and skipped branches do not mislead it', () => {
  const work = [(784 * 100) / 4, 100 * 80, 80 * 60, 60 * 40, 40 * 20, 20 * 10];
  const whole = work.reduce((sum, weights) => sum + weights, 0);
  // One thread is slower, but gets minibatches that are a tenth as long and skip the two largest branches.
  const { inUse } = tryThreads({ 2: 0.002, 1: 0.003 }, (n) =>
    n === 1 ? { nImages: 6, skipped: 0b0011, share: (0.1 * (whole - work[1] - work[2])) / whole } : WHOLE,
  );
  assert.equal(inUse, 2);
});

test('where threads were asked for there is nothing to try', () => {
  const { isBeside, ...found } = tryThreads({ 4: 1 }, undefined, true);
  assert.equal(isBeside, false);
  assert.deepEqual(found, { inUse: 4, forEvaluation: 4, verdict: null, nMinibatches: 0, seconds: 0 });
});

test('by itself an engine takes as many threads as the machine has cores, at most eight', async () => {
  const engine = await openNodeEngine();
  const n = Math.min(os.availableParallelism(), 8);
  assert.equal(engine.info.build, n > 1 ? 'fused-threads' : 'fused');
  assert.equal(engine.info.threads, n);
  assert.equal(engine.threadCounts[0], n);
  assert.equal(engine.threadCounts.at(-1), 1);
  engine.close();
});

test('threads start, take part, sit out and come back, and every kernel stays right', async () => {
  const engine = await openNodeEngine({ build: 'mul-add-threads', threads: 4 });
  assert.equal(engine.info.threads, 4);
  for (const n of [4, 1, 3, 2, 4]) {
    engine.useThreads(n);
    assert.equal(engine.info.threads, n);
    engine.status('gd_self_check');
  }
  assert.throws(() => engine.status('gd_threads_use', 5), { code: 'FIELD_OUT_OF_RANGE' });
  assert.throws(() => engine.status('gd_threads_use', 0), { code: 'FIELD_OUT_OF_RANGE' });
  engine.close();
});

test('one thread alone has nobody to wait for', async () => {
  const engine = await openNodeEngine({ threads: 1 });
  assert.equal(engine.info.build, 'fused');
  assert.deepEqual(engine.threadCounts, [1]);
  assert.equal(engine.status('gd_threads_use', 1), 1);
  assert.throws(() => engine.status('gd_threads_use', 2), { code: 'FIELD_OUT_OF_RANGE' });
});

test('the memory of an engine with threads grows under it', async () => {
  const engine = await openNodeEngine({ build: 'fused-threads', threads: 2 });
  const before = engine.memoryBytes;
  const text = engine.text(engine.pointer('gd_describe'));
  engine.withRoom(100e6, (address) => {
    assert.ok(engine.memoryBytes > before + 90e6);
    engine.write(address + 99e6, [1, 2, 3]);
    assert.deepEqual([...engine.copyU8(address + 99e6, 3)], [1, 2, 3]);
  });
  assert.equal(engine.text(engine.pointer('gd_describe')), text);
  engine.status('gd_self_check');
  engine.close();
});

test('a split is hashed beside other work, which changes nothing', async () => {
  const engine = await openNodeEngine({ build: 'fused-threads', threads: 2 });
  const { splits } = parseManifest(new TextDecoder().decode(fileOf('manifest.json')));
  const names = ['validation', 'test'];
  const raw = names.map((name) => gunzipSync(fileOf(`${name}.bin.gz`)));
  const open = (/** @type {string} */ name) => {
    writeExpectation(engine, splits[name]);
    return engine.status('gd_split_open');
  };
  const handles = names.map(open);
  const append = (/** @type {number} */ which, /** @type {number} */ from, /** @type {number} */ to) => {
    engine.write(engine.pointer('gd_split_room', handles[which]), raw[which].subarray(from, to));
    engine.status('gd_split_append', handles[which], to - from);
  };
  const half = raw[0].length >> 1;
  append(0, 0, half);
  append(1, 0, half); // of another one, while the first half is hashed
  engine.status('gd_self_check'); // on both threads
  append(0, half, half + 100000);
  engine.useThreads(1);
  append(1, half, raw[1].length);
  engine.useThreads(2);
  append(0, half + 100000, raw[0].length);
  for (const handle of handles) {
    engine.status('gd_split_finish', handle, 0);
    engine.status('gd_split_close', handle);
  }
  handles[0] = open(names[0]);
  append(0, 0, half);
  engine.status('gd_split_close', handles[0]); // given up in the middle
  engine.close();
});

/** Large enough for parts; quick all the same. */
const LARGE = Object.freeze({ widths: [784, 1400, 5, 4, 3, 2, 10], trainN: 500, epochs: 2, batch: 128, seed: 5, mask: 15, p: 0.5 });

test('a pause waits for the end of a minibatch that comes in parts; a stop does not', async () => {
  const session = await openSession({ build: 'mul-add' });
  /** @type {import('../web/types.js').RunProgress[]} */
  const progress = [];
  const emit = (/** @type {string} */ event, /** @type {any} */ data) => event === 'progress' && progress.push(data);
  const finished = session.run({ config: LARGE, startPaused: true }, { id: 1, emit });
  await session.loadSplit({ split: 'validation' }, { emit: () => {} });
  for (let n = 1; n <= 3; n++) {
    session.control({ run: 1, action: 'stepMinibatch' });
    while (!(progress.at(-1)?.paused && progress.at(-1)?.minibatchesDone === n)) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    assert.equal(session.runWeights({ run: 1 }).values.length, countParameters(LARGE.widths));
  }
  session.control({ run: 1, action: 'resume' });
  await session.settled({ run: 1 });
  assert.equal(session.firstLayer({ run: 1, units: 1 }).length, 784);
  session.control({ run: 1, action: 'stop' });
  const result = await finished;
  assert.equal(result.status, 'stopped');
  result.gates.kept.forEach((kept, j) => assert.equal(kept + result.gates.skipped[j], progress.at(-1)?.minibatchesDone));
});

test('no part of a minibatch of full takes half of it', async () => {
  const { engine, train, validation } = await openSplits('fused');
  configure(engine, { widths: [784, 2500, 2000, 1500, 1000, 500, 10], trainN: 1000, batch: 128 });
  const run = engine.status('gd_run_open', train, validation, 0);
  stepUntil(engine, run, 'minibatch'); // memory that nobody has touched, code that is not compiled
  /** @type {number[][]} */
  const parts = [];
  for (let minibatch = 0; minibatch < 3; minibatch++) {
    let before = performance.now();
    let part = 0;
    stepUntil(engine, run, 'minibatch', () => {
      const now = performance.now();
      (parts[part++] ??= []).push(now - before);
      before = now;
    });
  }
  engine.status('gd_run_close', run);
  assert.equal(parts.length, 15);
  const medians = parts.map((times) => times.sort((a, b) => a - b)[1]);
  const whole = medians.reduce((sum, ms) => sum + ms, 0);
  assert.ok(Math.max(...medians) < whole / 2, `${medians.map((ms) => ms.toFixed(1))} of ${whole} ms`);
});
