// The same configuration gives the same weights everywhere: on any number of threads, and natively. (In a browser:
// tests/browser/threads.test.mjs.)

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';

import { openSession, ROOT } from '../scripts/lib/node-session.mjs';
import { applyConfig } from '../web/config.js';
import { RECORDED } from './lib/same-bits.mjs';

/** @typedef {import('../web/engine.js').Engine} Engine */
/** @typedef {import('../web/types.js').ConfigInput} ConfigInput */

const execute = promisify(execFile);

/**
 * A configuration as C has it.
 * @param {Engine} engine
 * @param {ConfigInput} config
 */
function numbersOf(engine, config) {
  applyConfig(engine, config);
  const n = engine.description.fields.reduce((sum, field) => sum + field.n, 0);
  return [...engine.copyF64(engine.pointer('gd_config_values'), n)];
}

/**
 * Carries a run out with the native library.
 * @param {string} numerics
 * @param {number} nThreads
 * @param {number[]} numbers
 */
async function trainNatively(numerics, nThreads, numbers) {
  const splits = ['train', 'validation'].map((split) => path.join(ROOT, 'build/dataset', `${split}.bin`));
  const program = path.join(ROOT, `build/native/tests/train-${numerics}`);
  const { stdout } = await execute(program, [...splits, String(nThreads), ...numbers.map(String)]);
  return /^final (.*)$/m.exec(stdout)?.[1];
}

before(() => execute('ninja', ['-C', path.join(ROOT, 'build/native'), 'tests/train-mul-add', 'tests/train-fused']));

for (const numerics of ['mul-add', 'fused']) {
  for (const nThreads of [1, 2, 4]) {
    const build = nThreads === 1 ? numerics : `${numerics}-threads`;
    const session = await openSession({ build, threads: nThreads });
    for (const { about, config, weightsSHA256 } of RECORDED) {
      test(`${build}, ${nThreads} threads: ${about}`, async () => {
        assert.equal(session.engine.info.threads, nThreads);
        const { status, engine, provenance } = await session.run({ config }, { id: 1, emit: () => {} });
        assert.equal(status, 'finished');
        assert.deepEqual([engine.numerics, engine.threads], [numerics, nThreads]);
        assert.equal(provenance.weightsSHA256?.final, weightsSHA256[numerics]);
      });

      test(`${numerics} natively, ${nThreads} threads: ${about}`, async () => {
        const numbers = numbersOf(session.engine, config);
        assert.equal(await trainNatively(numerics, nThreads, numbers), weightsSHA256[numerics]);
      });
    }
  }
}
