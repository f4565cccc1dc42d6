// The built dataset with mistakes made on purpose.

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../scripts/lib/node-session.mjs';

/** @typedef {import('../../web/source.js').Source} Source */
/** @typedef {{name: string, fresh: boolean}} Asked */

export const DATASET = path.join(ROOT, 'dist/dataset');

/**
 * A file of the built dataset.
 * @param {string} name
 * @returns {Uint8Array<ArrayBuffer>} a copy
 */
export function fileOf(name) {
  return new Uint8Array(readFileSync(path.join(DATASET, name)));
}

/** @returns {any} the manifest, a copy to be changed */
export function manifestOf() {
  return JSON.parse(new TextDecoder().decode(fileOf('manifest.json')));
}

/**
 * @param {any} value
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function jsonBytes(value) {
  return new TextEncoder().encode(JSON.stringify(value));
}

/**
 * @param {Uint8Array} bytes
 * @param {number} at
 * @returns {Uint8Array<ArrayBuffer>} a copy with one bit changed
 */
export function flipped(bytes, at) {
  const copy = new Uint8Array(bytes);
  copy[at] ^= 0x10;
  return copy;
}

/**
 * A source that serves the built dataset but for some files: bytes, or what is to be done for the n-th request.
 * @param {Record<string, Uint8Array | ((nth: number) => Uint8Array | ReadableStream<Uint8Array>)>} changed
 * @param {number} [chunkBytes]
 * @returns {{source: Source, asked: Asked[]}}
 */
export function changedSource(changed, chunkBytes = 10007) {
  /** @type {Asked[]} */
  const asked = [];
  /** @type {Source} */
  const source = async (name, { fresh }) => {
    asked.push({ name, fresh });
    const change = changed[name] ?? fileOf(name);
    const nth = asked.filter((request) => request.name === name).length;
    const body = typeof change === 'function' ? change(nth) : change;
    return body instanceof Uint8Array ? streamOf(body, chunkBytes) : body;
  };
  return { source, asked };
}

/**
 * @param {Uint8Array} bytes
 * @param {number} chunkBytes
 * @returns {ReadableStream<Uint8Array>}
 */
export function streamOf(bytes, chunkBytes) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) {
        controller.close();
      } else {
        controller.enqueue(bytes.slice(at, at + chunkBytes));
        at += chunkBytes;
      }
    },
  });
}
