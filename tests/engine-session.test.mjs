// A session as the worker and Node drive it: runs, their controls, what is kept of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openSession } from '../scripts/lib/node-session.mjs';
import { gates, initialWeights, orderHash, sha256Of } from './lib/reference.mjs';

/** @typedef {import('../web/session.js').Session} Session */
/** @typedef {import('../web/types.js').ConfigInput} ConfigInput */
/** @typedef {import('../web/types.js').RunResult} RunResult */

const session = await openSession();
let lastId = 0;

const TINY = Object.freeze({ preset: 'tiny', trainN: 500, epochs: 2, seed: 7, mask: 5, p: 0.5, batch: 64, lr: 0.03 });

/**
 * @param {ConfigInput} config
 * @param {object} [options]
 * @param {(event: string, data: any, id: number) => void} [options.onEvent]
 * @param {Float32Array} [options.initialWeights]
 * @param {boolean} [options.startPaused]
 * @returns {Promise<RunResult>}
 */
function run(config, { onEvent = () => {}, ...more } = {}) {
  const id = ++lastId;
  return session.run({ config, ...more }, { id, emit: (event, data) => onEvent(event, data, id) });
}

/** @param {string} action */
function tell(action) {
  session.control({ run: lastId, action: /** @type {any} */ (action) });
}

test('a run has the initial weights, the order and the gates of the protocol', async () => {
  const result = await run(TINY);
  assert.equal(result.status, 'finished');
  assert.equal(result.schemaVersion, 1);
  assert.deepEqual(result.config, { ...TINY, widths: [784, 128, 96, 64, 48, 32, 10], testSet: 2000 });
  const { provenance } = result;
  assert.equal(provenance.initializationSHA256, sha256Of(initialWeights(result.config.widths, 7)));
  assert.equal(provenance.orderHash, orderHash(TINY));
  const { hash, skipped } = gates(TINY);
  assert.equal(provenance.gateDrawHash, hash);
  assert.deepEqual(result.gates.skipped, skipped);
  assert.deepEqual(result.gates.kept, skipped.map((n) => 16 - n));
});

test('the weights that come out are those whose digests the run gives', async () => {
  const { provenance, weights, endpoints, bestEpoch, history } = await run(TINY);
  assert.ok(weights && endpoints && provenance.weightsSHA256);
  for (const checkpoint of /** @type {const} */ (['selected', 'final'])) {
    assert.equal(weights[checkpoint].values.length, 124090);
    assert.equal(sha256Of(weights[checkpoint].values), provenance.weightsSHA256[checkpoint]);
    assert.equal(endpoints[checkpoint].weightsSHA256, provenance.weightsSHA256[checkpoint]);
  }
  const losses = history.map((row) => row.validationCrossEntropy);
  assert.equal(bestEpoch, losses.indexOf(Math.min(...losses)) + 1);
  assert.equal(endpoints.selected.epoch, bestEpoch);
  assert.equal(endpoints.final.epoch, 2);
});

test('an endpoint agrees with itself', async () => {
  const { endpoints, provenance } = await run(TINY);
  assert.ok(endpoints);
  const { n, errors, accuracy, confusion, perClass, predictions, probabilities } = endpoints.final;
  assert.equal(n, 2000);
  assert.equal(predictions.length, 2000);
  assert.equal(probabilities.length, 20000);
  assert.equal(provenance.testSHA256?.slice(0, 8), '7e6f5d26');
  const right = confusion.reduce((sum, row, digit) => sum + row[digit], 0);
  assert.equal(right, n - errors);
  assert.equal(accuracy, right / n);
  // The balanced test split: image i shows digit i mod 10.
  assert.equal(predictions.filter((digit, image) => digit === image % 10).length, right);
  perClass.forEach(({ digit, n: nDigit, correct }) => {
    assert.equal(nDigit, 200);
    assert.equal(correct, confusion[digit][digit]);
  });
  for (let image = 0; image < n; image++) {
    const row = probabilities.subarray(10 * image, 10 * image + 10);
    assert.equal(row.indexOf(Math.max(...row)), predictions[image]);
    assert.ok(Math.abs(row.reduce((sum, p) => sum + p, 0) - 1) < 1e-5); // ten floats, each rounded once
  }
});

