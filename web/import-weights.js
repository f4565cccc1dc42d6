// A file of weights back into a network that can be inspected and trained on. Nothing is taken before all is checked.

import { LabError } from './fault.js';
import { SCHEMA_VERSION } from './results.js';
import { readHeader, readValues } from './safetensors.js';

/** @typedef {import('./client.js').Client} Client */
/** @typedef {import('./safetensors.js').Header} Header */
/** @typedef {import('./state.js').RunRecord} RunRecord */
/** @typedef {import('./tensors.js').About} About */
/** @typedef {import('./types.js').Description} Description */
/** @typedef {import('./types.js').Evaluation} Evaluation */
/** @typedef {import('./types.js').RunResult} RunResult */
/** @typedef {import('./types.js').Weights} Weights */

/** Figures that a file of weights does not bring. */
const NO_BRANCHES = [0, 0, 0, 0];

/**
 * Reads a file of weights, checks it, and tests its network with the test images that its settings name.
 * @param {Blob} file
 * @param {Client} client
 * @returns {Promise<{record: Omit<RunRecord, 'id'|'plan'|'asked'>, weights: Weights}>}
 * @throws {LabError} WRONG_WEIGHTS, or C's fault: what is wrong with the settings or with a weight
 */
export async function networkFromFile(file, client) {
  const header = await readHeader(file);
  const { about } = header;
  const config = completed(about, client.description);
  const { fault } = await client.checkConfig(config);
  if (fault !== null) {
    throw new LabError(fault);
  }
  const { widths } = config;
  const values = await readValues(file, header);
  const network = await client.openWeights({ widths, values }).catch((error) => {
    throw placed(error, header);
  });
  try {
    checkDigest(about, network.sha256);
    const split = config.testSet === 10000 ? 'test-full' : 'test';
    const { sha256: testSHA256 } = await client.loadSplit(split);
    const evaluation = await network.evaluate({ split });
    const result = resultOf({ ...about, config }, evaluation, testSHA256);
    const { checkpoint, epoch, weightsSHA256: sha256 } = about;
    return {
      record: {
        config,
        status: 'finished',
        history: [],
        result,
        fault: null,
        isImported: true,
        hasWeights: true,
        only: checkpoint,
        start: null,
      },
      weights: { widths, values, sha256, epoch },
    };
  } finally {
    await network.close();
  }
}

/** That no setting is left to a default. @param {About} about @param {Description} description */
function completed({ config, epoch }, { fields, presets }) {
  for (const { id } of fields) {
    if (!(id in config)) {
      throw wrong(`config.${id}`, 'a value', 'nothing');
    }
  }
  if (epoch > config.epochs) {
    throw wrong('epoch', `1 to ${config.epochs}`, String(epoch));
  }
  const preset = presets.find(({ widths }) => widths.join() === config.widths.join());
  return { ...config, preset: preset?.id ?? '' };
}

/** C counts bytes from the first number on; a person looks for them in the file. @param {unknown} error @param {Header} header */
function placed(error, { tensors }) {
  if (!(error instanceof LabError) || error.offset < 0) {
    return error;
  }
  const number = error.offset / Float32Array.BYTES_PER_ELEMENT;
  const tensor = tensors.find(({ first, n }) => number >= first && number < first + n);
  const offset = tensor === undefined ? -1 : tensor.offset + error.offset - Float32Array.BYTES_PER_ELEMENT * tensor.first;
  return new LabError({ ...error.toFault(), offset });
}

/** @param {About} about @param {string} found */
function checkDigest({ weightsSHA256 }, found) {
  if (found !== weightsSHA256) {
    const fault = wrong('weightsSHA256', weightsSHA256, found).toFault();
    const message = 'The weights in this file are not those that it was saved with: their SHA-256 should be '
      + `${weightsSHA256}, and it is ${found}.`;
    throw new LabError({ ...fault, message });
  }
}

/** @param {About} about @param {Evaluation} evaluation @param {string} testSHA256 @returns {RunResult} */
function resultOf(about, evaluation, testSHA256) {
  const { config, epoch, build, numerics, startedFrom, weightsSHA256, initializationSHA256, orderHash, gateDrawHash } = about;
  const { trainSHA256, validationSHA256 } = about;
  const endpoint = { epoch, ...evaluation, weightsSHA256 };
  return {
    schemaVersion: SCHEMA_VERSION,
    status: 'finished',
    config,
    engine: { build, numerics, threads: 1, reasons: [] },
    startedFrom,
    history: [],
    bestEpoch: null,
    gates: { kept: NO_BRANCHES, skipped: NO_BRANCHES },
    timing: { seconds: 0, trainingSeconds: 0, imagesPerSecond: 0 },
    endpoints: { selected: endpoint, final: endpoint },
    provenance: {
      initializationSHA256,
      orderHash,
      gateDrawHash,
      weightsSHA256: { selected: weightsSHA256, final: weightsSHA256 },
      trainSHA256,
      validationSHA256,
      testSHA256,
    },
    fault: null,
    weights: null,
  };
}

/** @param {string} subject @param {string} expected @param {string} found */
function wrong(subject, expected, found) {
  const message = `This file is not a network of the lab. ${subject}: expected ${expected}, found ${found}.`;
  return new LabError({ code: 'WRONG_WEIGHTS', message, subject, expected, found });
}
