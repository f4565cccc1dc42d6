// Runs kernels of wasm/kernels.c in short slices, the core's peak before and after each.

import { answerCalls } from './caller.js';
import { fetchBytes, N_PIXELS } from './images.js';
import { Peak } from './peak.js';
import { BATCH } from './protocol.js';
import { median } from './statistics.js';

/** Operations a second: of a kernel and of the core. @typedef {{rate: number, peak: import('./peak.js').Rates}} Window */

/** By their numbers in kernels.c. */
const KERNELS = ['forward', 'inputGradient', 'weightGradient', 'firstForward', 'firstWeightGradient'];
const SLICE_SECONDS = 0.001;
const N_SLICES = 31;
/** Runs before the first slice: many short ones, until the engine has compiled them well. */
const WARM_UP_SECONDS = 0.1;

const [peak, { pixels }] = await Promise.all([Peak.open(SLICE_SECONDS), fetchBytes()]);
/** @type {Map<string, Promise<any>>} */
const modules = new Map();

/** @param {string} numerics @returns {Promise<any>} the module's exports, with images in it */
async function instantiate(numerics) {
  const { instance } = await WebAssembly.instantiateStreaming(fetch(`/wasm/kernels-${numerics}.wasm`));
  const { memory, kernels_pixels: pixelsAddress } = /** @type {any} */ (instance.exports);
  new Uint8Array(memory.buffer, pixelsAddress(), BATCH * N_PIXELS).set(pixels.subarray(0, BATCH * N_PIXELS));
  return instance.exports;
}

/** @param {string} numerics @returns {Promise<any>} */
function moduleOf(numerics) {
  const present = modules.get(numerics) ?? instantiate(numerics);
  modules.set(numerics, present);
  return present;
}

answerCalls({
  /** @param {{numerics: string, nIn: number, nOut: number, kernel: string}} setting @returns {Promise<Window>} */
  async measure({ numerics, nIn, nOut, kernel }) {
    const module = await moduleOf(numerics);
    const number = KERNELS.indexOf(kernel);
    if (module.kernels_open(nIn, nOut, Number(kernel.startsWith('first'))) === 0) {
      throw new Error(`no room for a layer ${nIn} → ${nOut}`);
    }
    const timed = (/** @type {number} */ n) => {
      const start = performance.now();
      module.kernels_run(number, n);
      return (performance.now() - start) / 1000;
    };
    let fastest = Infinity;
    for (let spent = 0; spent < WARM_UP_SECONDS; ) {
      const seconds = timed(1);
      fastest = Math.min(fastest, Math.max(seconds, 1e-6));
      spent += seconds;
    }
    const n = Math.ceil(SLICE_SECONDS / fastest);
    const flops = n * 2 * BATCH * nIn * nOut;
    // Medians of both: a slice that was interrupted does not count.
    const rates = [];
    const peaks = [peak.slice()];
    for (let i = 0; i < N_SLICES; i++) {
      rates.push(flops / timed(n));
      peaks.push(peak.slice());
    }
    return {
      rate: median(rates),
      peak: { fused: median(peaks.map((each) => each.fused)), mulAdd: median(peaks.map((each) => each.mulAdd)) },
    };
  },
});
