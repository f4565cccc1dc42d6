// Files that leave the page: results, and networks.

import { writeOnnx } from './onnx.js';
import { SCHEMA_VERSION, resultToJson } from './results.js';
import { writeSafetensors } from './safetensors.js';

/** @typedef {import('./state.js').Checkpoint} Checkpoint */
/** @typedef {import('./tensors.js').About} About */
/** @typedef {import('./types.js').RunResult} RunResult */
/** @typedef {import('./types.js').Weights} Weights */

/** @typedef {import('./state.js').RunRecord} RunRecord */

/** @typedef {'safetensors'|'onnx'} Format */
/** @typedef {{name: string, blob: Blob}} NamedFile */

const WRITERS = { safetensors: writeSafetensors, onnx: writeOnnx };

/**
 * Every run that has ended. A network that came from a file of weights is no result: that file is what tells of it.
 * @param {RunRecord[]} runs
 * @returns {NamedFile}
 */
export function resultsFile(runs) {
  const results = runs.flatMap(({ only, result }) => (result === null || only ? [] : [resultToJson(result)]));
  const json = `${JSON.stringify({ schemaVersion: SCHEMA_VERSION, runs: results })}\n`;
  return { name: 'mnist-lab-results.json', blob: new Blob([json], { type: 'application/json' }) };
}

/**
 * @param {Format} format
 * @param {RunResult} result      of a run whose weights were kept
 * @param {Checkpoint} checkpoint
 * @param {Weights} weights       of that checkpoint
 * @returns {NamedFile}
 */
export function weightsFile(format, result, checkpoint, weights) {
  const about = aboutOf(result, checkpoint, weights);
  const { preset, mask, p, seed } = result.config;
  const skips = mask === 0 ? '' : `-mask${mask}-p${p}`;
  const name = `mnist-${preset || 'custom'}${skips}-seed${seed}-epoch${about.epoch}.${format}`;
  const blob = new Blob(WRITERS[format](weights, about), { type: 'application/octet-stream' });
  return { name, blob };
}

/**
 * @param {RunResult} result
 * @param {Checkpoint} checkpoint
 * @param {Weights} weights
 * @returns {About}
 */
export function aboutOf({ config, engine, provenance, startedFrom = 'seed' }, checkpoint, { sha256 = '', epoch = 0 }) {
  const { initializationSHA256, orderHash, gateDrawHash, trainSHA256, validationSHA256 } = provenance;
  return {
    config,
    checkpoint,
    epoch,
    build: engine.build,
    numerics: engine.numerics,
    startedFrom,
    weightsSHA256: sha256,
    initializationSHA256,
    orderHash,
    gateDrawHash,
    trainSHA256,
    validationSHA256,
  };
}
