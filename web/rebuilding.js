// Rebuilds the dataset from MNIST's four files in the worker that is asked to, and tells each step when it is done.

import { openProducer, parsePlan, rebuild } from './rebuild.js';
import { httpSource, readText } from './source.js';

/** @typedef {import('./types.js').Check} Check */

/**
 * What it needs: where manifest and producer are, and the four files by the names of SOURCES.
 * @typedef {{datasetUrl: string, producerUrl: string, files: Record<string, Blob>}} RebuildOrder
 */

/** A step that has been tried; one with a fault is the last. @typedef {{id: string, checks: Check[]}} RebuildNews */

/**
 * @param {RebuildOrder} order
 * @param {(event: 'step', news: RebuildNews) => void} emit
 * @throws {import('./fault.js').LabError} why it could not be carried out to its end
 */
export async function carryOutRebuild({ datasetUrl, producerUrl, files }, emit) {
  const name = 'manifest.json';
  const plan = parsePlan(await readText(await httpSource(datasetUrl)(name, { fresh: false }), name));
  const producer = await openProducer(producerUrl);
  const read = async (/** @type {string} */ file) => new Uint8Array(await files[file].arrayBuffer());
  for await (const { id, checks, fault } of rebuild(producer, plan, read)) {
    emit('step', { id, checks });
    if (fault !== null) {
      throw fault;
    }
  }
}
