// The core's own speed, taken in short slices between those of what is measured, on the same thread. What neighbours
// on the machine take away, they take from both.

const N_CHAINS = 12;
const FLOPS_A_STEP = N_CHAINS * 4 * 2;
const SLICE_SECONDS = 0.003;
const N_WARM_UP = 60;
/** peak.c takes so many steps at a time. */
const N_UNROLLED = 8;

/** Additions and products of floats a second. @typedef {{fused: number, mulAdd: number}} Rates */

const NAMES = ['peak_fused', 'peak_mul_add'];

/** The two numerics' best. */
export class Peak {
  #exports;
  #n = 200000; // half a millisecond, which the coarsest clock can tell
  /** @type {Record<string, {flops: number, seconds: number}>} */
  #totals = {};

  /**
   * @param {any} exports            of wasm/peak.c
   * @param {number} sliceSeconds   that each of the two takes in a slice
   */
  constructor(exports, sliceSeconds) {
    this.#exports = exports;
    // Short calls, so that the engine compiles them well; the slice's length is found on the way.
    const rates = Array.from({ length: N_WARM_UP }, () => this.slice().fused);
    const n = (sliceSeconds * Math.max(...rates)) / FLOPS_A_STEP;
    this.#n = N_UNROLLED * Math.ceil(n / N_UNROLLED);
    this.reset();
  }

  static async open(sliceSeconds = SLICE_SECONDS) {
    const { instance } = await WebAssembly.instantiateStreaming(fetch('/wasm/peak.wasm'));
    return new Peak(instance.exports, sliceSeconds);
  }

  reset() {
    this.#totals = {};
  }

  /** Measures both for a moment. @returns {Rates} of this moment */
  slice() {
    const [fused, mulAdd] = NAMES.map((name) => {
      const start = performance.now();
      this.#exports[name](this.#n, 0.999, 0.001);
      const seconds = (performance.now() - start) / 1000;
      const flops = this.#n * FLOPS_A_STEP;
      const total = this.#total(name);
      total.seconds += seconds;
      total.flops += flops;
      return flops / seconds;
    });
    return { fused, mulAdd };
  }

  /** @returns {Rates} over the slices since the last reset */
  rates() {
    const [fused, mulAdd] = NAMES.map((name) => {
      const { flops, seconds } = this.#total(name);
      return flops / seconds;
    });
    return { fused, mulAdd };
  }

  /** @param {string} name */
  #total(name) {
    return (this.#totals[name] ??= { flops: 0, seconds: 0 });
  }
}
