// The engine module's exports as they stand: handles, states, views, and the description that JavaScript reads.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { configure, openSplits, progressOf, stepUntil } from './lib/open-splits.mjs';

const SMALL = { widths: [784, 21, 18, 13, 11, 6, 10], trainN: 130, epochs: 2, batch: 64, mask: 9 };

const { engine, train, validation, test: testSplit } = await openSplits('mul-add');
const { description } = engine;
const [selected, final, live] = ['selected', 'final', 'live'].map((id) => description.checkpoints.indexOf(id));

/** @param {number} [initial] */
function openRun(initial = 0) {
  configure(engine, SMALL);
  return engine.status('gd_run_open', train, validation, initial);
}

function finishedRun() {
  const run = openRun();
  stepUntil(engine, run, 'finished');
  return run;
}

/**
 * @param {number} model
 * @param {number} checkpoint
 * @returns {Float32Array}
 */
function weightsOf(model, checkpoint) {
  const n = engine.status('gd_model_n_parameters', model);
  return engine.withRoom(4 * n, (address) => {
    engine.status('gd_model_read', model, checkpoint, 0, n, address);
    return engine.copyF32(address, n);
  });
}

/**
 * @param {ArrayLike<number>} values
 * @param {number[]} [widths]
 */
function importWeights(values, widths = SMALL.widths) {
  return engine.withRoom(32 + 4 * values.length, (address) => {
    engine.writeU32(address, widths);
    const weights = engine.status('gd_weights_open', address);
    engine.writeF32(address + 32, values);
    try {
      engine.status('gd_weights_append', weights, address + 32, values.length);
      engine.status('gd_weights_finish', weights);
    } catch (error) {
      engine.status('gd_weights_close', weights);
      throw error;
    }
    return weights;
  });
}

/** @param {number} evaluation */
function finishEvaluation(evaluation) {
  while (engine.status('gd_evaluation_step', evaluation) > 0) {
    // one chunk after the other
  }
}

/** @param {string} id @param {number} evaluation */
function evaluationView(evaluation, id) {
  return Array.from(engine.view('evaluation', evaluation, id));
}

/** @param {Uint8Array|ArrayLike<number>} bytes */
function hex(bytes) {
  return Buffer.from(Uint8Array.from(bytes)).toString('hex');
}

/** @param {string} code @param {() => void} act @param {object} [more] */
function refuses(code, act, more = {}) {
  assert.throws(act, { code, ...more });
}

test('the description lists what C works with', () => {
  assert.equal(description.numerics, 'mul-add');
  assert.deepEqual(description.presets.map(({ id, nParameters }) => [id, nParameters]), [
    ['tiny', 124090],
    ['small', 294250],
    ['uniform', 167818],
    ['wide', 772810],
    ['full', 11972510],
  ]);
  assert.equal(description.defaultPreset, 'small');
  assert.deepEqual(description.plans, ['single', 'paired', 'sweep']);
  assert.equal(description.orders.length, 24);
  assert.deepEqual(description.orders[0], [0, 1, 2, 3]);
  assert.deepEqual(description.orders[23], [3, 2, 1, 0]);
  assert.deepEqual(description.checkpoints, ['selected', 'final', 'live']);
  const n = description.fields.reduce((sum, field) => sum + field.n, 0);
  const values = engine.copyF64(engine.pointer('gd_config_values'), n);
  for (const field of description.fields) {
    assert.deepEqual([...values.slice(field.first, field.first + field.n)], [field.default].flat(), field.id);
  }
});

test('settings are refused with field, range and value', () => {
  configure(engine, { epochs: 101 });
  refuses('FIELD_OUT_OF_RANGE', () => engine.status('gd_config_check'), {
    subject: 'epochs',
    expected: '1 to 100',
    found: '101',
  });
  configure(engine, { p: 0.4 });
  refuses('FIELD_NOT_LISTED', () => engine.status('gd_run_open', train, validation, 0), { subject: 'p' });
  configure(engine, {});
  assert.equal(engine.status('gd_config_check'), 0);
  assert.equal(engine.number('gd_config_preset'), 1);
  configure(engine, SMALL);
  assert.equal(engine.number('gd_config_preset'), -1);
});

