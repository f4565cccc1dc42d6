// The built dataset's splits, verified in an engine's memory, for tests that call the exports themselves.

import path from 'node:path';

import { ROOT, directorySource, openNodeEngine } from '../../scripts/lib/node-session.mjs';
import { Dataset } from '../../web/dataset.js';

/** @typedef {import('../../web/engine.js').Engine} Engine */

/**
 * @param {string} build
 * @returns {Promise<{engine: Engine, train: number, validation: number, test: number}>}
 */
export async function openSplits(build) {
  const engine = await openNodeEngine({ build });
  const dataset = new Dataset(engine, directorySource(path.join(ROOT, 'dist/dataset')));
  const { handle: train } = await dataset.load('train');
  const { handle: validation } = await dataset.load('validation');
  const { handle: test } = await dataset.load('test');
  return { engine, train, validation, test };
}

/**
 * Writes a configuration: the defaults, and these fields.
 * @param {Engine} engine
 * @param {Record<string, number|number[]>} fields
 */
export function configure(engine, fields) {
  engine.status('gd_config_default');
  const address = engine.pointer('gd_config_values');
  for (const [id, value] of Object.entries(fields)) {
    const field = engine.description.fields.find((candidate) => candidate.id === id);
    if (field === undefined) {
      throw new Error(`There is no field ${id}.`);
    }
    engine.writeF64(address + 8 * field.first, [value].flat());
  }
}

/**
 * A run's progress by name.
 * @param {Engine} engine
 * @param {number} run
 * @returns {Record<string, number>}
 */
export function progressOf(engine, run) {
  const values = engine.view('run', run, 'progress');
  return Object.fromEntries(engine.description.progress.map((id, i) => [id, Number(values[i])]));
}

/**
 * Steps a run until an event comes.
 * @param {Engine} engine
 * @param {number} run
 * @param {string} wanted
 * @param {(event: string) => void} [onEvent]
 */
export function stepUntil(engine, run, wanted, onEvent = () => {}) {
  let event = '';
  while (event !== wanted) {
    event = engine.description.events[engine.status('gd_run_step', run)];
    onEvent(event);
  }
}
