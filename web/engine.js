// Calls a module of the C library. C owns all memory; what leaves this file is copied out of it, and no view outlives the
// call that made it.

import { LabError } from './fault.js';

/** @typedef {import('./instance.js').Instance} Instance */
/** @typedef {import('./types.js').Description} Description */
/** @typedef {import('./types.js').EngineInfo} EngineInfo */

/** The version of the interface that this code was written for; C says the same or the engine is refused. */
export const ABI_VERSION = 1;

/** One instance of the C library, and the only way to call it. */
export class Engine {
  #instance;
  #exports;
  #memory;
  #decoder = new TextDecoder();
  /** The numbers of threads that a run may choose from, the largest first. */
  threadCounts = [1];

  /**
   * @param {Instance} instance
   * @param {string} build
   */
  constructor(instance, build) {
    this.#instance = instance;
    this.#exports = instance.exports;
    this.#memory = instance.memory;
    const abi = this.number('gd_abi_version');
    if (abi !== ABI_VERSION) {
      const message = `The engine speaks version ${abi}, the page version ${ABI_VERSION}: reload the page.`;
      throw new LabError({ code: 'ABI_MISMATCH', message });
    }
    /** @type {Description} C's own tables */
    this.description = JSON.parse(this.text(this.pointer('gd_describe')));
    /** @type {EngineInfo} */
    this.info = {
      build,
      numerics: this.description.numerics,
      threads: 1,
      reasons: [],
    };
  }

  /**
   * Starts threads beside this one, for which workers are ready.
   * @param {number} n   this one included
   */
  startThreads(n) {
    this.info.threads = this.status('gd_threads', n);
  }

  /**
   * Lets only so many of the threads compute, until further notice.
   * @param {number} n
   */
  useThreads(n) {
    if (n !== this.info.threads) {
      this.info.threads = this.status('gd_threads_use', n);
    }
  }

  /** Ends the threads; nothing can be called any more. Without threads there is nothing to end. */
  close() {
    this.#instance.close();
  }

  /**
   * Calls a function that returns a status, a handle or a count; a negative number is a fault.
   * @param {string} name
   * @param {...number} args
   * @returns {number}
   * @throws {LabError} with C's report
   */
  status(name, ...args) {
    const result = this.number(name, ...args);
    if (result < 0) {
      throw this.#lastFault(-result);
    }
    return result;
  }

  /**
   * Calls a function that returns a plain number.
   * @param {string} name
   * @param {...number} args
   * @returns {number}
   */
  number(name, ...args) {
    return this.#exports[name](...args);
  }

  /**
   * Calls a function that returns an address; NULL is a fault.
   * @param {string} name
   * @param {...number} args
   * @returns {number}
   */
  pointer(name, ...args) {
    const address = this.number(name, ...args) >>> 0;
    if (address === 0) {
      throw this.#lastFault(0);
    }
    return address;
  }

  /**
   * @param {number} address
   * @returns {string} the NUL-terminated text there
   */
  text(address) {
    const memory = new Uint8Array(this.#memory.buffer);
    // A copy: decoders refuse shared memory.
    return this.#decoder.decode(memory.slice(address, memory.indexOf(0, address)));
  }

  /**
   * @param {number} address
   * @param {ArrayLike<number>} bytes
   */
  write(address, bytes) {
    new Uint8Array(this.#memory.buffer, address, bytes.length).set(bytes);
  }

  /**
   * @param {number} address   8-byte aligned
   * @param {number[]} values
   */
  writeF64(address, values) {
    new Float64Array(this.#memory.buffer, address, values.length).set(values);
  }

  /**
   * @param {number} address   4-byte aligned
   * @param {ArrayLike<number>} values
   */
  writeF32(address, values) {
    new Float32Array(this.#memory.buffer, address, values.length).set(values);
  }

  /**
   * @param {number} address   4-byte aligned
   * @param {ArrayLike<number>} values
   */
  writeU32(address, values) {
    new Uint32Array(this.#memory.buffer, address, values.length).set(values);
  }

  /** @param {number} address @param {number} n @returns {Uint8Array<ArrayBuffer>} a copy */
  copyU8(address, n) {
    return new Uint8Array(new Uint8Array(this.#memory.buffer, address, n));
  }

  /** @param {number} address @param {number} n @returns {Uint32Array<ArrayBuffer>} a copy */
  copyU32(address, n) {
    return new Uint32Array(new Uint32Array(this.#memory.buffer, address, n));
  }

  /** @param {number} address @param {number} n @returns {Float32Array<ArrayBuffer>} a copy */
  copyF32(address, n) {
    return new Float32Array(new Float32Array(this.#memory.buffer, address, n));
  }

  /** @param {number} address @param {number} n @returns {Float64Array<ArrayBuffer>} a copy */
  copyF64(address, n) {
    return new Float64Array(new Float64Array(this.#memory.buffer, address, n));
  }

  /**
   * What a run or an evaluation shows of itself: a copy of one of its views, empty where nothing is known yet.
   * @param {'run'|'evaluation'} owner
   * @param {number} handle
   * @param {string} id
   */
  view(owner, handle, id) {
    const views = owner === 'run' ? this.description.runViews : this.description.evaluationViews;
    const number = views.findIndex((view) => view.id === id);
    const n = this.status(`gd_${owner}_view_items`, handle, number);
    const address = n > 0 ? this.pointer(`gd_${owner}_view`, handle, number) : 0;
    switch (views[number]?.type) {
      case 'f64':
        return this.copyF64(address, n);
      case 'f32':
        return this.copyF32(address, n);
      case 'u32':
        return this.copyU32(address, n);
      default:
        return this.copyU8(address, n);
    }
  }

  /** Bytes of the engine's memory, free room included: it grows, and never shrinks. */
  get memoryBytes() {
    return this.#memory.buffer.byteLength;
  }

  /**
   * Room in the engine's memory for the time of one call.
   * @template T
   * @param {number} bytes
   * @param {(address: number) => T} use
   * @returns {T}
   */
  withRoom(bytes, use) {
    const address = this.pointer('gd_memory_allocate', bytes);
    try {
      return use(address);
    } finally {
      this.number('gd_memory_free', address);
    }
  }

  /** @param {number} number   the status, where it is known */
  #lastFault(number) {
    const [name, sentence, subject, expected, found] = [0, 1, 2, 3, 4].map((part) =>
      this.text(this.number('gd_report_text', part) >>> 0),
    );
    return new LabError({
      code: name ?? 'UNKNOWN',
      message: faultSentence(sentence ?? `status ${number}`, { subject, expected, found }),
      subject,
      expected,
      found,
      offset: this.number('gd_report_offset'),
    });
  }
}

/**
 * A sentence for a person.
 * @param {string} sentence   C's, without a capital and a full stop
 * @param {{subject?: string, expected?: string, found?: string}} report
 */
export function faultSentence(sentence, { subject, expected, found }) {
  const start = subject ? `${subject}: ${sentence}` : sentence.charAt(0).toUpperCase() + sentence.slice(1);
  const particulars = [expected && `expected ${expected}`, found && `found ${found}`].filter(Boolean);
  return particulars.length > 0 ? `${start} (${particulars.join(', ')}).` : `${start}.`;
}
