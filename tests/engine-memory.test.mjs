// What the largest preset needs, and memory that is refused.

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { openSession, ROOT } from '../scripts/lib/node-session.mjs';
import { countParameters } from '../web/config.js';

const FULL = [784, 2500, 2000, 1500, 1000, 500, 10];
const LARGEST = [784, 4096, 4096, 4096, 4096, 4096, 10];
const CONTEXT = { id: 1, emit: () => {} };

/** Weights, velocities and the selected checkpoint are three; what else there is of that size must fit into the fourth. */
const COPIES = 4;
const REST_BYTES = 16e6;

for (const build of ['mul-add', 'fused-threads']) {
  test(`${build}: full trains and is tested in four times its parameters, the dataset, and 16 MB`, async () => {
    const session = await openSession({ build });
    const { status } = await session.run({ config: { preset: 'full', trainN: 100, epochs: 1, batch: 128 } }, CONTEXT);
    assert.equal(status, 'finished');
    const splits = ['train', 'validation', 'test'].map((split) => path.join(ROOT, 'build/dataset', `${split}.bin`));
    const datasetBytes = splits.reduce((sum, file) => sum + statSync(file).size, 0);
    const limit = COPIES * 4 * countParameters(FULL) + datasetBytes + REST_BYTES;
    const { memoryBytes } = session.engine;
    assert.ok(memoryBytes <= limit, `${memoryBytes} bytes, not at most ${limit}`);
    session.engine.close();
  });

  test(`${build}: memory that is refused is told with the figure, and the engine goes on`, async () => {
    const session = await openSession({ build, memoryBytes: 256 * 2 ** 20 });
    const config = { widths: LARGEST, trainN: 100, epochs: 1 };
    const { bytes, fault } = session.checkConfig({ config });
    assert.equal(fault, null);
    assert.ok(bytes > 3 * 4 * countParameters(LARGEST));
    await assert.rejects(session.run({ config }, CONTEXT), (/** @type {any} */ error) => {
      assert.equal(error.code, 'OUT_OF_MEMORY');
      const found = /^memory: the memory that this needs is not available \(expected (\d+) bytes, found less\)\.$/;
      assert.equal(Number(found.exec(error.message)?.[1]), bytes);
      return true;
    });
    const { status } = await session.run({ config: { preset: 'tiny', trainN: 100, epochs: 1 } }, CONTEXT);
    assert.equal(status, 'finished');
    session.engine.close();
  });
}