test('a run shows where it stands', () => {
  const run = openRun();
  assert.equal(engine.view('run', run, 'initializationSHA256').length, 0);
  stepUntil(engine, run, 'initialized');
  assert.equal(engine.view('run', run, 'initializationSHA256').length, 32);
  stepUntil(engine, run, 'minibatch');
  const early = progressOf(engine, run);
  assert.equal(description.states[early.state], 'training');
  assert.equal(early.minibatch, 1);
  assert.equal(early.minibatches, 3);
  assert.equal(early.lastImages, 64);
  assert.equal(early.partTotal, 3);
  assert.ok(early.loss > 1 && early.loss < 4);
  assert.equal(engine.view('run', run, 'history').length, 0);
  stepUntil(engine, run, 'epoch');
  assert.equal(engine.view('run', run, 'history').length, description.history.length);
  const confusion = Array.from(engine.view('run', run, 'validationConfusion'));
  assert.equal(confusion.reduce((a, b) => a + b, 0), 2000);
  assert.equal(engine.view('run', run, 'validationPredictions').length, 2000);
  assert.equal(engine.view('run', run, 'selectedSHA256').length, 0);
  stepUntil(engine, run, 'finished');
  const late = progressOf(engine, run);
  assert.equal(description.states[late.state], 'finished');
  assert.equal(late.epochsDone, 2);
  assert.equal(late.images, 260);
  for (const [view, checkpoint] of /** @type {const} */ ([['selectedSHA256', selected], ['finalSHA256', final]])) {
    const bytes = new Uint8Array(weightsOf(run, checkpoint).buffer);
    assert.equal(hex(engine.view('run', run, view)), createHash('sha256').update(bytes).digest('hex'));
  }
  engine.status('gd_run_close', run);
});

test('no memory is taken while a run goes on', () => {
  const run = openRun();
  // The allocator gives the lowest room that fits: another address would mean that something was taken in between.
  const probe = () => engine.withRoom(64, (address) => address);
  const before = [probe(), engine.memoryBytes];
  stepUntil(engine, run, 'finished');
  assert.deepEqual([probe(), engine.memoryBytes], before);
  engine.status('gd_run_close', run);
});

test('a run takes the bytes that were said, and gives them back', () => {
  configure(engine, { widths: [784, 2500, 2000, 1500, 1000, 500, 10], trainN: 10000, batch: 128 });
  const bytes = engine.status('gd_run_bytes', 2000);
  assert.ok(bytes <= 4 * 4 * 11972510 + 16e6, `${bytes} bytes`);
  engine.status('gd_run_close', engine.status('gd_run_open', train, validation, 0));
  const after = engine.memoryBytes;
  for (let i = 0; i < 3; i++) {
    engine.status('gd_run_close', engine.status('gd_run_open', train, validation, 0));
  }
  assert.equal(engine.memoryBytes, after);
});

test('closed and invented handles are refused', () => {
  const run = openRun();
  engine.status('gd_run_close', run);
  for (const handle of [run, 0, -1, -(2 ** 31), 2 ** 31 - 1, train]) {
    refuses('STALE_HANDLE', () => engine.status('gd_run_step', handle));
    refuses('STALE_HANDLE', () => engine.status('gd_run_close', handle));
    refuses('STALE_HANDLE', () => engine.status('gd_model_n_parameters', handle));
    refuses('STALE_HANDLE', () => engine.status('gd_evaluation_open', handle, live, 15, testSplit));
    refuses('STALE_HANDLE', () => engine.status('gd_evaluation_step', handle));
    assert.equal(engine.number('gd_run_view', handle, 0), 0);
  }
  refuses('STALE_HANDLE', () => engine.status('gd_run_open', run, validation, 0));
  refuses('STALE_HANDLE', () => engine.status('gd_run_open', train, validation, train));
});

test('what is in use cannot be closed', () => {
  const run = finishedRun();
  refuses('WRONG_STATE', () => engine.status('gd_split_close', train));
  refuses('WRONG_STATE', () => engine.status('gd_split_close', validation));
  const evaluation = engine.status('gd_evaluation_open', run, final, 15, testSplit);
  refuses('WRONG_STATE', () => engine.status('gd_run_close', run));
  refuses('WRONG_STATE', () => engine.status('gd_split_close', testSplit));
  engine.status('gd_evaluation_close', evaluation);
  const weights = importWeights(weightsOf(run, final));
  const next = openRun(weights);
  refuses('WRONG_STATE', () => engine.status('gd_weights_close', weights));
  engine.status('gd_run_close', next);
  engine.status('gd_weights_close', weights);
  engine.status('gd_run_close', run);
});

