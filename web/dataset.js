// Brings one split from a source into the engine's memory, verified as it arrives. See README.md for the way of the
// data, src/dataset/split.h for the checks.

import { Downloads } from './downloads.js';
import { LabError, stopped, unlessAborted } from './fault.js';
import { writeExpectation } from './manifest.js';
import { answerOf } from './source.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./manifest.js').ManifestSplit} ManifestSplit */
/** @typedef {import('./source.js').Source} Source */
/** @typedef {import('./types.js').DownloadProgress} DownloadProgress */
/** @typedef {import('./types.js').SplitAudit} SplitAudit */
/** @typedef {{signal?: AbortSignal, onProgress?: (progress: DownloadProgress) => void}} LoadOptions */
/** @typedef {{handle: number, audit: SplitAudit}} LoadedSplit */
/** @typedef {ReadableStreamDefaultReader<Uint8Array>} Reader */

const MAGIC = 'GDMNIST1';

/** Compressed bytes go through a block of this size on their way past the hash. */
const BLOCK_BYTES = 64 * 1024;

/** Faults of the way or of the asker, not of the content: a second answer would not differ. */
const NOT_WORTH_A_RETRY = ['NETWORK', 'HTTP_STATUS', 'STOPPED', 'OUT_OF_MEMORY', 'UNKNOWN'];

/** The splits of one source. */
export class Dataset {
  #engine;
  #downloads;
  /** @type {'stream'|'zlib'} */
  #inflate;

  /**
   * @param {Engine} engine
   * @param {Source} source
   * @param {{inflate?: 'auto'|'stream'|'zlib', downloads?: Downloads}} [options]   downloads: of that source, some
   *     perhaps begun already
   */
  constructor(engine, source, { inflate = 'auto', downloads = new Downloads(source) } = {}) {
    this.#engine = engine;
    this.#downloads = downloads;
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
      if (options.signal?.aborted) {
        throw stopped();
      }
      if (!(error instanceof LabError) || NOT_WORTH_A_RETRY.includes(error.code)) {
        throw error;
      }
    }
    return this.#attempt(split, true, options);
  }

  /**
   * @param {string} split
   * @param {boolean} fresh
   * @param {LoadOptions} options
   * @returns {Promise<LoadedSplit>}
   */
  async #attempt(split, fresh, { signal, onProgress = () => {} }) {
    const started = performance.now();
    const expected = await unlessAborted(this.#downloads.expectation(split, fresh), signal);
    writeExpectation(this.#engine, expected);
    const handle = this.#engine.status('gd_split_open');
    const arrival = new Arrival(this.#engine, handle, expected, this.#inflate, (receivedBytes, totalBytes) =>
      onProgress({ split, receivedBytes, totalBytes, retrying: fresh }),
    );
    // A controller of its own, so that a fault found in the middle ends the download too.
    const controller = new AbortController();
    const onAbort = () => controller.abort();
    signal?.addEventListener('abort', onAbort);
    try {
      const stream = await this.#downloads.open(split, expected.gzipFile, { fresh, signal: controller.signal });
      await arrival.take(stream.getReader(), controller.signal);
    } catch (error) {
      controller.abort();
      this.#engine.status('gd_split_close', handle);
      throw signal?.aborted ? stopped() : error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
    return {
      handle,
      audit: {
        split,
        nImages: this.#engine.number('gd_split_n_images', handle),
        bytes: expected.bytes,
        receivedBytes: arrival.receivedBytes,
        wasGzip: arrival.wasGzip,
        route: arrival.route,
        retried: fresh,
        seconds: (performance.now() - started) / 1000,
        sha256: expected.sha256,
        checks: JSON.parse(this.#engine.text(this.#engine.pointer('gd_split_checks', handle))),
      },
    };
  }
}

/** One body on its way into one open split. */
class Arrival {
  /** It cannot be decompressed. The rest is still hashed: the checks at the end tell what is wrong with the file. */
  #isDamaged = false;
  #engine;
  #handle;
  #expected;
  #inflate;
  #onBytes;

  /**
   * @param {Engine} engine
   * @param {number} handle
   * @param {ManifestSplit} expected
   * @param {'stream'|'zlib'} inflate
   * @param {(receivedBytes: number, totalBytes: number) => void} onBytes
   */
  constructor(engine, handle, expected, inflate, onBytes) {
    this.#engine = engine;
    this.#handle = handle;
    this.#expected = expected;
    this.#inflate = inflate;
    this.#onBytes = onBytes;
    this.receivedBytes = 0;
    this.wasGzip = false;
    this.route = '';
  }

  /**
   * @param {Reader} network
   * @param {AbortSignal} signal
   */
  async take(network, signal) {
    const cancel = () => {
      network.cancel().catch(() => {}); // ends a read that waits; no effect after the last byte
    };
    signal.addEventListener('abort', cancel);
    try {
      await this.#takeAll(network, signal);
    } finally {
      signal.removeEventListener('abort', cancel);
      cancel();
    }
    this.#engine.status('gd_split_finish', this.#handle, this.wasGzip ? 1 : 0);
  }

  /**
   * @param {Reader} network
   * @param {AbortSignal} signal
   */
  async #takeAll(network, signal) {
    const body = chunksOf(network, this.#expected.gzipFile, signal);
    const start = await firstBytes(body, MAGIC.length);
    if (start[0] === 0x1f && start[1] === 0x8b) {
      this.wasGzip = true;
      await (this.#inflate === 'zlib' ? this.#takeByZlib(start, body) : this.#takeByStream(start, body));
    } else if (asciiOf(start.subarray(0, MAGIC.length)) === MAGIC) {
      this.route = 'already decoded';
      for await (const chunk of prepended(start, body)) {
        this.#count(chunk, this.#expected.bytes);
        this.#append(chunk);
      }
    } else {
      throw notASplit(this.#expected.gzipFile, start);
    }
  }

  /**
   * @param {Uint8Array} start
   * @param {AsyncGenerator<Uint8Array>} body
   */
  async #takeByStream(start, body) {
    this.route = 'DecompressionStream';
    const { readable, writable } = new DecompressionStream('gzip');
    const writer = writable.getWriter();
    const reader = readable.getReader();
    const onDamage = () => {
      this.#isDamaged = true;
    };

    const feed = async () => {
      for await (const chunk of prepended(start, body)) {
        this.#passCompressed(chunk, () => {});
        if (!this.#isDamaged) {
          await writer.write(/** @type {Uint8Array<ArrayBuffer>} */ (chunk)).catch(onDamage);
        }
      }
      await writer.close().catch(onDamage);
    };
    const drain = async () => {
      for (;;) {
        const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
        if (done || value === undefined) {
          return;
        }
        this.#append(value);
      }
    };
    try {
      await Promise.all([feed(), drain()]);
    } catch (error) {
      // The half that is still at work would otherwise wait for the other for ever.
      await Promise.allSettled([writer.abort(error), reader.cancel(error)]);
      throw error;
    }
  }

  /**
   * @param {Uint8Array} start
   * @param {AsyncGenerator<Uint8Array>} body
   */
  async #takeByZlib(start, body) {
    this.route = 'zlib';
    for await (const chunk of prepended(start, body)) {
      this.#passCompressed(chunk, (address, n) => {
        if (!this.#isDamaged) {
          this.#inflateBlock(address, n);
        }
      });
    }
  }

  /**
   * @param {number} address
   * @param {number} n
   */
  #inflateBlock(address, n) {
    try {
      this.#engine.status('gd_split_inflate', this.#handle, address, n);
    } catch (error) {
      if (error instanceof LabError && error.code === 'TOO_LONG') {
        throw error;
      }
      this.#isDamaged = true;
    }
  }

  /**
   * Hashes a compressed chunk, in blocks inside the engine's memory.
   * @param {Uint8Array} chunk
   * @param {(address: number, n: number) => void} then   what else is done with each block
   */
  #passCompressed(chunk, then) {
    this.#count(chunk, this.#expected.gzipBytes);
    this.#engine.withRoom(BLOCK_BYTES, (address) => {
      for (let at = 0; at < chunk.length; at += BLOCK_BYTES) {
        const block = chunk.subarray(at, at + BLOCK_BYTES);
        this.#engine.write(address, block);
        this.#engine.status('gd_split_gzip_hash', this.#handle, address, block.length);
        then(address, block.length);
      }
    });
  }

  /**
   * Puts a decoded chunk at its final place; one that is too long is only told, which refuses it.
   * @param {Uint8Array} chunk
   */
  #append(chunk) {
    if (chunk.length <= this.#engine.number('gd_split_room_bytes', this.#handle)) {
      this.#engine.write(this.#engine.pointer('gd_split_room', this.#handle), chunk);
    }
    this.#engine.status('gd_split_append', this.#handle, chunk.length);
  }

  /**
   * @param {Uint8Array} chunk
   * @param {number} totalBytes
   */
  #count(chunk, totalBytes) {
    this.receivedBytes += chunk.length;
    this.#onBytes(this.receivedBytes, totalBytes);
  }
}

