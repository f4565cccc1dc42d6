// A run's weights as a file.

import { writeOnnx } from './onnx.js';
import { writeSafetensors } from './safetensors.js';

/** @typedef {import('./state.js').Checkpoint} Checkpoint */
/** @typedef {import('./tensors.js').About} About */
/** @typedef {import('./types.js').RunResult} RunResult */
/** @typedef {import('./types.js').Weights} Weights */

/** @typedef {'safetensors'|'onnx'} Format */

const WRITERS = { safetensors: writeSafetensors, onnx: writeOnnx };

/**
 * @param {Format} format
 * @param {RunResult} result      of a run whose weights were kept
 * @param {Checkpoint} checkpoint
 * @param {Weights} weights       of that checkpoint
 * @returns {{name: string, blob: Blob}}
 */
export function fileOf(format, result, checkpoint, weights) {
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
