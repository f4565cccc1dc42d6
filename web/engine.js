// Chooses a build of the engine that runs here, starts it, and calls it. The C library owns all memory; what leaves
// this file is copied out of it, and no view outlives the call that made it.

import { LabError } from './fault.js';

/** @typedef {import('./types.js').Description} Description */
/** @typedef {import('./types.js').EngineInfo} EngineInfo */

/**
 * What Emscripten's glue gives.
 * @typedef {Record<string, any> & {HEAPU8: Uint8Array}} Module
 */

/** The version of the interface that this code was written for; C says the same or the engine is refused. */
export const ABI_VERSION = 1;

/** Fastest first, each with what it needs. */
const BUILDS = [
  { name: 'fused-threads', fused: true, threads: true },
  { name: 'fused', fused: true, threads: false },
  { name: 'mul-add-threads', fused: false, threads: true },
  { name: 'mul-add', fused: false, threads: false },
];

/** Those that scripts/build makes. */
export const SHIPPED_BUILDS = ['fused', 'mul-add'];

const I32_CONST_0 = [0x41, 0x00];
const I8X16_SPLAT = [0xfd, 0x0f];
const F32X4_RELAXED_MADD = [0xfd, 0x85, 0x02];
const END = 0x0b;

/**
 * A module of one function () -> v128 with this body.
 * @param {number[]} body
 */
function probe(body) {
  const code = [0x00, ...body, END]; // no locals
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // magic, version 1
    ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b], // type 0: () -> v128
    ...[0x03, 0x02, 0x01, 0x00], // function 0 is of type 0
    ...[0x0a, code.length + 2, 0x01, code.length, ...code],
  ]);
}

const VECTOR = [...I32_CONST_0, ...I8X16_SPLAT];
const SIMD_PROBE = probe(VECTOR);
const RELAXED_SIMD_PROBE = probe([...VECTOR, ...VECTOR, ...VECTOR, ...F32X4_RELAXED_MADD]);

/** What this browser (or Node) can run. */
export function detectFeatures() {
  if (typeof WebAssembly === 'undefined') {
    return { simd: false, relaxedSimd: false, sharedMemory: false };
  }
  const isNode = 'process' in globalThis;
  return {
    simd: WebAssembly.validate(SIMD_PROBE),
    relaxedSimd: WebAssembly.validate(RELAXED_SIMD_PROBE),
    // A threaded module never settles where shared memory is missing: ask before loading one.
    sharedMemory: typeof SharedArrayBuffer !== 'undefined' && (isNode || globalThis.crossOriginIsolated === true),
  };
}

/**
 * The builds to try, in order, and a sentence for each that cannot run here.
 * @param {ReturnType<typeof detectFeatures>} features
 * @param {{build?: string, threads?: number}} wish
 * @returns {{candidates: string[], reasons: string[]}}
 */
export function chooseBuilds(features, { build, threads } = {}) {
  const reasons = [];
  const candidates = [];
  for (const { name, fused, threads: threaded } of BUILDS) {
    if (build !== undefined && build !== name) {
      continue;
    }
    if (!SHIPPED_BUILDS.includes(name)) {
      continue;
    }
    if (threaded && threads === 1) {
      reasons.push(`${name}: one thread was asked for.`);
    } else if (threaded && !features.sharedMemory) {
      reasons.push(`${name}: memory cannot be shared here (the page is not cross-origin isolated).`);
    } else if (fused && !features.relaxedSimd) {
      reasons.push(`${name}: no relaxed SIMD here, so products and sums round separately.`);
    } else {
      candidates.push(name);
    }
  }
  return { candidates, reasons };
}

/**
 * The builds that this browser uses, with and without threads: what to have at hand when there is no network.
 * @param {ReturnType<typeof detectFeatures>} features
 */
export function buildsToKeep({ relaxedSimd }) {
  const used = BUILDS.filter(({ name, fused }) => SHIPPED_BUILDS.includes(name) && fused === relaxedSimd);
  return used.map(({ name }) => name);
}

