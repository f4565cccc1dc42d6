// How the C library's modules are started in Node: files instead of a network, Node's own kind of workers.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** @type {import('../../web/instance.js').Platform} */
export const NODE = {
  async compile(url) {
    return WebAssembly.compile(await readFile(fileURLToPath(url)));
  },
  startWorker({ onReady, onFault }) {
    const worker = new Worker(new URL('./node-thread.mjs', import.meta.url));
    worker.on('message', () => {
      worker.unref(); // a thread keeps no process alive
      onReady();
    });
    worker.on('error', onFault);
    return worker;
  },
};
