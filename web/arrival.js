// A split's body on its way into the engine's memory: hashed, decompressed, checked. See README.md for the way of the data,
// src/dataset/split.h for the checks.

import { LabError, stopped } from './fault.js';
import { writeExpectation } from './manifest.js';
import { breathe } from './pace.js';
import { answerOf } from './source.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./manifest.js').ManifestSplit} ManifestSplit */
/** @typedef {ReadableStreamDefaultReader<Uint8Array>} Reader */

const MAGIC = 'GDMNIST1';

/** Compressed bytes go through a block of this size on their way past the hash. */
const BLOCK_BYTES = 64 * 1024;

/** One body on its way into one split, opened for it. */
export class Arrival {
  /** It cannot be decompressed. The rest is still hashed: the checks at the end tell what is wrong with the file. */
  #isDamaged = false;
  #engine;
  #expected;
  #inflate;
  #onBytes;

  /**
   * @param {Engine} engine
   * @param {ManifestSplit} expected
   * @param {'stream'|'zlib'} inflate
   * @param {(receivedBytes: number, totalBytes: number) => void} onBytes
   */
  constructor(engine, expected, inflate, onBytes) {
    writeExpectation(engine, expected);
    this.handle = engine.status('gd_split_open');
    this.#engine = engine;
    this.#expected = expected;
    this.#inflate = inflate;
    this.#onBytes = onBytes;
    this.receivedBytes = 0;
    this.wasGzip = false;
    this.route = '';
  }

  /**
   * Takes the whole body in and checks it; closes the split if it is not good.
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
      this.#engine.status('gd_split_finish', this.handle, this.wasGzip ? 1 : 0);
    } catch (error) {
      this.#engine.status('gd_split_close', this.handle);
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
      cancel();
    }
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
      this.#engine.status('gd_split_inflate', this.handle, address, n);
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
        this.#engine.status('gd_split_gzip_hash', this.handle, address, block.length);
        then(address, block.length);
      }
    });
  }

  /**
   * Puts a decoded chunk at its final place; one that is too long is only told, which refuses it.
   * @param {Uint8Array} chunk
   */
  #append(chunk) {
    if (chunk.length <= this.#engine.number('gd_split_room_bytes', this.handle)) {
      this.#engine.write(this.#engine.pointer('gd_split_room', this.handle), chunk);
    }
    this.#engine.status('gd_split_append', this.handle, chunk.length);
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
    await breathe(); // chunks that are there already follow each other without letting a message in: a stop, or the run
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