test('test images are asked for only when training is over', async () => {
  const fresh = await openSession();
  /** @type {string[]} */
  const seen = [];
  await fresh.run({ config: TINY }, {
    id: 1,
    emit: (event, data) => {
      seen.push(event === 'phase' ? `phase ${data}` : event === 'download' ? `download ${data.split}` : event);
    },
  });
  const order = seen.filter((entry, at) => entry !== 'progress' && entry !== seen[at - 1]);
  const downloads = order.filter((entry) => entry.startsWith('download'));
  assert.deepEqual(new Set(downloads), new Set(['download train', 'download validation', 'download test']));
  assert.ok(order.indexOf('download test') > order.lastIndexOf('epoch'));
  assert.deepEqual(order.filter((entry) => entry.startsWith('phase')), [
    'phase download', 'phase train', 'phase download-test', 'phase evaluate', 'phase done',
  ]);
});

test('pause holds a run, a step takes one minibatch, an epoch step the rest of it', async () => {
  /** @type {import('../web/types.js').RunProgress[]} */
  const progress = [];
  let nEpochs = 0;
  const finished = run(TINY, {
    startPaused: true,
    onEvent: (event, data) => {
      if (event === 'progress') {
        progress.push(data);
      } else if (event === 'epoch') {
        nEpochs++;
      }
    },
  });
  const latest = () => progress[progress.length - 1];
  /** @param {() => boolean} isSo */
  const until = async (isSo) => {
    while (!isSo()) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  };
  await session.loadSplit({ split: 'validation' }, { emit: () => {} });
  for (let n = 1; n <= 3; n++) {
    tell('stepMinibatch');
    await until(() => latest()?.paused && latest().minibatchesDone === n);
  }
  tell('stepEpoch');
  await until(() => latest().paused && nEpochs === 1);
  assert.equal(latest().minibatchesDone, 8);
  tell('stepMinibatch');
  await until(() => latest().paused && latest().minibatchesDone === 9);
  tell('resume');
  const result = await finished;
  assert.equal(result.status, 'finished');
  const straight = await run(TINY);
  assert.deepEqual(result.provenance, straight.provenance);
});

