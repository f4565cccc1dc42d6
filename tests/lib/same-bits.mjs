// Runs whose weights are recorded: what every engine must arrive at, on any number of threads, natively too.

/** @typedef {import('../../web/types.js').ConfigInput} ConfigInput */

/**
 * @typedef {object} Recorded
 * @property {string} about
 * @property {ConfigInput} config
 * @property {Record<string, string>} weightsSHA256   of the final weights, by numerics
 */

/** @type {Recorded[]} */
export const RECORDED = [
  {
    about: 'small, branches dropped',
    config: { preset: 'small', trainN: 1000, epochs: 3, batch: 64, lr: 0.05, p: 0.5, mask: 11, seed: 201 },
    weightsSHA256: {
      'mul-add': '241abccfee058c740282882c9fa7127b8d82dc03cc3f785da37471416ec3a563',
      fused: '0268f3c60749ec2fe3a0c4252a12763780c6cb20d212cf00486cac0841dc12e8',
    },
  },
  {
    about: 'full, its minibatches in parts',
    config: { preset: 'full', trainN: 100, epochs: 1, batch: 64, lr: 0.02, p: 0.25, mask: 4, seed: 7 },
    weightsSHA256: {
      'mul-add': 'c385e9358ab47e441b23602d4f8fbd38230a3caa38a3ea27a4f7e58ab3b07f2c',
      fused: 'd4f27f780bfdc2daf22c5004719667c17271ae2f1812cb36f4ac1a8f47946895',
    },
  },
];
