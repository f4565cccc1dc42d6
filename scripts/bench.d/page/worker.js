// A page around a worker, where all is done as in the lab: worker.html?script=kernels-worker.js

import { startWorker } from './caller.js';

const script = new URLSearchParams(location.search).get('script') ?? '';

Object.assign(globalThis, { bench: startWorker(new URL(script, import.meta.url)) });
