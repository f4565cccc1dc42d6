// Loads a split three ways, each right after the other.

import { answerCalls } from './caller.js';
import { Dataset, httpSource, LAB_URLS, openEngine } from './lab-modules.js';

const engine = await openEngine({ wasmUrl: LAB_URLS.wasm, threads: 1 });
const source = httpSource(LAB_URLS.dataset);

/** @param {() => Promise<unknown>} work @returns {Promise<number>} seconds */
async function timed(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/**
 * From the manifest to checked images in the engine's memory.
 * @param {string} split
 * @param {'stream'|'zlib'} inflate
 */
async function loadVerified(split, inflate) {
  const { handle } = await new Dataset(engine, source, { inflate }).load(split);
  return () => engine.status('gd_split_close', handle);
}

/** What the browser needs for the bytes alone. @param {string} split */
async function loadBare(split) {
  const { body } = await fetch(`${LAB_URLS.dataset}${split}.bin.gz`);
  const reader = /** @type {ReadableStream} */ (body).pipeThrough(new DecompressionStream('gzip')).getReader();
  for (let result = await reader.read(); !result.done; result = await reader.read()) {
    // The bytes are there; nothing is done with them.
  }
}

answerCalls({
  async sample(/** @type {string} */ split) {
    /** @type {Record<string, number>} */
    const seconds = {};
    for (const inflate of /** @type {const} */ (['stream', 'zlib'])) {
      let close = () => 0;
      seconds[inflate] = await timed(async () => {
        close = await loadVerified(split, inflate);
      });
      close();
    }
    seconds.bare = await timed(() => loadBare(split));
    return seconds;
  },
});
