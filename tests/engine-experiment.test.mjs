// scripts/experiment as a person calls it.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { ROOT } from '../scripts/lib/node-session.mjs';

/**
 * @param {string[]} args
 * @returns {Promise<{status: number|string|null|undefined, stdout: string, stderr: string}>}
 */
function experiment(...args) {
  const options = { maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(path.join(ROOT, 'scripts/experiment'), args, options, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

const QUICK = ['--preset', 'tiny', '--train', '200', '--epochs', '2', '--seed', '201'];

test('a single run prints its results', async () => {
  const options = ['--mask', '3', '--drop', '0.25', '--batch', '32', '--lr', '0.05'];
  const { status, stdout, stderr } = await experiment(...QUICK, ...options);
  assert.equal(status, 0, stderr);
  const result = JSON.parse(stdout);
  assert.deepEqual(result.config, {
    preset: 'tiny',
    widths: [784, 128, 96, 64, 48, 32, 10],
    trainN: 200,
    testSet: 2000,
    epochs: 2,
    batch: 32,
    lr: 0.05,
    p: 0.25,
    mask: 3,
    seed: 201,
  });
  assert.equal(result.schemaVersion, 1);
  assert.equal(result.status, 'finished');
  assert.deepEqual(result.history.map((/** @type {any} */ row) => row.epoch), [1, 2]);
  assert.equal(result.endpoints.final.predictions.length, 2000);
  assert.equal(result.endpoints.final.confusion.length, 10);
  assert.deepEqual(Object.keys(result.provenance).sort(), [
    'gateDrawHash', 'initializationSHA256', 'orderHash', 'testSHA256', 'trainSHA256', 'validationSHA256', 'weightsSHA256',
  ]);
  assert.match(stderr, /epoch 2: training loss/);
});

test('a build that is asked for runs, and the two numerics differ', async () => {
  const digests = [];
  for (const build of ['mul-add', 'fused']) {
    const { status, stdout, stderr } = await experiment(...QUICK, '--build', build);
    assert.equal(status, 0, stderr);
    const { engine, provenance } = JSON.parse(stdout);
    assert.deepEqual([engine.build, engine.numerics, engine.threads], [build, build, 1]);
    digests.push(provenance.weightsSHA256.final);
  }
  assert.notEqual(digests[0], digests[1]);
});

test('a plan writes all its runs to a file, the whole official test set if asked', async (context) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'lab-experiment-'));
  context.after(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'results.json');
  const { status, stdout, stderr } = await experiment(
    ...QUICK, '--plan=sweep', '--order', '3,2,1,0', '--test', 'full', '--json', file,
  );
  assert.equal(status, 0, stderr);
  assert.equal(stdout, '');
  const { schemaVersion, plan, runs } = JSON.parse(await readFile(file, 'utf8'));
  assert.equal(schemaVersion, 1);
  assert.deepEqual(plan, { kind: 'sweep', order: [3, 2, 1, 0], masks: [0, 8, 12, 14, 15] });
  assert.deepEqual(runs.map((/** @type {any} */ run) => run.config.mask), plan.masks);
  const [first] = runs;
  for (const run of runs) {
    assert.equal(run.endpoints.selected.n, 10000);
    assert.equal(run.provenance.initializationSHA256, first.provenance.initializationSHA256);
    assert.equal(run.provenance.orderHash, first.provenance.orderHash);
    assert.equal(run.provenance.gateDrawHash, first.provenance.gateDrawHash);
  }
});

test('a pair of mask 0 is one run', async () => {
  const { stdout } = await experiment(...QUICK, '--plan', 'paired');
  assert.equal(JSON.parse(stdout).runs.length, 1);
});

test('each bad option is named with what it takes, and ends with status 2', async () => {
  const bad = [
    [['--epochs', '0'], '--epochs takes 1 to 100; 0 is'],
    [['--epochs', '1.5'], '--epochs takes 1 to 100; 1.5 is'],
    [['--train', '5'], '--train takes 10 to 10000'],
    [['--train', '15'], '--train takes 10 to 10000 in steps of 10; 15 is'],
    [['--seed', '-1'], '--seed takes 0 to 2147483647; -1 is'],
    [['--seed', 'x'], '--seed takes 0 to 2147483647; "x" is not a number'],
    [['--lr', '0.5'], '--lr takes 0.0001 to 0.3; 0.5 is'],
    [['--drop', '0.3'], '--drop takes 0.25, 0.5 or 0.75; 0.3 is'],
    [['--batch', '16'], '--batch takes 32, 64 or 128; 16 is'],
    [['--mask', '16'], '--mask takes 0 to 15; 16 is'],
    [['--mask', ''], '--mask takes 0 to 15; "" is not a number'],
    [['--preset', 'huge'], '--preset takes tiny, small, uniform, wide, full; "huge" is'],
    [['--widths', '784,10'], '--widths takes 7 numbers'],
    [['--widths', '784,64,65,64,64,64,10'], '--widths[2] takes 1 to 64; 65 is'],
    [['--preset', 'tiny', '--widths', '784,9,9,9,9,9,10'], '--preset and --widths exclude each other'],
    [['--test', '500'], '--test takes 2000 or full (10000); "500" is'],
    [['--plan', 'all'], '--plan takes single, paired, sweep; "all" is'],
    [['--plan', 'sweep', '--order', '0,1,2'], '--order takes 4 numbers'],
    [['--plan', 'sweep', '--order', '0,1,2,2'], '--order takes an order of the branches'],
    [['--build', 'turbo'], '--build takes fused-threads, fused, mul-add-threads, mul-add; "turbo" is'],
    [['--epochs'], '--epochs needs a value'],
    [['--epochs', '1', '--epochs', '2'], '--epochs is given twice'],
    [['--epoch', '1'], '--epoch is no option; there are --train'],
    [['tiny'], 'tiny is no option'],
  ];
  for (const [args, message] of /** @type {[string[], string][]} */ (bad)) {
    const { status, stdout, stderr } = await experiment(...args);
    assert.equal(status, 2, args.join(' '));
    assert.ok(stderr.includes(message), `${args.join(' ')}: ${stderr}`);
    assert.equal(stdout, '');
  }
});

test('a dataset that is not there is said, with status 1', async () => {
  const { status, stderr } = await experiment(...QUICK, '--dataset', '/nowhere');
  assert.equal(status, 1);
  assert.match(stderr, /There is no \/nowhere\/manifest.json/);
});
