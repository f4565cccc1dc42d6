// Files back into runs. Everything is checked before anything is taken; C says whether the settings are right.

import { LabError } from './fault.js';
import { networkFromFile } from './import-weights.js';
import { SCHEMA_VERSION } from './results.js';

/** @typedef {import('./client.js').Client} Client */
/** @typedef {import('./state.js').RunRecord} RunRecord */
/** @typedef {import('./types.js').Endpoint} Endpoint */
/** @typedef {import('./types.js').RunResult} RunResult */

const N_CLASSES = 10;
const STATUSES = ['finished', 'untested', 'stopped', 'diverged'];

/** A run as a file tells of it; the lab gives it its place in the list. @typedef {Omit<RunRecord, 'id'|'plan'|'asked'>} ReadRecord */

/**
 * A results file, or a file of weights: the first bytes decide where the name does not.
 * @param {File} file
 * @param {Client} client
 * @returns {Promise<{records: ReadRecord[], weights: import('./vault.js').BothWeights|null}>} weights of the first record
 * @throws {LabError} WRONG_RESULTS or WRONG_WEIGHTS, which name the part at fault; or C's fault
 */
export async function readFile(file, client) {
  if (file.name.endsWith('.safetensors') || await startsLikeSafetensors(file)) {
    const { record, weights } = await networkFromFile(file, client);
    return { records: [record], weights: { selected: weights, final: weights } };
  }
  return { records: await resultsFromJson(await file.text(), client), weights: null };
}

/** With the length of its header, a number far below 2³²; a text has no such zeros. @param {Blob} file */
async function startsLikeSafetensors(file) {
  const bytes = new Uint8Array(await file.slice(4, 8).arrayBuffer());
  return bytes.length === 4 && bytes.every((byte) => byte === 0);
}

/**
 * @param {string} text   of one result, or of several under `runs`
 * @param {Client} client
 * @returns {Promise<ReadRecord[]>}
 * @throws {LabError} WRONG_RESULTS, which names the member at fault
 */
async function resultsFromJson(text, client) {
  const file = parse(text);
  expect(typeof file === 'object' && file !== null, 'file', 'a results object', typeof file);
  expect(file.schemaVersion === SCHEMA_VERSION, 'schemaVersion', String(SCHEMA_VERSION), String(file.schemaVersion));
  const results = Array.isArray(file.runs) ? file.runs : [file];
  const records = [];
  for (const [i, json] of results.entries()) {
    const result = readResult(json, Array.isArray(file.runs) ? `runs[${i}].` : '');
    const { fault } = await client.checkConfig(result.config);
    if (fault !== null) {
      throw new LabError(fault);
    }
    const { config, fault: own, history, status } = result;
    records.push({ config, status, history, result, fault: own, isImported: true, hasWeights: false, only: null, start: null });
  }
  return records;
}

/** @param {string} text @returns {any} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    throw new LabError({ code: 'WRONG_RESULTS', message: 'This file is not JSON, so it holds no results.', found });
  }
}

/** @param {any} json @param {string} at   path of the result in the file @returns {RunResult} */
function readResult(json, at) {
  expect(typeof json === 'object' && json !== null, `${at}result`, 'an object', typeof json);
  expect(STATUSES.includes(json.status), `${at}status`, STATUSES.join(', '), String(json.status));
  expect(typeof json.config === 'object' && json.config !== null, `${at}config`, 'an object', typeof json.config);
  expect(typeof json.engine?.numerics === 'string', `${at}engine.numerics`, 'a name', typeof json.engine?.numerics);
  expect(Number.isFinite(json.timing?.trainingSeconds), `${at}timing.trainingSeconds`, 'a number', String(json.timing));
  expect(typeof json.provenance?.initializationSHA256 === 'string', `${at}provenance`, 'hashes', typeof json.provenance);
  expect(Array.isArray(json.gates?.kept) && Array.isArray(json.gates?.skipped), `${at}gates`, 'counts', typeof json.gates);
  expect(Array.isArray(json.history), `${at}history`, 'a list of epochs', typeof json.history);
  for (const [i, row] of json.history.entries()) {
    for (const member of ['epoch', 'trainingLoss', 'validationAccuracy', 'validationCrossEntropy']) {
      expect(Number.isFinite(row?.[member]), `${at}history[${i}].${member}`, 'a number', String(row?.[member]));
    }
  }
  const { startedFrom = 'seed' } = json; // older files do not say
  expect(startedFrom === 'seed' || startedFrom === 'weights', `${at}startedFrom`, 'seed or weights', String(startedFrom));
  const isTested = json.status === 'finished';
  const endpoints = isTested ? {
    selected: readEndpoint(json.endpoints?.selected, `${at}endpoints.selected`),
    final: readEndpoint(json.endpoints?.final, `${at}endpoints.final`),
  } : null;
  return { ...json, startedFrom, endpoints, weights: null };
}

/** @param {any} json @param {string} at @returns {Endpoint} */
function readEndpoint(json, at) {
  expect(json?.n === 2000 || json?.n === 10000, `${at}.n`, '2000 or 10000', String(json?.n));
  const { accuracy, n, predictions, probabilities, confusion, perClass } = json;
  const nProbabilities = n * N_CLASSES;
  const isRow = (/** @type {any} */ row) => isList(row, N_CLASSES, Number.isInteger);
  const isClass = (/** @type {any} */ digit) => Number.isFinite(digit?.accuracy);
  expect(accuracy >= 0 && accuracy <= 1, `${at}.accuracy`, '0 to 1', String(accuracy));
  expect(isList(predictions, n, isDigit), `${at}.predictions`, `${n} digits`, lengthOf(predictions));
  expect(isList(probabilities, nProbabilities, Number.isFinite), `${at}.probabilities`, `${nProbabilities} numbers`,
    lengthOf(probabilities));
  expect(isList(confusion, N_CLASSES, isRow), `${at}.confusion`, '10 × 10 counts', lengthOf(confusion));
  expect(isList(perClass, N_CLASSES, isClass), `${at}.perClass`, '10 digits', lengthOf(perClass));
  return { ...json, predictions: Uint8Array.from(predictions), probabilities: Float32Array.from(probabilities) };
}

/** @param {any} list @param {number} n @param {(item: any) => boolean} isGood */
function isList(list, n, isGood) {
  return Array.isArray(list) && list.length === n && list.every(isGood);
}

/** @param {any} value */
function isDigit(value) {
  return Number.isInteger(value) && value >= 0 && value < N_CLASSES;
}

/** @param {any} list */
function lengthOf(list) {
  return Array.isArray(list) ? `a list of ${list.length}` : typeof list;
}

/**
 * @param {boolean} isGood
 * @param {string} subject
 * @param {string} expected
 * @param {string} found
 */
function expect(isGood, subject, expected, found) {
  if (!isGood) {
    const message = `This is not a results file of the lab: ${subject} should be ${expected}.`;
    throw new LabError({ code: 'WRONG_RESULTS', message, subject, expected, found });
  }
}
