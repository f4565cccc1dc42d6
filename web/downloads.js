// What is on its way from a source: the manifest, and bodies that were asked for before an engine could take them in.

import { LabError } from './fault.js';
import { parseManifest } from './manifest.js';
import { readText } from './source.js';

/** @typedef {import('./manifest.js').Manifest} Manifest */
/** @typedef {import('./manifest.js').ManifestSplit} ManifestSplit */
/** @typedef {import('./source.js').Source} Source */
/** @typedef {import('./source.js').SourceOptions} SourceOptions */
/** @typedef {{body: Promise<ReadableStream<Uint8Array>>, controller: AbortController}} Begun */

const MANIFEST = 'manifest.json';

/** The downloads of one source. */
export class Downloads {
  #source;
  /** @type {Promise<Manifest>|undefined} */
  #manifest;
  /** Bodies that nobody has opened yet, by split. @type {Map<string, Begun>} */
  #begun = new Map();

  /** @param {Source} source */
  constructor(source) {
    this.#source = source;
  }

  /**
   * The manifest, fetched once. It is short and for all loads, so none of them ends it.
   * @param {boolean} fresh   fetch it again
   * @returns {Promise<Manifest>}
   */
  manifest(fresh) {
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
    return this.#manifest;
  }

  /**
   * What the manifest says of a split.
   * @param {string} split
   * @param {boolean} fresh
   * @returns {Promise<ManifestSplit>}
   */
  async expectation(split, fresh) {
    const expected = (await this.manifest(fresh)).splits[split];
    if (expected === undefined) {
      throw new LabError({ code: 'BAD_MANIFEST', message: `The manifest lists no split ${split}.`, subject: split });
    }
    return expected;
  }

  /**
   * Asks for splits that will be opened soon.
   * @param {string[]} splits
   */
  begin(splits) {
    for (const split of splits.filter((name) => !this.#begun.has(name))) {
      const controller = new AbortController();
      const { signal } = controller;
      const body = this.expectation(split, false).then(({ gzipFile }) => this.#source(gzipFile, { fresh: false, signal }));
      body.catch(() => {}); // whoever opens it hears of it
      this.#begun.set(split, { body, controller });
    }
  }

  /**
   * Opens a split's body, on its way or asked for now.
   * @param {string} split
   * @param {string} file   of it
   * @param {SourceOptions & {signal: AbortSignal}} options   signal: not aborted yet
   * @returns {Promise<ReadableStream<Uint8Array>>}
   */
  async open(split, file, { fresh, signal }) {
    const begun = this.#begun.get(split);
    this.#begun.delete(split);
    if (begun === undefined || fresh) {
      return this.#source(file, { fresh, signal });
    }
    signal.addEventListener('abort', () => begun.controller.abort());
    return begun.body;
  }
}
