// Chooses a build of the engine that runs here, starts it, and has it prove that it computes rightly.

import { Engine } from './engine.js';
import { LabError } from './fault.js';
import { startInstance } from './instance.js';

/** @typedef {import('./instance.js').Platform} Platform */

/** Fastest first, each with what it needs. */
const BUILDS = [
  { name: 'fused-threads', fused: true, threaded: true },
  { name: 'fused', fused: true, threaded: false },
  { name: 'mul-add-threads', fused: false, threaded: true },
  { name: 'mul-add', fused: false, threaded: false },
];

export const BUILD_NAMES = BUILDS.map(({ name }) => name);

/** More threads than this are started only if they are asked for. */
const MAX_CORES = 8;

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

/**
 * What this browser (or Node) can run.
 * @typedef {object} Features
 * @property {boolean} simd
 * @property {boolean} relaxedSimd
 * @property {boolean} sharedMemory
 * @property {number} cores
 */

/** @returns {Features} */
export function detectFeatures() {
  const cores = globalThis.navigator?.hardwareConcurrency ?? 1;
  if (typeof WebAssembly === 'undefined') {
    return { simd: false, relaxedSimd: false, sharedMemory: false, cores };
  }
  const isNode = 'process' in globalThis;
  return {
    simd: WebAssembly.validate(SIMD_PROBE),
    relaxedSimd: WebAssembly.validate(RELAXED_SIMD_PROBE),
    // A threaded module never settles where shared memory is missing: ask before loading one.
    sharedMemory: typeof SharedArrayBuffer !== 'undefined' && (isNode || globalThis.crossOriginIsolated === true),
    cores,
  };
}

/**
 * The builds to try, in order, and a sentence for each that cannot run here.
 * @param {Features} features
 * @param {{build?: string, threads?: number}} wish
 * @returns {{candidates: string[], nThreads: number, reasons: string[]}} nThreads: of a build with threads
 */
export function chooseBuilds(features, { build, threads } = {}) {
  const reasons = [];
  const candidates = [];
  const nThreads = threads ?? Math.min(features.cores, MAX_CORES);
  for (const { name, fused, threaded } of BUILDS) {
    if (build !== undefined && build !== name) {
      continue;
    }
    if (threaded && threads === 1) {
      reasons.push(`${name}: one thread was asked for.`);
    } else if (threaded && nThreads < 2) {
      reasons.push(`${name}: this machine has one core.`);
    } else if (threaded && !features.sharedMemory) {
      reasons.push(`${name}: memory cannot be shared here (the page is not cross-origin isolated).`);
    } else if (fused && !features.relaxedSimd) {
      reasons.push(`${name}: no relaxed SIMD here, so products and sums round separately.`);
    } else {
      candidates.push(name);
    }
  }
  return { candidates, nThreads, reasons };
}

/**
 * The builds that this browser uses, with and without threads: what to have at hand when there is no network.
 * @param {Features} features
 */
export function buildsToKeep({ relaxedSimd }) {
  return BUILDS.filter(({ fused }) => fused === relaxedSimd).map(({ name }) => name);
}

/**
 * Starts the fastest build that runs here and computes rightly.
 * @param {object} options
 * @param {string} options.wasmUrl        folder of the builds, ending in a slash
 * @param {string} [options.build]        this build and no other
 * @param {number} [options.threads]      so many, whatever the machine has; default: its cores, as far as they help
 * @param {number} [options.cores]        of the machine, where the platform does not say
 * @param {number} [options.memoryBytes]  the engine's memory may grow to this
 * @param {Platform} [options.platform]   of a browser, unless given
 * @returns {Promise<Engine>}
 * @throws {LabError} NETWORK, HTTP_STATUS where its file cannot be had; NO_ENGINE, whose message lists why each build was refused
 */
export async function openEngine({ wasmUrl, build, threads, cores, ...options }) {
  const features = detectFeatures();
  if (!features.simd) {
    throw noEngine('WebAssembly SIMD is missing in this browser; a newer version has it.');
  }
  const wish = { build, threads };
  const { candidates, nThreads, reasons } = chooseBuilds({ ...features, cores: cores ?? features.cores }, wish);
  for (const name of candidates) {
    const n = isThreaded(name) ? nThreads : 1;
    try {
      const engine = await startBuild(wasmUrl, name, { nThreads: n, ...options });
      const found = n > 1 ? `runs here with ${n} threads` : 'runs here';
      engine.info.reasons = [...reasons, `${name}: ${found}, and its self-check passed.`];
      engine.threadCounts = threads === undefined ? halvesOf(n) : [n];
      return engine;
    } catch (error) {
      if (error instanceof LabError && ['NETWORK', 'HTTP_STATUS'].includes(error.code)) {
        throw error; // it says nothing of the build, and another one may compute other bits
      }
      reasons.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  throw noEngine(reasons.join(' ') || `There is no build named ${build}.`);
}

/** @param {string} name */
function isThreaded(name) {
  return BUILDS.some((build) => build.name === name && build.threaded);
}

/**
 * The numbers of threads worth trying. Machines whose cores are not all alike may do best with a half of them.
 * @param {number} n
 * @returns {number[]} n, its half, and so on to 1
 */
function halvesOf(n) {
  return n <= 1 ? [1] : [n, ...halvesOf(Math.floor(n / 2))];
}

/**
 * @param {string} wasmUrl
 * @param {string} name
 * @param {{nThreads: number, memoryBytes?: number, platform?: Platform}} options
 * @returns {Promise<Engine>}
 */
async function startBuild(wasmUrl, name, { nThreads, ...options }) {
  const url = new URL(`engine-${name}.wasm`, wasmUrl).href;
  const instance = await startInstance(url, { nWorkers: nThreads - 1, ...options });
  try {
    const engine = new Engine(instance, name);
    const ready = instance.readyWorkers();
    ready.catch(() => {}); // awaited below, if the check is passed
    engine.status('gd_self_check'); // alone, while the workers start: threads do the same sums, in the same order
    await ready;
    if (nThreads > 1) {
      engine.startThreads(nThreads);
    }
    return engine;
  } catch (error) {
    instance.close();
    throw error;
  }
}

/** @param {string} reasons */
function noEngine(reasons) {
  return new LabError({ code: 'NO_ENGINE', message: `No engine runs here. ${reasons}` });
}
