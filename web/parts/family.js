// Runs that differ in nothing but their branches and their seed belong together.

import { countOf } from './format.js';
import { endpointOf, isContinued } from '../state.js';

/** @typedef {import('../state.js').Checkpoint} Checkpoint */
/** @typedef {import('../state.js').RunRecord} RunRecord */

/**
 * @typedef {object} Tested
 * @property {RunRecord} run
 * @property {number} mask
 * @property {number} seed
 * @property {number} accuracy   on the test images, 0..1
 */

/**
 * @typedef {object} Family
 * @property {string} name
 * @property {Tested[]} members
 */

/**
 * @param {RunRecord[]} runs
 * @param {Checkpoint} checkpoint
 * @returns {Family[]} in the order of their first runs; only runs with test figures
 */
export function familiesOf(runs, checkpoint) {
  /** @type {Map<string, Family>} */
  const families = new Map();
  for (const run of runs) {
    const endpoint = endpointOf(run, checkpoint);
    if (run.result === null || endpoint === null) {
      continue;
    }
    const { mask, seed, widths, trainN, testSet, epochs, batch, lr, p, preset } = run.result.config;
    const { numerics } = run.result.engine;
    const origin = isContinued(run) ? run.result.provenance.initializationSHA256 : '';
    const key = JSON.stringify([widths, trainN, testSet, epochs, batch, lr, p, numerics, origin]);
    const note = isContinued(run) ? ', continued' : '';
    const size = `${preset || widths.join('–')}, ${countOf(trainN, 'image')}, ${countOf(epochs, 'epoch')}`;
    const name = `${size}, p ${p}, ${numerics}${note}`;
    const family = families.get(key) ?? { name, members: [] };
    families.set(key, family);
    family.members.push({ run, mask, seed, accuracy: endpoint.accuracy });
  }
  return [...families.values()];
}

/**
 * @template T
 * @template K
 * @param {T[]} items
 * @param {(item: T) => K} keyOf
 * @returns {Map<K, T[]>}
 */
export function grouped(items, keyOf) {
  /** @type {Map<K, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}

/** @param {number} mask @returns {number} its branches */
export function nBranches(mask) {
  return [0, 1, 2, 3].filter((branch) => (mask & (1 << branch)) !== 0).length;
}
