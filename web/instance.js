// Starts a module of the C library: its memory, its code, and the workers that are its threads.

import { answerOf, fetchFile } from './source.js';

/**
 * What a browser and Node do differently.
 * @typedef {object} Platform
 * @property {(url: string) => Promise<WebAssembly.Module>} compile
 * @property {(heard: ThreadListener) => ThreadWorker} startWorker   a worker that hands its first message to serveThread
 */

/** @typedef {{onReady: () => void, onFault: () => void}} ThreadListener */

/** @typedef {{postMessage: (task: ThreadTask) => void, terminate: () => void}} ThreadWorker */

/** A worker on its way: `ready` once it has become a thread. @typedef {{worker: ThreadWorker, ready: Promise<unknown>}} WorkerStart */

/**
 * What a worker needs to be a thread: C's gd_thread_serve.
 * @typedef {{module: WebAssembly.Module, memory: WebAssembly.Memory, stack: number, index: number}} ThreadTask
 */

/** C's exports, by name; all numbers. @typedef {Record<string, (...args: number[]) => number>} Exports */

/** Far longer than workers take to start. */
const WORKERS_START_MS = 5000;

const PAGE_BYTES = 64 * 1024;

/** As the modules are linked (src/wasm/meson.build). */
const INITIAL_BYTES = 4 * 2 ** 20;
const MAX_BYTES = 4 * 2 ** 30;

/**
 * What shared memory may become: its whole range of addresses is taken at once, and phones refuse much of it.
 * The largest network that C accepts takes 0.9 GB.
 */
const SHARED_MAX_BYTES = [2 * 2 ** 30, 2 ** 30, 2 ** 29, 2 ** 28];

/** @type {Platform} */
const BROWSER = {
  async compile(url) {
    const name = String(url.split('/').at(-1));
    const response = await fetchFile(name, url);
    // Not every host knows the type that compiling on the way asks for.
    const isTyped = response.headers.get('Content-Type')?.startsWith('application/wasm');
    return answerOf(name, isTyped ? WebAssembly.compileStreaming(response) : response.arrayBuffer().then(WebAssembly.compile));
  },
  startWorker({ onReady, onFault }) {
    const worker = new Worker(new URL('./thread.js', import.meta.url), { type: 'module' });
    worker.addEventListener('message', onReady);
    worker.addEventListener('error', (event) => {
      event.preventDefault(); // it has been heard
      onFault();
    });
    return worker;
  },
};

/** A module at work. */
export class Instance {
  #module;
  #starts;

  /**
   * Use startInstance.
   * @param {WebAssembly.Module} module
   * @param {WebAssembly.Memory} memory
   * @param {WorkerStart[]} starts   of the workers that will be its threads
   */
  constructor(module, memory, starts) {
    this.#module = module;
    this.#starts = starts;
    /** Grows: ask for its buffer each time. */
    this.memory = memory;
    this.exports = exportsOf(module, memory);
    this.exports.__wasm_call_ctors();
  }

  /**
   * Makes the workers C's threads 1, 2 and so on, beside this one, which is thread 0.
   * @returns {Promise<void>} resolved when they wait for work
   */
  async readyWorkers() {
    const ready = this.#starts.map((start, i) => this.#readyWorker(start, i + 1));
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    let timer;
    const timeout = new Promise((_, reject) => {
      const refuse = () => reject(new Error(`its threads did not start within ${WORKERS_START_MS} ms.`));
      timer = setTimeout(refuse, WORKERS_START_MS);
    });
    try {
      await Promise.race([Promise.all(ready), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {WorkerStart} start @param {number} index */
  async #readyWorker({ worker, ready }, index) {
    const stack = this.exports.gd_thread_stack() >>> 0;
    if (stack === 0) {
      throw new Error('there is no memory for its threads.');
    }
    worker.postMessage({ module: this.#module, memory: this.memory, stack, index });
    await ready;
  }

  /** Ends the workers; nothing can be called any more. */
  close() {
    endWorkers(this.#starts);
  }
}

/**
 * @param {string} url
 * @param {object} [options]
 * @param {number} [options.nWorkers]      that will be its threads beside this one; more than 0: the module is one with threads
 * @param {number} [options.memoryBytes]   its memory may grow to this
 * @param {Platform} [options.platform]
 * @returns {Promise<Instance>}
 */
export async function startInstance(url, { nWorkers = 0, memoryBytes = MAX_BYTES, platform = BROWSER } = {}) {
  const starts = Array.from({ length: nWorkers }, () => startWorker(platform)); // while the module is fetched and compiled
  try {
    const module = await platform.compile(url);
    const memory = nWorkers > 0 ? createSharedMemory(memoryBytes) : createMemory(memoryBytes, false);
    return new Instance(module, memory, starts);
  } catch (error) {
    endWorkers(starts);
    throw error;
  }
}

/** @param {Platform} platform @returns {WorkerStart} */
function startWorker(platform) {
  /** @type {any} */
  let worker;
  const ready = new Promise((resolve, reject) => {
    const onFault = () => reject(new Error('its threads could not be started.'));
    worker = platform.startWorker({ onReady: () => resolve(undefined), onFault });
  });
  ready.catch(() => {}); // readyWorkers() hears of it
  return { worker, ready };
}

/** @param {WorkerStart[]} starts */
function endWorkers(starts) {
  starts.forEach(({ worker }) => worker.terminate());
}

/**
 * What a worker does with the message that makes it a thread. Does not return.
 * @param {ThreadTask} task
 * @param {() => void} onReady
 */
export function serveThread({ module, memory, stack, index }, onReady) {
  const exports = exportsOf(module, memory);
  onReady();
  exports.gd_thread_serve(stack, index);
}

/** @param {WebAssembly.Module} module @param {WebAssembly.Memory} memory @returns {Exports} */
function exportsOf(module, memory) {
  const env = {
    memory,
    emscripten_resize_heap: (/** @type {number} */ bytes) => growTo(memory, bytes >>> 0),
    gd_thread_sleep(/** @type {number} */ place, /** @type {number} */ value) {
      Atomics.wait(new Int32Array(memory.buffer), (place >>> 0) / 4, value);
    },
  };
  const { exports } = new WebAssembly.Instance(module, { env });
  return /** @type {Exports} */ (/** @type {unknown} */ (exports));
}

/**
 * C's allocator asks for more memory.
 * @param {WebAssembly.Memory} memory
 * @param {number} bytes   that there shall be
 * @returns {number} whether there are so many now
 */
function growTo(memory, bytes) {
  try {
    memory.grow(Math.max(0, Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES)));
    return 1;
  } catch {
    return 0;
  }
}

/** @param {number} maxBytes @param {boolean} shared */
function createMemory(maxBytes, shared) {
  const pages = (/** @type {number} */ bytes) => Math.floor(bytes / PAGE_BYTES);
  return new WebAssembly.Memory({ initial: pages(INITIAL_BYTES), maximum: pages(maxBytes), shared });
}

/** @param {number} maxBytes @throws {unknown} where not even the least can be had */
function createSharedMemory(maxBytes) {
  /** @type {unknown} */
  let refusal;
  for (const bytes of SHARED_MAX_BYTES) {
    try {
      return createMemory(Math.min(bytes, maxBytes), true);
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}