test('only a finished run is tested', () => {
  const run = openRun();
  refuses('WRONG_STATE', () => engine.status('gd_evaluation_open', run, live, 15, testSplit));
  stepUntil(engine, run, 'epoch');
  refuses('WRONG_STATE', () => engine.status('gd_evaluation_open', run, selected, 15, testSplit));
  refuses('WRONG_STATE', () => engine.status('gd_model_read', run, final, 0, 1, 0), { found: 'training' });
  engine.status('gd_run_stop', run);
  refuses('WRONG_STATE', () => engine.status('gd_run_step', run), { found: 'stopped' });
  refuses('WRONG_STATE', () => engine.status('gd_evaluation_open', run, selected, 15, testSplit), { found: 'stopped' });
  assert.equal(weightsOf(run, selected).length, weightsOf(run, live).length);
  engine.status('gd_run_close', run);
});

test('an evaluation gives the same figures from a run and from its exported weights', () => {
  const run = finishedRun();
  const weights = importWeights(weightsOf(run, selected));
  assert.equal(
    hex(engine.copyU8(engine.pointer('gd_weights_digest', weights), 32)),
    hex(engine.view('run', run, 'selectedSHA256')),
  );
  for (const mask of [15, 6, 0]) {
    const [a, b] = [run, weights].map((model) => engine.status('gd_evaluation_open', model, selected, mask, testSplit));
    assert.equal(evaluationView(a, 'predictions').length, 0);
    finishEvaluation(a);
    finishEvaluation(b);
    for (const { id } of description.evaluationViews) {
      assert.deepEqual(evaluationView(a, id), evaluationView(b, id), id);
    }
    const [n, done, errors, accuracy] = evaluationView(a, 'summary');
    assert.deepEqual([n, done, accuracy], [2000, 2000, (2000 - errors) / 2000]);
    const right = evaluationView(a, 'perDigit').filter((_, i) => i % 2 === 1);
    assert.equal(right.reduce((sum, count) => sum + count), 2000 - errors);
    engine.status('gd_evaluation_close', a);
    engine.status('gd_evaluation_close', b);
  }
  refuses('FIELD_OUT_OF_RANGE', () => engine.status('gd_evaluation_open', run, final, 16, testSplit), { subject: 'mask' });
  engine.status('gd_weights_close', weights);
  engine.status('gd_run_close', run);
});

test('a prediction is the one that the evaluation makes', () => {
  const run = finishedRun();
  const evaluation = engine.status('gd_evaluation_open', run, final, 15, testSplit);
  finishEvaluation(evaluation);
  const predictions = evaluationView(evaluation, 'predictions');
  const probabilities = evaluationView(evaluation, 'probabilities');
  const pixels = engine.pointer('gd_split_pixels', testSplit);
  engine.withRoom(64, (address) => {
    for (const i of [0, 1, 77, 1999]) {
      const digit = engine.status('gd_model_predict', run, final, 15, pixels + 784 * i, address);
      assert.equal(digit, predictions[i]);
      assert.deepEqual([...engine.copyF32(address, 10)], probabilities.slice(10 * i, 10 * i + 10));
    }
  });
  engine.status('gd_evaluation_close', evaluation);
  engine.status('gd_run_close', run);
});

test('activations are those of the prediction just made', () => {
  const run = openRun();
  stepUntil(engine, run, 'minibatch');
  engine.withRoom(4096, (address) => {
    refuses('WRONG_STATE', () => engine.status('gd_model_activation', run, 0, address));
    engine.status('gd_model_predict', run, live, 15, engine.pointer('gd_split_pixels', testSplit), address);
    assert.equal(engine.status('gd_model_activation', run, 0, address), 21);
    assert.equal(engine.status('gd_model_activation', run, 4, address), 6);
    refuses('FIELD_OUT_OF_RANGE', () => engine.status('gd_model_activation', run, 5, address), { subject: 'layer' });
    stepUntil(engine, run, 'minibatch');
    refuses('WRONG_STATE', () => engine.status('gd_model_activation', run, 0, address));
  });
  engine.status('gd_run_close', run);
});

