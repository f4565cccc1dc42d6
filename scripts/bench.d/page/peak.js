// The core's own speed, taken in short slices between those of what is measured, on the same thread. What neighbours
// on the machine take away, they take from both.

const N_CHAINS = 12;
const FLOPS_A_STEP = N_CHAINS * 4 * 2;
const SLICE_SECONDS = 0.003;
const N_WARM_UP = 60;

/** The two numerics' best: additions and products of floats a second. */
export class Peak {
  #exports;
  #n = 20000;
  /** @type {Record<string, {flops: number, seconds: number}>} */
  #totals = {};

  /** @param {any} exports   of wasm/peak.c */
  constructor(exports) {
    this.#exports = exports;
    // Short calls, so that the engine compiles them well; the slice's length is found on the way.
    for (let i = 0; i < N_WARM_UP; i++) {
      this.slice();
    }
    const { flops, seconds } = this.#total('peak_fused');
    this.#n = Math.round((SLICE_SECONDS * (flops / seconds)) / FLOPS_A_STEP);
    this.reset();
  }

  static async open() {
    const { instance } = await WebAssembly.instantiateStreaming(fetch('/wasm/peak.wasm'));
    return new Peak(instance.exports);
  }

  reset() {
    this.#totals = {};
  }

  /** Measures both for a moment. */
  slice() {
    for (const name of ['peak_fused', 'peak_mul_add']) {
      const start = performance.now();
      this.#exports[name](this.#n, 0.999, 0.001);
      const total = this.#total(name);
      total.seconds += (performance.now() - start) / 1000;
      total.flops += this.#n * FLOPS_A_STEP;
    }
  }

  /** @returns {{fused: number, mulAdd: number}} operations a second, over the slices since the last reset */
  rates() {
    const [fused, mulAdd] = ['peak_fused', 'peak_mul_add'].map((name) => {
      const { flops, seconds } = this.#total(name);
      return flops / seconds;
    });
    return { fused: Number(fused), mulAdd: Number(mulAdd) };
  }

  /** @param {string} name */
  #total(name) {
    return (this.#totals[name] ??= { flops: 0, seconds: 0 });
  }
}
