// The native program as a contestant: it answers the same calls as a tab.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import process from 'node:process';

import { FILES } from './folders.mjs';
import { measure, traceLosses } from './page/measure.js';

/** @typedef {import('./page/measure.js').Amount} Amount */

/**
 * @param {number[]} widths
 * @param {string} coreType   whose kernels OpenBLAS is to take: its name for a processor
 */
export async function openNative(widths, coreType) {
  const child = spawn(FILES.native, [FILES.trainingImages, ...widths.map(String)], {
    env: { ...process.env, OPENBLAS_CORETYPE: coreType, OPENBLAS_NUM_THREADS: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { done, value } = await lines.next();
    if (done) {
      throw new Error('the native program has ended');
    }
    return value;
  };
  const about = `OpenBLAS, ${await nextLine()} kernels`;
  const contestant = {
    about,
    async train(/** @type {number} */ nMinibatches) {
      child.stdin.write(`${nMinibatches}\n`);
      const [nImages, seconds, loss] = (await nextLine()).split(' ').map(Number);
      return { nImages: Number(nImages), seconds: Number(seconds), loss: Number(loss) };
    },
  };
  return {
    about,
    traceLosses: (/** @type {number} */ n) => traceLosses(contestant, n),
    measure: (/** @type {Amount} */ atLeast) => measure(contestant, null, atLeast),
    close: async () => void child.kill(),
  };
}
