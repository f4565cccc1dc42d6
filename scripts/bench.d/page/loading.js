// The page of part "load": all is done in a worker, as in the lab.

import { startWorker } from './caller.js';

async function open() {
  const worker = await startWorker(new URL('loading-worker.js', import.meta.url));
  return {
    /** @param {string} split */
    sample: (split) => worker.call('sample', split),
  };
}

Object.assign(globalThis, { bench: open() });
