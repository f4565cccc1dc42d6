// Fetches splits from a source, as its manifest tells of them; arrival.js takes them into the engine's memory.

import { Arrival } from './arrival.js';
import { LabError, stopped, unlessAborted } from './fault.js';
import { parseManifest } from './manifest.js';
import { readText } from './source.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./manifest.js').Manifest} Manifest */
/** @typedef {import('./manifest.js').ManifestSplit} ManifestSplit */
/** @typedef {import('./source.js').Source} Source */
/** @typedef {import('./types.js').DownloadProgress} DownloadProgress */
/** @typedef {import('./types.js').SplitAudit} SplitAudit */
/**
 * @typedef {object} LoadOptions
 * @property {AbortSignal} [signal]
 * @property {(progress: DownloadProgress) => void} [onProgress]
 * @property {Promise<unknown>} [turn]   what is fetched waits for it before it is taken in
 */
/** @typedef {{handle: number, audit: SplitAudit}} LoadedSplit */

const MANIFEST = 'manifest.json';

/** Faults of the way, of the engine or of the asker, not of the content: a second answer would not differ. */
const NOT_WORTH_A_RETRY = ['NETWORK', 'HTTP_STATUS', 'STOPPED', 'OUT_OF_MEMORY', 'NO_ENGINE', 'UNKNOWN'];

/** The splits of one source. */
export class Dataset {
  #engine;
  #source;
  /** @type {'stream'|'zlib'} */
  #inflate;
  /** @type {Promise<Manifest>|undefined} */
  #manifest;

  /**
   * @param {Engine|Promise<Engine>} engine   where it still starts, the downloads begin meanwhile
   * @param {Source} source
   * @param {{inflate?: 'auto'|'stream'|'zlib'}} [options]
   */
  constructor(engine, source, { inflate } = {}) {
    this.#engine = engine;
    this.#source = source;
    // DecompressionStream takes longer for its chunks alone than zlib does, and makes one more copy of them.
    this.#inflate = inflate === 'stream' ? 'stream' : 'zlib';
  }

  /**
   * Fetches a split and verifies it. Content that is wrong is fetched once more past the caches.
   * @param {string} split
   * @param {LoadOptions} [options]
   * @returns {Promise<LoadedSplit>} the caller closes the handle
   * @throws {LabError}
   */
  async load(split, options = {}) {
    try {
      return await this.#attempt(split, false, options);
    } catch (error) {
      if (!(error instanceof LabError) || NOT_WORTH_A_RETRY.includes(error.code)) {
        throw error;
      }
    }
    return this.#attempt(split, true, options);
  }

  /**
   * What the manifest says of a split. The manifest is short and for all loads, so none of them ends it.
   * @param {string} split
   * @param {boolean} fresh   fetch it again
   * @returns {Promise<ManifestSplit>}
   */
  async expectation(split, fresh) {
    if (this.#manifest === undefined || fresh) {
      const manifest = this.#source(MANIFEST, { fresh })
        .then((stream) => readText(stream, MANIFEST))
        .then(parseManifest);
      manifest.catch(() => {
        if (this.#manifest === manifest) {
          this.#manifest = undefined; // the next load asks again
        }
      });
      this.#manifest = manifest;
    }
    const expected = (await this.#manifest).splits[split];
    if (expected === undefined) {
      throw new LabError({ code: 'BAD_MANIFEST', message: `The manifest lists no split ${split}.`, subject: split });
    }
    return expected;
  }

  /**
   * @param {string} split
   * @param {boolean} fresh
   * @param {LoadOptions} options
   * @returns {Promise<LoadedSplit>}
   */
  async #attempt(split, fresh, { signal, onProgress = () => {}, turn }) {
    const started = performance.now();
    // A controller of its own, so that a fault found in the middle ends the download too.
    const controller = new AbortController();
    const onAbort = () => controller.abort();
    signal?.addEventListener('abort', onAbort);
    try {
      const expected = await unlessAborted(this.expectation(split, fresh), signal);
      const body = await this.#source(expected.gzipFile, { fresh, signal: controller.signal });
      const engine = await this.#engine;
      await unlessAborted(Promise.resolve(turn), signal);
      const arrival = new Arrival(engine, expected, this.#inflate, (receivedBytes, totalBytes) =>
        onProgress({ split, receivedBytes, totalBytes, retrying: fresh }),
      );
      const { handle } = arrival;
      await arrival.take(body.getReader(), controller.signal);
      return {
        handle,
        audit: {
          split,
          nImages: engine.number('gd_split_n_images', handle),
          bytes: expected.bytes,
          receivedBytes: arrival.receivedBytes,
          wasGzip: arrival.wasGzip,
          route: arrival.route,
          retried: fresh,
          seconds: (performance.now() - started) / 1000,
          sha256: expected.sha256,
          checks: JSON.parse(engine.text(engine.pointer('gd_split_checks', handle))),
        },
      };
    } catch (error) {
      controller.abort();
      throw signal?.aborted ? stopped() : error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }
}
