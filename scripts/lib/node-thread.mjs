// A worker that is one of the engine's threads, as web/thread.js is in a browser.

import { parentPort } from 'node:worker_threads';

import { serveThread } from '../../web/instance.js';

parentPort?.once('message', (task) => serveThread(task, () => parentPort?.postMessage('ready')));