/**
 * Starts the fastest build that runs here and computes rightly.
 * @param {object} options
 * @param {string} options.wasmUrl        folder of the builds, ending in a slash
 * @param {string} [options.build]        this build and no other
 * @param {number} [options.threads]      at most so many
 * @returns {Promise<Engine>}
 * @throws {LabError} NO_ENGINE, whose message lists why each build was refused
 */
export async function openEngine({ wasmUrl, build, threads }) {
  const features = detectFeatures();
  if (!features.simd) {
    throw noEngine('WebAssembly SIMD is missing in this browser; a newer version has it.');
  }
  const { candidates, reasons } = chooseBuilds(features, { build, threads });
  for (const name of candidates) {
    try {
      const module = await instantiate(new URL(`engine-${name}.mjs`, wasmUrl).href);
      const engine = new Engine(module, name);
      engine.status('gd_self_check');
      engine.info.reasons = [...reasons, `${name}: runs here, and its self-check passed.`];
      return engine;
    } catch (error) {
      reasons.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  throw noEngine(reasons.join(' ') || `There is no build named ${build}.`);
}

/** @param {string} reasons */
function noEngine(reasons) {
  return new LabError({ code: 'NO_ENGINE', message: `No engine runs here. ${reasons}` });
}

/**
 * @param {string} url   of the glue
 * @returns {Promise<Module>}
 */
export async function instantiate(url) {
  const glue = await import(url);
  return glue.default();
}

/** One instance of the C library, and the only way to call it. */
export class Engine {
  #module;
  #decoder = new TextDecoder();

  /**
   * @param {Module} module
   * @param {string} build
   */
  constructor(module, build) {
    this.#module = module;
    const abi = module._gd_abi_version();
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
    return this.#module[`_${name}`](...args);
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
    const memory = this.#memory();
    // A copy: decoders refuse shared memory.
    return this.#decoder.decode(memory.slice(address, memory.indexOf(0, address)));
  }

  /**
   * @param {number} address
   * @param {ArrayLike<number>} bytes
   */
  write(address, bytes) {
    this.#memory().set(bytes, address);
  }

  /**
   * @param {number} address   8-byte aligned
   * @param {number[]} values
   */
  writeF64(address, values) {
    new Float64Array(this.#buffer(), address, values.length).set(values);
  }

  /**
   * @param {number} address   4-byte aligned
   * @param {ArrayLike<number>} values
   */
  writeF32(address, values) {
    new Float32Array(this.#buffer(), address, values.length).set(values);
  }

  /**
   * @param {number} address   4-byte aligned
   * @param {ArrayLike<number>} values
   */
  writeU32(address, values) {
    new Uint32Array(this.#buffer(), address, values.length).set(values);
  }

  /** @param {number} address @param {number} n @returns {Uint8Array<ArrayBuffer>} a copy */
  copyU8(address, n) {
    return new Uint8Array(new Uint8Array(this.#buffer(), address, n));
  }

  /** @param {number} address @param {number} n @returns {Uint32Array<ArrayBuffer>} a copy */
  copyU32(address, n) {
    return new Uint32Array(new Uint32Array(this.#buffer(), address, n));
  }

  /** @param {number} address @param {number} n @returns {Float32Array<ArrayBuffer>} a copy */
  copyF32(address, n) {
    return new Float32Array(new Float32Array(this.#buffer(), address, n));
  }

  /** @param {number} address @param {number} n @returns {Float64Array<ArrayBuffer>} a copy */
  copyF64(address, n) {
    return new Float64Array(new Float64Array(this.#buffer(), address, n));
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
    return this.#buffer().byteLength;
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

  /** Emscripten renews HEAPU8 whenever memory has grown: ask for it each time. */
  #memory() {
    return this.#module.HEAPU8;
  }

  #buffer() {
    return this.#module.HEAPU8.buffer;
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
