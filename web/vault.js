// What must outlive a reload: runs and their weights, in IndexedDB. Where that is not to be had, or full, the weights
// stay in memory for this visit and the page is told.

import { LabError } from './fault.js';

/** @typedef {import('./state.js').RunRecord} RunRecord */
/** @typedef {import('./types.js').LabFault} LabFault */
/** @typedef {import('./types.js').RunResult} RunResult */
/** @typedef {import('./types.js').Weights} Weights */
/** @typedef {{selected: Weights, final: Weights}} BothWeights */

const NAME = 'mnist-browser-lab';
const VERSION = 1;

export class Vault {
  /** @type {Promise<IDBDatabase|null>} */
  #database;
  /** Weights that are not stored yet, or could not be. @type {Map<string, BothWeights>} */
  #inMemory = new Map();
  #onFault;

  /** @param {(fault: LabFault) => void} onFault   hears why something could not be stored */
  constructor(onFault) {
    this.#onFault = onFault;
    this.#database = openDatabase().catch((error) => {
      this.#report('This browser keeps nothing for this page, so runs are lost at the end of this visit.', error);
      return null;
    });
  }

  /** Every run that was kept, oldest first. @returns {Promise<RunRecord[]>} */
  async all() {
    const database = await this.#database;
    if (database === null) {
      return [];
    }
    /** @type {RunRecord[]} */
    const records = await answered(database.transaction('runs').objectStore('runs').getAll());
    return records.sort((a, b) => a.asked - b.asked || a.id.localeCompare(b.id));
  }

  /**
   * Keeps runs as they stand.
   * @param {RunRecord[]} records
   * @param {BothWeights|null} [weights]   of the first one
   */
  async keep(records, weights = null) {
    if (weights !== null) {
      this.#inMemory.set(records[0].id, weights);
    }
    const database = await this.#database;
    try {
      if (database === null) {
        throw new LabError({ code: 'NO_STORAGE', message: 'There is no storage.' });
      }
      const transaction = database.transaction(['runs', 'weights'], 'readwrite');
      for (const record of records) {
        transaction.objectStore('runs').put(record);
      }
      if (weights !== null) {
        transaction.objectStore('weights').put(weights, records[0].id);
      }
      await completed(transaction);
      if (weights !== null) {
        this.#inMemory.delete(records[0].id);
      }
    } catch (error) {
      if (database !== null) {
        this.#report('A run could not be stored, so it ends with this visit. Delete runs to make room.', error);
      }
    }
  }

  /** @param {string} id @returns {Promise<BothWeights|null>} null where the run has none */
  async weights(id) {
    const database = await this.#database;
    const held = this.#inMemory.get(id);
    if (held !== undefined || database === null) {
      return held ?? null;
    }
    return (await answered(database.transaction('weights').objectStore('weights').get(id))) ?? null;
  }

  /** @param {string[]} ids */
  async forget(ids) {
    const database = await this.#database;
    for (const id of ids) {
      this.#inMemory.delete(id);
    }
    if (database !== null) {
      const transaction = database.transaction(['runs', 'weights'], 'readwrite');
      for (const id of ids) {
        transaction.objectStore('runs').delete(id);
        transaction.objectStore('weights').delete(id);
      }
      await completed(transaction);
    }
  }

  /** @returns {Promise<{bytes: number, quota: number}|null>} null where the browser does not say */
  async usage() {
    const estimate = await navigator.storage?.estimate?.();
    return estimate === undefined ? null : { bytes: estimate.usage ?? 0, quota: estimate.quota ?? 0 };
  }

  /** @param {string} message @param {unknown} error */
  #report(message, error) {
    const found = error instanceof Error ? error.message : String(error);
    this.#onFault(new LabError({ code: 'NOT_STORED', message, subject: 'storage', found }).toFault());
  }
}

/** @returns {Promise<IDBDatabase>} */
function openDatabase() {
  const request = indexedDB.open(NAME, VERSION);
  request.onupgradeneeded = () => {
    request.result.createObjectStore('runs', { keyPath: 'id' });
    request.result.createObjectStore('weights');
  };
  return answered(request);
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function answered(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @param {IDBTransaction} transaction @returns {Promise<void>} */
function completed(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
}
