// Drives the producer module: rebuilds the dataset from MNIST's four files, one proven step after the other
// (src/rebuild/rebuild.h). Where the files come from and what happens to the results is the caller's affair.

import { Engine } from './engine.js';
import { LabError } from './fault.js';
import { startInstance } from './instance.js';
import { expectationOf, openManifest, readManifest, writeStruct } from './manifest.js';

/** @typedef {import('./manifest.js').Manifest} Manifest */
/** @typedef {import('./types.js').Check} Check */
/** @typedef {import('./types.js').ProducerDescription} ProducerDescription */

/** The four files, without .gz, in the order of C's plan, each with the step that takes it. */
export const SOURCES = [
  { step: 'training-images', file: 'train-images-idx3-ubyte' },
  { step: 'training-labels', file: 'train-labels-idx1-ubyte' },
  { step: 'test-images', file: 't10k-images-idx3-ubyte' },
  { step: 'test-labels', file: 't10k-labels-idx1-ubyte' },
];

/** The splits in the order of C's plan; each is made by the step of its name. */
const SPLITS = ['train', 'validation', 'test', 'test-full'];

/** The parent split that the manifest describes in words, and that C carries out. */
const PARENT_SPLIT = 'torch.randperm(60000), first 50000 for train, final 10000 for validation';
const N_TRAIN_POOL = 50000;

/**
 * What a rebuild must meet.
 * @typedef {object} RebuildPlan
 * @property {Manifest} manifest
 * @property {number} seed
 * @property {number} nTrainPool
 * @property {string} trainPoolSha256
 * @property {string} validationPoolSha256
 * @property {{bytes: number, md5: string, sha256: string}[]} originals   the .gz files, in the order of SOURCES
 */

/**
 * @param {string} text   of manifest.json
 * @returns {RebuildPlan}
 * @throws {LabError} BAD_MANIFEST
 */
export function parsePlan(text) {
  const root = openManifest(text);
  const manifest = readManifest(root);
  for (const id of SPLITS) {
    if (manifest.splits[id] === undefined) {
      const message = `manifest.json lists no split ${id}.`;
      throw new LabError({ code: 'BAD_MANIFEST', message, subject: id });
    }
  }
  const provenance = root.at('split_provenance');
  provenance.at('parent_split').exactly(PARENT_SPLIT);
  return {
    manifest,
    seed: provenance.at('split_seed').integer(0, 2 ** 32 - 1),
    nTrainPool: N_TRAIN_POOL,
    trainPoolSha256: provenance.at('train_pool_indices_sha256_int64_le').digest(32),
    validationPoolSha256: provenance.at('validation_pool_indices_sha256_int64_le').digest(32),
    originals: SOURCES.map(({ file }) => {
      const original = provenance.at('files').at(`${file}.gz`);
      return {
        bytes: original.at('bytes').bytes(),
        md5: original.at('md5').digest(16),
        sha256: original.at('sha256').digest(32),
      };
    }),
  };
}

/**
 * @param {string} url   of producer.wasm
 * @param {import('./instance.js').Platform} [platform]   a browser's, unless given
 * @returns {Promise<Engine>}
 */
export async function openProducer(url, platform) {
  return new Engine(await startInstance(url, { platform }), 'producer');
}

/**
 * A step that has been tried.
 * @typedef {object} RebuildStep
 * @property {string} id
 * @property {Check[]} checks
 * @property {LabError|null} fault   the step failed, and is the last one
 * @property {(kind: 'raw'|'gz'|'preview') => Uint8Array<ArrayBuffer>} output   a copy of what the step has made
 */

/**
 * Rebuilds everything. Each step is yielded when it is done, and the next begins only when the caller asks for it.
 * @param {Engine} producer
 * @param {RebuildPlan} plan
 * @param {(file: string) => Promise<Uint8Array>} readSource   gives one of the four files, plain or as the original .gz
 * @returns {AsyncGenerator<RebuildStep>}
 */
export async function* rebuild(producer, plan, readSource) {
  const description = /** @type {ProducerDescription} */ (/** @type {unknown} */ (producer.description));
  writePlan(producer, description, plan);
  const handle = producer.status('gd_rebuild_open');
  try {
    for (const [number, { id, takesFile }] of description.steps.entries()) {
      const source = takesFile ? await readSource(fileOf(id)) : undefined;
      const fault = tryStep(producer, handle, number, source);
      const checks = producer.text(producer.pointer('gd_rebuild_checks', handle));
      yield {
        id,
        checks: JSON.parse(checks),
        fault,
        output: (kind) => copyOutput(producer, handle, description.outputs.indexOf(kind)),
      };
      if (fault !== null) {
        return;
      }
    }
  } finally {
    producer.status('gd_rebuild_close', handle);
  }
}

/** @param {string} step */
function fileOf(step) {
  const source = SOURCES.find((candidate) => candidate.step === step);
  if (source === undefined) {
    throw new Error(`The producer asks for a file for the step ${step}, which is not known.`);
  }
  return source.file;
}

/**
 * @param {Engine} producer
 * @param {number} handle
 * @param {number} step
 * @param {Uint8Array} [source]
 * @returns {LabError|null}
 */
function tryStep(producer, handle, step, source) {
  try {
    if (source === undefined) {
      producer.status('gd_rebuild_work', handle, step);
    } else {
      // An empty file needs a place too.
      producer.withRoom(Math.max(1, source.length), (address) => {
        producer.write(address, source);
        producer.status('gd_rebuild_accept', handle, step, address, source.length);
      });
    }
    return null;
  } catch (error) {
    if (error instanceof LabError) {
      return error;
    }
    throw error;
  }
}

/**
 * @param {Engine} producer
 * @param {number} handle
 * @param {number} which
 */
function copyOutput(producer, handle, which) {
  const bytes = producer.number('gd_rebuild_output_bytes', handle, which) >>> 0;
  return producer.copyU8(producer.number('gd_rebuild_output', handle, which) >>> 0, bytes);
}

/**
 * @param {Engine} producer
 * @param {ProducerDescription} description
 * @param {RebuildPlan} plan
 */
function writePlan(producer, description, plan) {
  const { splits, preview } = plan.manifest;
  const address = producer.pointer('gd_rebuild_plan');
  writeStruct(producer, address, description.plan, {
    seed: plan.seed,
    n_train_pool: plan.nTrainPool,
    n_preview: preview.nExamples,
    preview_bytes: preview.bytes,
    preview_sha256: preview.sha256,
    train_pool_sha256: plan.trainPoolSha256,
    validation_pool_sha256: plan.validationPoolSha256,
  });
  for (const [i, original] of plan.originals.entries()) {
    const { offset, itemBytes } = description.plan.originals;
    writeStruct(producer, address + offset + i * itemBytes, description.original, original);
  }
  for (const [i, id] of SPLITS.entries()) {
    const { offset, itemBytes } = description.plan.splits;
    const split = /** @type {import('./manifest.js').ManifestSplit} */ (splits[id]);
    writeStruct(producer, address + offset + i * itemBytes, description.expectation, expectationOf(split));
  }
}
