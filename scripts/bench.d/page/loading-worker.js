// Loads a split in several ways, each right after the other.

import { answerCalls } from './caller.js';
import { Dataset, httpSource, LAB_URLS, openEngine } from './lab-modules.js';

/** As the page opens it, and as a page that is not isolated does. */
const engines = {
  page: await openEngine({ wasmUrl: LAB_URLS.wasm }),
  alone: await openEngine({ wasmUrl: LAB_URLS.wasm, threads: 1 }),
};

const INFLATES = /** @type {const} */ (['zlib', 'stream']);

const ways = Object.entries(engines).flatMap(([name, engine]) => INFLATES.map((inflate) => {
  const dataset = new Dataset(engine, httpSource(LAB_URLS.dataset), { inflate });
  return { name: `${inflate} ${name}`, engine, dataset };
}));

/** @param {() => Promise<unknown>} work @returns {Promise<number>} seconds */
async function timed(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
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
    // The manifest is at hand, as it is in the page before Train is clicked.
    const [{ bytes }] = await Promise.all(ways.map(({ dataset }) => dataset.expectation(split, false)));
    const room = new Uint8Array(bytes).fill(1);
    /** @type {Record<string, number>} */
    const seconds = {};
    for (const { name, engine, dataset } of ways) {
      let handle = 0;
      seconds[name] = await timed(async () => {
        ({ handle } = await dataset.load(split));
      });
      engine.status('gd_split_close', handle);
    }
    seconds.bare = await timed(() => loadBare(split, room));
    return seconds;
  },
});
