// Errors that the lab expects: what they carry, and how they cross from a worker.

/** @typedef {import('./types.js').LabFault} LabFault */

/** An error whose message is a whole sentence for a person, with the particulars for a program. */
export class LabError extends Error {
  /** @param {Partial<LabFault> & {code: string, message: string}} fault */
  constructor(fault) {
    super(fault.message);
    this.name = 'LabError';
    /** C's status name, or one of the codes in README.md. */
    this.code = fault.code;
    this.subject = fault.subject ?? '';
    this.expected = fault.expected ?? '';
    this.found = fault.found ?? '';
    /** The byte in the file; -1 where there is none. */
    this.offset = fault.offset ?? -1;
  }

  /** @returns {LabFault} a copy that can be posted */
  toFault() {
    const { code, message, subject, expected, found, offset } = this;
    return { code, message, subject, expected, found, offset };
  }
}

/**
 * Any thrown value as a fault that can be posted.
 * @param {unknown} error
 * @returns {LabFault}
 */
export function faultOf(error) {
  if (error instanceof LabError) {
    return error.toFault();
  }
  const aborted = error instanceof Error && error.name === 'AbortError';
  const code = aborted ? 'STOPPED' : 'UNKNOWN';
  const message = error instanceof Error ? error.message : String(error);
  return new LabError({ code, message: aborted ? 'Stopped.' : message }).toFault();
}

/** @returns {LabError} what an aborted request ends with */
export function stopped() {
  return new LabError({ code: 'STOPPED', message: 'Stopped.' });
}

/**
 * Waits for something that others may wait for too; rejects as soon as this one gives up.
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export function unlessAborted(promise, signal) {
  if (signal === undefined) {
    return promise;
  }
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(stopped());
    if (signal.aborted) {
      onAbort();
    }
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