test('rows of weights are parts of the sequence', () => {
  const run = openRun();
  stepUntil(engine, run, 'initialized');
  const values = weightsOf(run, live);
  engine.withRoom(4096, (address) => {
    assert.equal(engine.status('gd_model_row', run, live, 0, 20, address), 784);
    assert.deepEqual(engine.copyF32(address, 784), values.slice(20 * 784, 21 * 784));
    assert.equal(engine.status('gd_model_row', run, live, 1, 2, address), 21);
    const layer1 = 785 * 21;
    assert.deepEqual(engine.copyF32(address, 21), values.slice(layer1 + 42, layer1 + 63));
    refuses('FIELD_OUT_OF_RANGE', () => engine.status('gd_model_row', run, live, 0, 21, address), { subject: 'row' });
    refuses('FIELD_OUT_OF_RANGE', () => engine.status('gd_model_row', run, live, 6, 0, address), { subject: 'layer' });
  });
  const n = values.length;
  refuses('WRONG_PARAMETER_COUNT', () => engine.status('gd_model_read', run, live, n - 1, 2, 0));
  engine.status('gd_run_close', run);
});

test('weights from outside are checked', () => {
  const run = openRun();
  stepUntil(engine, run, 'initialized');
  const values = weightsOf(run, live);
  engine.status('gd_run_close', run);
  refuses('WRONG_PARAMETER_COUNT', () => importWeights(values.slice(1)));
  refuses('WRONG_PARAMETER_COUNT', () => importWeights([...values, 0]));
  const broken = values.slice();
  broken[785 * 21] = NaN;
  refuses('WEIGHT_NOT_FINITE', () => importWeights(broken), { subject: 'layer_1.weight', offset: 785 * 21 * 4 });
  refuses('WRONG_SHAPE', () => importWeights(values, [784, 21, 22, 13, 11, 6, 10]));
  const weights = importWeights(values);
  refuses('WRONG_STATE', () => engine.status('gd_weights_append', weights, 0, 0), { found: 'complete ones' });
  configure(engine, { ...SMALL, widths: [784, 22, 18, 13, 11, 6, 10] });
  refuses('WRONG_SHAPE', () => engine.status('gd_run_open', train, validation, weights));
  engine.status('gd_weights_close', weights);
});

test('weights that are still arriving are of no use yet', () => {
  engine.withRoom(64, (address) => {
    engine.writeU32(address, SMALL.widths);
    const weights = engine.status('gd_weights_open', address);
    refuses('WRONG_STATE', () => engine.status('gd_model_read', weights, live, 0, 1, address));
    refuses('WRONG_STATE', () => engine.status('gd_run_open', train, validation, weights));
    assert.equal(engine.number('gd_weights_digest', weights), 0);
    engine.status('gd_weights_close', weights);
  });
});

test('a run goes on from weights, and its start is theirs', () => {
  const first = finishedRun();
  const weights = importWeights(weightsOf(first, final));
  const second = openRun(weights);
  stepUntil(engine, second, 'finished');
  assert.equal(
    hex(engine.view('run', second, 'initializationSHA256')),
    hex(engine.view('run', first, 'finalSHA256')),
  );
  const [a, b] = [first, second].map((run) => engine.view('run', run, 'history')[0]);
  assert.ok(b < a, `training loss ${b} after ${a}`);
  engine.status('gd_run_close', second);
  engine.status('gd_weights_close', weights);
  engine.status('gd_run_close', first);
});

test('views that do not exist are refused', () => {
  const run = openRun();
  refuses('FIELD_NOT_LISTED', () => engine.status('gd_run_view_items', run, description.runViews.length));
  refuses('FIELD_NOT_LISTED', () => engine.status('gd_run_view_items', run, -1));
  engine.status('gd_run_close', run);
});

test('handles end, but are never given twice', () => {
  const seen = new Set();
  for (let i = 0; i < 200; i++) {
    const run = openRun();
    assert.ok(!seen.has(run));
    seen.add(run);
    engine.status('gd_run_close', run);
  }
  /** @type {number[]} */
  const open = [];
  refuses('OUT_OF_MEMORY', () => {
    for (;;) {
      open.push(openRun());
    }
  }, { subject: 'open handles' });
  open.forEach((run) => engine.status('gd_run_close', run));
  engine.status('gd_run_close', openRun());
});

test('every kernel agrees with its reference here, and threads are what the build has', () => {
  assert.equal(engine.status('gd_self_check'), 0);
  assert.equal(engine.status('gd_threads', 1), 1);
  refuses('WRONG_STATE', () => engine.status('gd_threads', 2));
  refuses('FIELD_OUT_OF_RANGE', () => engine.status('gd_threads', 0));
  refuses('FIELD_OUT_OF_RANGE', () => engine.status('gd_threads', 1000));
});
