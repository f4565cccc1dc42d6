// Questions to a worker and its answers, as README.md lists them.

import { LabError, stopped } from './fault.js';

/** @typedef {import('./types.js').LabFault} LabFault */
/** @typedef {(event: string, data: any) => void} EventSink */
/** @typedef {{resolve: (value: any) => void, reject: (error: Error) => void, onEvent: EventSink}} Pending */
/** @typedef {{signal?: AbortSignal, onEvent?: EventSink}} RequestOptions */
/** @typedef {{id: number, event?: string, data?: any, result?: any, error?: LabFault}} Reply */

/** The page's end of a worker. */
export class Channel {
  #worker;
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  #nextId = 1;
  #closed = false;

  /** @param {Worker} worker */
  constructor(worker) {
    this.#worker = worker;
    worker.addEventListener('message', (event) => this.#receive(event.data));
    worker.addEventListener('error', (event) => this.#end(startFault(event.message)));
    worker.addEventListener('messageerror', () => {
      this.#end(new LabError({ code: 'UNKNOWN', message: 'A message from the worker was lost.' }));
    });
  }

  get isClosed() {
    return this.#closed;
  }

  /** Ends the worker. What is under way is rejected with STOPPED. */
  close() {
    this.#end(stopped());
  }

  /**
   * @param {string} method
   * @param {object} params
   * @param {RequestOptions} [options]
   * @returns {Promise<any>}
   */
  ask(method, params, options) {
    return this.request(method, params, options).answer;
  }

  /**
   * The same, for a request that will be spoken of while it is under way.
   * @param {string} method
   * @param {object} params
   * @param {RequestOptions} [options]
   * @returns {{id: number, answer: Promise<any>}}
   */
  request(method, params, { signal, onEvent = () => {} } = {}) {
    const id = this.#nextId++;
    if (this.#closed || signal?.aborted) {
      return { id, answer: Promise.reject(stopped()) };
    }
    const abort = () => this.#worker.postMessage({ abort: id });
    signal?.addEventListener('abort', abort);
    const answer = new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onEvent });
      this.#worker.postMessage({ id, method, params });
    });
    return { id, answer: answer.finally(() => signal?.removeEventListener('abort', abort)) };
  }

  /** @param {Reply} reply */
  #receive({ id, event, data, result, error }) {
    const pending = this.#pending.get(id);
    if (pending === undefined) {
      return;
    }
    if (event !== undefined) {
      pending.onEvent(event, data);
      return;
    }
    this.#pending.delete(id);
    if (error === undefined) {
      pending.resolve(result);
    } else {
      pending.reject(new LabError(error));
    }
  }

  /** @param {LabError} error */
  #end(error) {
    this.#closed = true;
    this.#worker.terminate();
    for (const { reject } of this.#pending.values()) {
      reject(error);
    }
    this.#pending.clear();
  }
}

/**
 * @param {string|undefined} message   of an error inside the worker; none where it could not even be fetched
 * @returns {LabError}
 */
function startFault(message) {
  if (message) {
    return new LabError({ code: 'UNKNOWN', message });
  }
  const sentence = 'The engine\'s worker could not be fetched. Check that you are online, then try again.';
  return new LabError({ code: 'NETWORK', message: sentence, subject: 'worker.js' });
}
