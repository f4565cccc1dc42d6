// The lab's engine, in a worker as in the lab's own page; or several workers at once, each with a run of its own.

import { startWorker } from '../caller.js';

/** @typedef {import('../measure.js').Amount} Amount */
/** @typedef {import('../measure.js').Measurement} Measurement */
const WORKER = new URL('lab-worker.js', import.meta.url);

/**
 * @param {{widths: number[], build: string, nThreads: number, nRuns: number}} setting
 *     nRuns: side by side, each in a worker of its own
 */
export async function openLab({ nRuns, ...setting }) {
  const workers = await Promise.all(Array.from({ length: nRuns }, () => startWorker(WORKER)));
  const abouts = await Promise.all(workers.map((worker) => worker.call('open', setting)));
  return {
    about: abouts[0],
    /** @param {number} n @returns {Promise<number[]>} of the first run */
    async traceLosses(n) {
      const traces = await Promise.all(workers.map((worker) => worker.call('traceLosses', n)));
      return traces[0];
    },
    /** @returns {Promise<number>} of an epoch's time, in the first run */
    validationShare: () => workers[0].call('validationShare', null),
    /** @param {Amount} amount   of each run @returns {Promise<Measurement>} of all together */
    async measure(amount) {
      /** @type {Measurement[]} */
      const measurements = await Promise.all(workers.map((worker) => worker.call('measure', amount)));
      const [{ loss, peak }] = /** @type {[Measurement]} */ (measurements);
      return { imagesPerSecond: measurements.reduce((sum, each) => sum + each.imagesPerSecond, 0), loss, peak };
    },
  };
}
