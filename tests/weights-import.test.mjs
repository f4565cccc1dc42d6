// A file of weights back into a network of the page's list: what is checked by C, and what comes of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openSession } from '../scripts/lib/node-session.mjs';
import { weightsFile } from '../web/export.js';
import { networkFromFile } from '../web/import-weights.js';
import { writeSafetensors } from '../web/safetensors.js';
import { networkOf } from './lib/networks.mjs';

/** @typedef {import('../web/client.js').Client} Client */
/** @typedef {import('../web/types.js').Weights} Weights */

const session = await openSession();
const context = { emit: () => {} };
let nOpen = 0;

/** What the import asks of a client, carried out by a session without a worker between. */
const client = /** @type {Client} */ (/** @type {unknown} */ ({
  description: session.engine.description,
  checkConfig: async (/** @type {any} */ config) => session.checkConfig({ config }),
  loadSplit: (/** @type {string} */ split) => session.loadSplit({ split }, context),
  async openWeights(/** @type {Weights} */ weights) {
    const { network, sha256 } = session.openWeights(weights);
    nOpen++;
    return {
      sha256,
      evaluate: (/** @type {any} */ { split, mask = 15 }) => session.evaluate({ network, split, mask }, context),
      async close() {
        session.closeWeights({ network });
        nOpen--;
      },
    };
  },
}));

const RUN = await session.run({ config: { preset: 'tiny', trainN: 500, epochs: 2, mask: 9, seed: 8 } }, { ...context, id: 1 });

/**
 * A file of a network that was never trained.
 * @param {(network: ReturnType<typeof networkOf>) => void} [change]
 */
function untrained(change = () => {}) {
  const network = networkOf([784, 20, 15, 15, 12, 11, 10], 3);
  change(network);
  return new Blob(writeSafetensors(network.weights, network.about));
}

for (const checkpoint of /** @type {const} */ (['selected', 'final'])) {
  test(`a run’s ${checkpoint} weights come back with the run’s figures and hashes`, async () => {
    assert.ok(RUN.weights && RUN.endpoints);
    const { blob } = weightsFile('safetensors', RUN, checkpoint, RUN.weights[checkpoint]);
    const { record, weights } = await networkFromFile(blob, client);
    assert.deepEqual(weights, RUN.weights[checkpoint]);
    assert.equal(record.only, checkpoint);
    assert.ok(record.isImported && record.hasWeights);
    assert.deepEqual(record.config, RUN.config);
    assert.deepEqual(record.result?.endpoints?.[checkpoint], RUN.endpoints[checkpoint]);
    const { weightsSHA256, ...provenance } = RUN.provenance;
    assert.deepEqual(record.result?.provenance, {
      ...provenance,
      weightsSHA256: { selected: weightsSHA256?.[checkpoint], final: weightsSHA256?.[checkpoint] },
    });
    assert.equal(nOpen, 0);
  });
}

test('the preset is that of the widths, whatever the file calls it', async () => {
  const { record } = await networkFromFile(untrained(({ about }) => {
    about.config.preset = 'tiny';
  }), client);
  assert.equal(record.config.preset, '');
});

/** @type {[string, (network: ReturnType<typeof networkOf>) => void, {code: string, subject: string}][]} */
const WRONG = [
  ['a setting left out', ({ about }) => {
    Reflect.deleteProperty(about.config, 'lr');
  }, { code: 'WRONG_WEIGHTS', subject: 'config.lr' }],
  ['a setting that the lab does not have', ({ about }) => {
    Object.assign(about.config, { momentum: 0.5 });
  }, { code: 'FIELD_NOT_LISTED', subject: 'settings' }],
  ['a setting out of range', ({ about }) => {
    about.config.seed = -1;
  }, { code: 'FIELD_OUT_OF_RANGE', subject: 'seed' }],
  ['an epoch that the run did not have', ({ about }) => {
    about.epoch = 11;
  }, { code: 'WRONG_WEIGHTS', subject: 'epoch' }],
  ['another network’s hash', ({ about }) => {
    about.weightsSHA256 = '0'.repeat(64);
  }, { code: 'WRONG_WEIGHTS', subject: 'weightsSHA256' }],
];

for (const [what, change, fault] of WRONG) {
  test(`refused: ${what}`, async () => {
    await assert.rejects(networkFromFile(untrained(change), client), fault);
    assert.equal(nOpen, 0);
  });
}

test('refused: widths that are not a network of the lab', async () => {
  const { weights, about } = networkOf([784, 20, 15, 16, 12, 11, 10], 3);
  const file = new Blob(writeSafetensors(weights, about));
  await assert.rejects(networkFromFile(file, client), { code: 'WRONG_SHAPE', subject: 'widths[3]' });
});

for (const value of [NaN, Infinity, -Infinity]) {
  test(`refused: a weight that is ${value}, named by its tensor and its byte in the file`, async () => {
    const first = 785 * 20 + 21 * 15;
    const file = untrained(({ weights }) => {
      weights.values[first + 5] = value;
    });
    const bytes = file.size - 4 * (785 * 20 + 21 * 15 + 16 * 15 + 16 * 12 + 13 * 11 + 12 * 10);
    await assert.rejects(networkFromFile(file, client), (/** @type {any} */ fault) => {
      assert.equal(fault.code, 'WEIGHT_NOT_FINITE');
      assert.equal(fault.subject, 'layer_2.weight');
      assert.equal(fault.offset, bytes + 4 * (first + 5));
      assert.ok(fault.message.endsWith(`(expected a finite number, found ${value}).`));
      return true;
    });
  });
}
