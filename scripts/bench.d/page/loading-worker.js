// Loads a split in several ways, each right after the other.

import { answerCalls } from './caller.js';
import { Dataset, Downloads, httpSource, LAB_URLS, openEngine } from './lab-modules.js';

const source = httpSource(LAB_URLS.dataset);
const downloads = new Downloads(source); // keeps the manifest: the page has it before Train is clicked

/** As the page opens it, and as a page that is not isolated does. */
const engines = {
  page: await openEngine({ wasmUrl: LAB_URLS.wasm }),
  alone: await openEngine({ wasmUrl: LAB_URLS.wasm, threads: 1 }),
};

/** @param {() => Promise<unknown>} work @returns {Promise<number>} seconds */
async function timed(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/**
 * From the manifest to checked images in the engine's memory.
 * @param {import('../../../web/engine.js').Engine} engine
 * @param {string} split
 * @param {'stream'|'zlib'} inflate
 */
async function loadVerified(engine, split, inflate) {
  const { handle } = await new Dataset(engine, source, { inflate, downloads }).load(split);
  return () => engine.status('gd_split_close', handle);
}

/**
 * What the browser needs for the bytes alone, one after the other into memory that is there.
 * @param {string} split
 * @param {Uint8Array} room
 */
async function loadBare(split, room) {
  const { body } = await fetch(`${LAB_URLS.dataset}${split}.bin.gz`);
  const reader = /** @type {ReadableStream} */ (body).pipeThrough(new DecompressionStream('gzip')).getReader();
  let at = 0;
  for (let result = await reader.read(); !result.done; result = await reader.read()) {
    room.set(result.value, at);
    at += result.value.length;
  }
}

answerCalls({
  async sample(/** @type {string} */ split) {
    const room = new Uint8Array((await downloads.expectation(split, false)).bytes).fill(1);
    /** @type {Record<string, number>} */
    const seconds = {};
    for (const [name, engine] of Object.entries(engines)) {
      for (const inflate of /** @type {const} */ (['zlib', 'stream'])) {
        let close = () => 0;
        seconds[`${inflate} ${name}`] = await timed(async () => {
          close = await loadVerified(engine, split, inflate);
        });
        close();
      }
    }
    seconds.bare = await timed(() => loadBare(split, room));
    return seconds;
  },
});