/**
 * The chunks of a body.
 * @param {Reader} network
 * @param {string} name
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Uint8Array>}
 */
async function* chunksOf(network, name, signal) {
  for (;;) {
    const { done, value } = await answerOf(name, network.read());
    if (signal.aborted) {
      throw stopped();
    }
    if (done) {
      return;
    }
    yield value;
  }
}

/**
 * Reads chunks until there are n bytes, or the body ends.
 * @param {AsyncGenerator<Uint8Array>} body
 * @param {number} n
 */
async function firstBytes(body, n) {
  let start = new Uint8Array(0);
  while (start.length < n) {
    const { done, value } = await body.next();
    if (done) {
      break;
    }
    const longer = new Uint8Array(start.length + value.length);
    longer.set(start);
    longer.set(value, start.length);
    start = longer;
  }
  return start;
}

/**
 * @param {Uint8Array} start
 * @param {AsyncGenerator<Uint8Array>} body
 */
async function* prepended(start, body) {
  yield start;
  yield* body;
}

/** @param {Uint8Array} bytes */
function asciiOf(bytes) {
  return String.fromCharCode(...bytes);
}

/**
 * @param {string} name
 * @param {Uint8Array} start
 */
function notASplit(name, start) {
  const some = start.subarray(0, 16);
  const isText = some.every((byte) => byte >= 0x20 && byte < 0x7f);
  const hex = [...some].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const found = some.length === 0 ? 'nothing' : isText ? `"${asciiOf(some)}"` : hex;
  return new LabError({
    code: 'NOT_A_SPLIT',
    message: `${name} is neither gzip (1f 8b) nor a decoded split (${MAGIC}); it starts with ${found}.`,
    subject: name,
    expected: `1f 8b or ${MAGIC}`,
    found,
    offset: 0,
  });
}
