// Part "kernels": not written yet.

/** @typedef {{preset: string, numerics: string, name: string, nIn: number, nOut: number, isHidden: boolean, gflops: number, ofPeak: number}} KernelResult */

/** @param {unknown} place @param {unknown} options @returns {Promise<KernelResult[]>} */
export async function measureKernels(place, { presets, nRounds }) {
  return [];
}
