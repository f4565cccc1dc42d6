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
  /** Why there is no database. @type {unknown} */
  #refusal = null;
  /** What is not stored yet, or could not be. @type {Map<string, {record: RunRecord, weights: BothWeights|null}>} */
  #unstored = new Map();
  /** What still comes of these runs is not kept. @type {Set<string>} */
  #forgotten = new Set();
  #onFault;

  /** @param {(fault: LabFault) => void} onFault   hears why something could not be stored */
  constructor(onFault) {
    this.#onFault = onFault;
    this.#database = openDatabase().catch((error) => {
      this.#refusal = error;
      return null;
    });
  }

  /** Every run that was kept, oldest first. Says it if nothing can be kept. @returns {Promise<RunRecord[]>} */
  async all() {
    const database = await this.#database;
    if (database === null) {
      const message = 'This browser keeps nothing for this page, so runs are lost at the end of this visit.';
      this.#report('NO_STORAGE', message, this.#refusal);
      return [];
    }
    /** @type {RunRecord[]} */
    const records = await answered(database.transaction('runs').objectStore('runs').getAll());
    return records.sort((a, b) => a.asked - b.asked || a.id.localeCompare(b.id, 'en', { numeric: true }));
  }

  /**
   * Keeps runs as they stand, but for those that were forgotten.
   * @param {RunRecord[]} runs
   * @param {BothWeights|null} [weights]   of the run, where it is one
   * @returns {Promise<boolean>} whether they are stored
   */
  async keep(runs, weights = null) {
    const records = runs.filter((run) => !this.#forgotten.has(run.id));
    records.forEach((record) => this.#unstored.set(record.id, { record, weights }));
    const database = await this.#database;
    if (database === null) {
      return false;
    }
    try {
      await write(database, records, weights);
    } catch (error) {
      this.#reportUnstored(error);
      return false;
    }
    for (const record of records) {
      if (this.#unstored.get(record.id)?.record === record) {
        this.#unstored.delete(record.id);
      }
    }
    return true;
  }

  /** Runs that are here for this visit only. */
  unstored() {
    return [...this.#unstored.keys()];
  }

  /** Tries once more to keep what could not be stored. */
  async keepUnstored() {
    for (const id of this.unstored()) {
      const latest = this.#unstored.get(id); // what it is now: a run may have ended meanwhile
      if (latest !== undefined && !(await this.keep([latest.record], latest.weights))) {
        return;
      }
    }
  }

  /** @param {string} id @returns {Promise<BothWeights|null>} null where the run has none */
  async weights(id) {
    const database = await this.#database;
    const held = this.#unstored.get(id)?.weights ?? null;
    if (held !== null || database === null) {
      return held;
    }
    return (await answered(database.transaction('weights').objectStore('weights').get(id))) ?? null;
  }

  /** Rejected where they stay, all of them. @param {string[]} ids */
  async forget(ids) {
    ids.forEach((id) => this.#forgotten.add(id));
    const database = await this.#database;
    try {
      if (database !== null) {
        await erase(database, ids);
      }
    } catch (error) {
      ids.forEach((id) => this.#forgotten.delete(id));
      throw error;
    }
    ids.forEach((id) => this.#unstored.delete(id));
  }

  /**
   * Makes a plan this page's own, so that no second page carries it out as well. Waits while another page has it.
   * @param {string} plan
   */
  async own(plan) {
    const { locks } = navigator;
    if (locks === undefined) {
      return; // two pages may then do the same work, with the same results
    }
    await new Promise((resolve) => {
      const untilThePageIsGone = () => {
        resolve(undefined);
        return new Promise(() => {});
      };
      locks.request(`${NAME} ${plan}`, untilThePageIsGone).catch(resolve);
    });
  }

  /** @returns {Promise<{bytes: number, quota: number}|null>} null where the browser does not say */
  async usage() {
    const estimate = await navigator.storage?.estimate?.().catch(() => undefined);
    return estimate === undefined ? null : { bytes: estimate.usage ?? 0, quota: estimate.quota ?? 0 };
  }

  /** @param {unknown} error */
  #reportUnstored(error) {
    if (error instanceof DOMException && error.name === 'QuotaExceededError') {
      const message = 'This browser has no more room for the lab, so a run is kept only until the page is closed. '
        + 'Delete runs that you do not need, or make room on this device, then try again.';
      this.#report('STORAGE_FULL', message, error);
    } else {
      this.#report('NOT_STORED', 'A run could not be stored, so it is kept only until the page is closed.', error);
    }
  }

  /** @param {string} code @param {string} message @param {unknown} error */
  #report(code, message, error) {
    const found = error instanceof Error ? error.message : String(error);
    this.#onFault(new LabError({ code, message, subject: 'storage', found }).toFault());
  }
}

/** @returns {Promise<IDBDatabase>} rejected too where the browser throws at once */
async function openDatabase() {
  const request = indexedDB.open(NAME, VERSION);
  request.onupgradeneeded = () => {
    request.result.createObjectStore('runs', { keyPath: 'id' });
    request.result.createObjectStore('weights');
  };
  return answered(request);
}

/**
 * Stores all of it or nothing.
 * @param {IDBDatabase} database
 * @param {RunRecord[]} records
 * @param {BothWeights|null} weights   of the record, where it is one
 */
async function write(database, records, weights) {
  const transaction = database.transaction(['runs', 'weights'], 'readwrite');
  try {
    for (const record of records) {
      transaction.objectStore('runs').put(record);
      if (weights !== null) {
        transaction.objectStore('weights').put(weights, record.id);
      }
    }
  } catch (error) {
    transaction.abort();
    throw error;
  }
  await completed(transaction);
}

/** All of them or none. @param {IDBDatabase} database @param {string[]} ids */
async function erase(database, ids) {
  const transaction = database.transaction(['runs', 'weights'], 'readwrite');
  for (const id of ids) {
    transaction.objectStore('runs').delete(id);
    transaction.objectStore('weights').delete(id);
  }
  await completed(transaction);
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