test('a minibatch step at the end of an epoch brings its validation too, and at the last the end', async () => {
  const nSteps = 16;
  let isPaused = true;
  const finished = run(TINY, {
    startPaused: true,
    onEvent: (event, data) => {
      isPaused = event === 'progress' ? data.paused : isPaused;
    },
  });
  await session.loadSplit({ split: 'train' }, { emit: () => {} });
  for (let nTold = 0; nTold < nSteps;) {
    if (isPaused) {
      isPaused = false;
      nTold++;
      tell('stepMinibatch');
    }
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  const result = await finished;
  assert.equal(result.status, 'finished');
  assert.equal(result.history.length, 2);
});

test('a stopped run keeps its curves and has no test figures', async () => {
  const result = await run({ ...TINY, epochs: 50 }, {
    onEvent: (event, data) => {
      if (event === 'epoch' && data.epoch === 2) {
        tell('stop');
      }
    },
  });
  assert.equal(result.status, 'stopped');
  assert.equal(result.history.length, 2);
  assert.equal(result.endpoints, null);
  assert.equal(result.weights, null);
  assert.equal(result.provenance.testSHA256, null);
});

test('a run that waits for another can be stopped', async () => {
  const first = run({ ...TINY, epochs: 50 });
  const firstId = lastId;
  const second = run(TINY);
  tell('stop');
  assert.equal((await second).status, 'stopped');
  session.control({ run: firstId, action: 'stop' });
  assert.equal((await first).status, 'stopped');
  assert.equal((await run(TINY)).status, 'finished');
});

test('a run that diverges says so, and keeps what was finite', async () => {
  const widths = [784, 512, 512, 512, 512, 512, 10];
  const result = await run({ widths, trainN: 4000, epochs: 3, lr: 0.3, batch: 32, mask: 15, p: 0.75, seed: 3 });
  assert.equal(result.status, 'diverged');
  assert.equal(result.fault?.code, 'DIVERGED');
  assert.equal(result.endpoints, null);
  for (const row of result.history) {
    assert.ok([row.trainingLoss, row.validationCrossEntropy].every(Number.isFinite));
  }
});

test('settings that C does not take are refused with field and range', async () => {
  for (const [config, subject, expected] of /** @type {[any, string, string][]} */ ([
    [{ epochs: 0 }, 'epochs', '1 to 100'],
    [{ preset: 'huge' }, 'preset', 'tiny, small, uniform, wide, full'],
    [{ epochs: '5' }, 'epochs', 'a number'],
    [{ widths: [784, 10] }, 'widths', '7 numbers'],
    [{ learningRate: 0.1 }, 'settings', 'widths, trainN, testSet, epochs, batch, lr, p, mask, seed'],
  ])) {
    const { fault } = session.checkConfig({ config });
    assert.equal(fault?.subject, subject);
    assert.equal(fault?.expected, expected);
    await assert.rejects(run(config), { code: fault?.code });
  }
  const good = session.checkConfig({ config: { preset: 'full' } });
  assert.equal(good.fault, null);
  assert.equal(good.nParameters, 11972510);
  assert.ok(good.bytes >= 3 * 4 * good.nParameters);
});

test('kept weights evaluate as they did in the run, and less with a branch removed', async () => {
  const { weights, endpoints } = await run({ ...TINY, trainN: 2000 });
  assert.ok(weights && endpoints);
  const { network, sha256 } = session.openWeights(weights.selected);
  assert.equal(sha256, weights.selected.sha256);
  const context = { emit: () => {} };
  const again = await session.evaluate({ network, mask: 15, split: 'test' }, context);
  assert.deepEqual(again.predictions, endpoints.selected.predictions);
  assert.deepEqual(again.probabilities, endpoints.selected.probabilities);
  const without = await session.evaluate({ network, mask: 14, split: 'test' }, context);
  assert.notEqual(without.ce, again.ce);

  const { pixels, labels, originalIndices } = session.images({ split: 'test', indices: [3, 14] });
  assert.deepEqual([...labels], [3, 4]);
  assert.equal(originalIndices.length, 2);
  const probabilities = session.predict({ network, mask: 15, pixels: pixels.subarray(784) });
  assert.deepEqual(probabilities, again.probabilities.slice(140, 150));

  const activations = session.activations({ network, mask: 15, pixels: pixels.subarray(0, 784) });
  assert.deepEqual(activations.map(({ length }) => length), [128, 96, 64, 48, 32]);
  assert.ok(activations.every((values) => values.every((value) => value >= 0)));
  const pictures = session.firstLayer({ network, units: 3 });
  assert.deepEqual(pictures, weights.selected.values.slice(0, 3 * 784));
  session.closeWeights({ network });
  assert.throws(() => session.predict({ network, mask: 15, pixels }), { code: 'STALE_HANDLE' });
});

test('weights that are not these cannot be put in', () => {
  const widths = [784, 128, 96, 64, 48, 32, 10];
  const values = initialWeights(widths, 1);
  assert.throws(() => session.openWeights({ widths, values: values.subarray(1) }), { code: 'WRONG_PARAMETER_COUNT' });
  const spoilt = values.slice();
  spoilt[100000] = NaN;
  assert.throws(() => session.openWeights({ widths, values: spoilt }), { code: 'WEIGHT_NOT_FINITE' });
  assert.throws(() => session.openWeights({ widths: [784, 1, 2, 3, 4, 5, 10], values }), { code: 'WRONG_SHAPE' });
});

test('a run can go on from given weights, and is watched while it trains', async () => {
  const first = await run(TINY);
  assert.ok(first.weights);
  /** @type {Float32Array[]} */
  const pictures = [];
  const second = await run(TINY, {
    initialWeights: first.weights.final.values,
    onEvent: (event, data, id) => {
      if (event === 'epoch') {
        pictures.push(session.firstLayer({ run: id, units: 2 }));
        assert.equal(session.runWeights({ run: id }).values.length, 124090);
      }
    },
  });
  assert.equal(second.provenance.initializationSHA256, first.provenance.weightsSHA256?.final);
  assert.ok(second.history[0].trainingLoss < first.history[0].trainingLoss);
  assert.equal(pictures.length, 2);
  assert.notDeepEqual(pictures[0], pictures[1]);
});

test('plans and grids are C\'s', () => {
  assert.deepEqual(session.plan({ kind: 'single', order: [0, 1, 2, 3], mask: 6 }), [6]);
  assert.deepEqual(session.plan({ kind: 'paired', order: [0, 1, 2, 3], mask: 6 }), [0, 6]);
  assert.deepEqual(session.plan({ kind: 'sweep', order: [2, 0, 3, 1], mask: 0 }), [0, 4, 5, 13, 15]);
  assert.equal(session.isNested({ masks: [0, 4, 5, 13, 15] }), true);
  assert.equal(session.isNested({ masks: [0, 4, 8] }), false);
  assert.throws(() => session.plan({ kind: 'sweep', order: [0, 0, 1, 2], mask: 0 }), { code: 'FIELD_NOT_LISTED' });
  assert.deepEqual(session.cells({ kind: 'paired', mask: 6, p: [0.5], seeds: [3] }), [
    { p: 0.5, mask: 0, seed: 3 },
    { p: 0.5, mask: 6, seed: 3 },
  ]);
  const runs = session.cells({ p: [0.25, 0.5], masks: [0, 15], seeds: [1, 2] });
  assert.equal(runs.length, 8);
  assert.deepEqual(runs[0], { p: 0.25, mask: 0, seed: 1 });
  assert.throws(() => session.cells({ p: [0.25], masks: [0], seeds: [] }), { code: 'FIELD_OUT_OF_RANGE' });
});

test('two runs that differ in their mask are compared image by image', async () => {
  const baseline = await run({ ...TINY, mask: 0 });
  const treatment = await run({ ...TINY, mask: 15 });
  const other = await run({ ...TINY, mask: 15, seed: 8 });
  /** @param {RunResult} result */
  const party = ({ config, engine, provenance, endpoints }) => ({
    config,
    numerics: engine.numerics,
    initializationSHA256: provenance.initializationSHA256,
    endpoint: endpoints?.selected,
  });
  const comparison = await session.compare({ baseline: party(baseline), treatment: party(treatment) }, {});
  const before = party(baseline).endpoint?.predictions ?? [];
  const after = party(treatment).endpoint?.predictions ?? [];
  const images = [...before.keys()];
  const isRight = (/** @type {ArrayLike<number>} */ predictions, /** @type {number} */ i) => predictions[i] === i % 10;
  assert.deepEqual([...comparison.harmed], images.filter((i) => isRight(before, i) && !isRight(after, i)));
  assert.deepEqual([...comparison.repaired], images.filter((i) => !isRight(before, i) && isRight(after, i)));
  assert.equal(comparison.n, 2000);
  assert.ok(comparison.pValue >= 0 && comparison.pValue <= 1);
  await assert.rejects(session.compare({ baseline: party(baseline), treatment: party(other) }, {}), {
    code: 'NOT_COMPARABLE',
    subject: 'seed',
  });
});

test('statistics come back by name', () => {
  const summary = session.summarize({ values: [1, 2, 3, 4] });
  assert.equal(summary.n, 4);
  assert.equal(summary.mean, 2.5);
  assert.ok(Math.abs(summary.sd - Math.sqrt(5 / 3)) < 1e-15);
  assert.ok(Math.abs(summary.high - 2.5 - 3.182446305284263 * Math.sqrt(5 / 12)) < 1e-9); // t(0.975, 3) from tables
  const paired = session.pair({ baseline: [1, 2, 3], treatment: [2, 3, 5] });
  assert.equal(paired.difference.mean, 4 / 3);
  assert.equal(paired.nPositive, 3);
  assert.equal(paired.signPValue, 0.25);
});
