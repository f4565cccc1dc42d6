// What Train would start: the settings as they are at first, and the runs that settings and plan come to.

import { faultOf, LabError } from './fault.js';
import { later } from './part.js';
import { runById } from './state.js';

/** @typedef {import('./client.js').Client} Client */
/** @typedef {import('./state.js').Cell} Cell */
/** @typedef {import('./state.js').LabState} LabState */
/** @typedef {import('./types.js').ConfigInput} ConfigInput */
/** @typedef {import('./types.js').Description} Description */
/** @typedef {import('./types.js').LabFault} LabFault */

const DEFAULT_PRESET = 'small';
const MAX_SEEDS = 100;

/**
 * @param {Description} description
 * @returns {ConfigInput}
 */
export function defaultConfig(description) {
  const numbers = description.fields
    .filter((field) => field.n === 1)
    .map((field) => [field.id, field.default]);
  return { preset: DEFAULT_PRESET, ...Object.fromEntries(numbers) };
}

/**
 * The runs that Train would start.
 * @param {Client} client
 * @param {LabState} state
 * @returns {Promise<{cells: Cell[], planFault: LabFault|null}>}
 */
export async function planCells(client, state) {
  const { config, plan, start } = state;
  const { mask, p = 0, seed = 0 } = config;
  const { kind, masks, ps, order, nSeeds } = plan;
  try {
    checkSeeds(nSeeds);
    if (start !== null) {
      const { checkStart } = await later();
      checkStart(client.description, config, runById(state, start.run));
    }
    const seeds = Array.from({ length: nSeeds }, (_, i) => seed + i);
    const cells = await client.cells(kind === 'grid' ? { p: ps, seeds, masks } : { p: [p], seeds, kind, mask, order });
    return { cells, planFault: null };
  } catch (error) {
    return { cells: [], planFault: faultOf(error) };
  }
}

/**
 * That a plan has at most 100 runs is C's to check; this keeps the list of seeds from being made in vain.
 * @param {number} nSeeds
 */
function checkSeeds(nSeeds) {
  if (!Number.isInteger(nSeeds) || nSeeds < 1 || nSeeds > MAX_SEEDS) {
    const [expected, found] = [`1 to ${MAX_SEEDS}`, String(nSeeds)];
    const message = `Seeds takes a whole number from ${expected}; ${found} is none.`;
    throw new LabError({ code: 'FIELD_OUT_OF_RANGE', message, subject: 'seeds', expected, found });
  }
}
