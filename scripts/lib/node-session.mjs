// The page's session in Node: the same modules, files instead of a network.

import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';

import { detectFeatures, openEngine } from '../../web/builds.js';
import { LabError } from '../../web/fault.js';
import { Session } from '../../web/session.js';
import { Splits } from '../../web/splits.js';
import { NODE } from './node-platform.mjs';

/** @typedef {import('../../web/source.js').Source} Source */

/** The clone's root. */
export const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * The fastest engine that runs here.
 * @param {object} [options]
 * @param {string} [options.wasm]      folder with the engines
 * @param {string} [options.build]     this build and no other
 * @param {number} [options.threads]   so many, whatever the machine has
 * @param {number} [options.memoryBytes]   the engine's memory may grow to this
 */
export async function openNodeEngine({ wasm = path.join(ROOT, 'dist/wasm'), ...options } = {}) {
  if (!detectFeatures().relaxedSimd) {
    v8.setFlagsFromString('--experimental-wasm-relaxed-simd'); // Node 20 has it behind this flag
  }
  const wasmUrl = pathToFileURL(wasm + path.sep).href;
  return openEngine({ wasmUrl, cores: os.availableParallelism(), platform: NODE, ...options });
}

/**
 * @param {object} [options]
 * @param {string} [options.dataset]   folder with manifest.json and the splits
 * @param {string} [options.build]     this build and no other
 * @param {number} [options.threads]   so many, whatever the machine has
 * @param {number} [options.memoryBytes]   the engine's memory may grow to this
 * @param {'auto'|'stream'|'zlib'} [options.inflate]
 */
export async function openSession({ dataset = path.join(ROOT, 'dist/dataset'), inflate, ...options } = {}) {
  const engine = await openNodeEngine(options);
  return new Session(engine, new Splits(engine, directorySource(dataset), { inflate }));
}

/**
 * Files of a folder on this machine.
 * @param {string} directory
 * @returns {Source}
 */
export function directorySource(directory) {
  return async (name, { signal }) => {
    const file = path.join(directory, name);
    try {
      await access(file);
    } catch {
      const message = `There is no ${file}. scripts/build makes the dataset.`;
      throw new LabError({ code: 'NETWORK', message, subject: name });
    }
    signal?.throwIfAborted();
    const stream = Readable.toWeb(createReadStream(file, { signal }));
    return /** @type {ReadableStream<Uint8Array>} */ (/** @type {unknown} */ (stream));
  };
}
