// A folder of dataset files against the manifest: what scripts/verify-dataset prints, and scripts/build-dataset trusts.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';

import { Dataset } from '../../web/dataset.js';
import { LabError } from '../../web/fault.js';
import { openProducer } from '../../web/rebuild.js';
import { NODE } from './node-platform.mjs';

/** @typedef {import('../../web/engine.js').Engine} Engine */
/** @typedef {import('../../web/manifest.js').Manifest} Manifest */
/** @typedef {import('../../web/manifest.js').ManifestSplit} ManifestSplit */

/** The clone's root. */
export const ROOT = path.resolve(import.meta.dirname, '../..');
export const MANIFEST = path.join(ROOT, 'manifest/manifest.json');
const PRODUCER = path.join(ROOT, 'build/wasm/src/wasm/producer.wasm');

/** The C library as the page's producer module. */
export function startProducer() {
  return openProducer(pathToFileURL(PRODUCER).href, NODE);
}

/**
 * All files of the dataset: every split plain and compressed, and the preview.
 * @param {Manifest} manifest
 */
export function listDatasetFiles(manifest) {
  const splits = Object.values(manifest.splits).flatMap(({ file, gzipFile }) => [file, gzipFile]);
  return [...splits, manifest.preview.file];
}

/**
 * What was found about one file, or about two splits.
 * @typedef {object} Finding
 * @property {string} name
 * @property {'good'|'bad'|'missing'} state
 * @property {string} text   what it is, or what is wrong with it
 */

/**
 * Checks every file of the dataset that is in the folder, one after the other.
 * @param {Engine} producer
 * @param {string} folder
 * @param {Manifest} manifest
 * @param {string} manifestText
 * @returns {AsyncGenerator<Finding>}
 */
export async function* examineFolder(producer, folder, manifest, manifestText) {
  const handles = new Map();
  try {
    for (const split of Object.values(manifest.splits)) {
      for (const name of [split.gzipFile, split.file]) {
        const { finding, handle } = await examineSplit(producer, path.join(folder, name), split, manifestText);
        if (handle !== undefined) {
          handles.get(split.id)?.close();
          handles.set(split.id, { handle, close: () => producer.status('gd_split_close', handle) });
        }
        yield finding;
      }
    }
    if (handles.has('train') && handles.has('validation')) {
      yield examineSeparation(producer, handles.get('train').handle, handles.get('validation').handle);
    }
  } finally {
    for (const { close } of handles.values()) {
      close();
    }
  }
  yield await examinePreview(path.join(folder, manifest.preview.file), manifest);
}

/**
 * The page's loader takes the file, as if it came from the network.
 * @param {Engine} producer
 * @param {string} file
 * @param {ManifestSplit} split
 * @param {string} manifestText
 * @returns {Promise<{finding: Finding, handle?: number}>}
 */
async function examineSplit(producer, file, split, manifestText) {
  const name = path.basename(file);
  if (!(await isFile(file))) {
    return { finding: { name, state: 'missing', text: 'not there' } };
  }
  /** @type {import('../../web/source.js').Source} */
  const source = async (wanted) => {
    const stream = wanted === 'manifest.json' ? Readable.from([Buffer.from(manifestText)]) : createReadStream(file);
    return /** @type {ReadableStream<Uint8Array>} */ (/** @type {unknown} */ (Readable.toWeb(stream)));
  };
  try {
    const dataset = new Dataset(producer, source, { inflate: 'zlib' });
    const { handle, audit } = await dataset.load(split.id);
    const shouldBeGzip = name === split.gzipFile;
    if (audit.wasGzip !== shouldBeGzip) {
      producer.status('gd_split_close', handle);
      const text = `expected ${form(shouldBeGzip)} file, found ${form(audit.wasGzip)} one`;
      return { finding: { name, state: 'bad', text } };
    }
    const digest = audit.wasGzip ? split.gzipSha256 : split.sha256;
    return { handle, finding: { name, state: 'good', text: `${audit.receivedBytes} bytes, SHA-256 ${digest}` } };
  } catch (error) {
    return { finding: { name, state: 'bad', text: describeFault(error) } };
  }
}

/** @param {boolean} isGzip */
function form(isGzip) {
  return isGzip ? 'a gzip' : 'an uncompressed';
}

/**
 * @param {Engine} producer
 * @param {number} train
 * @param {number} validation
 * @returns {Finding}
 */
function examineSeparation(producer, train, validation) {
  const name = 'train, validation';
  try {
    producer.status('gd_split_disjoint', train, validation);
    return { name, state: 'good', text: 'no image in both' };
  } catch (error) {
    return { name, state: 'bad', text: describeFault(error) };
  }
}

/**
 * @param {string} file
 * @param {Manifest} manifest
 * @returns {Promise<Finding>}
 */
async function examinePreview(file, { preview }) {
  const name = preview.file;
  if (!(await isFile(file))) {
    return { name, state: 'missing', text: 'not there' };
  }
  const bytes = await readFile(file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (bytes.length !== preview.bytes) {
    return { name, state: 'bad', text: `expected ${preview.bytes} bytes, found ${bytes.length}` };
  }
  if (sha256 !== preview.sha256) {
    return { name, state: 'bad', text: `expected SHA-256 ${preview.sha256}, found ${sha256}` };
  }
  return { name, state: 'good', text: `${bytes.length} bytes, SHA-256 ${sha256}` };
}

/** @param {string} file */
export async function isFile(file) {
  const found = await stat(file).catch(() => null);
  return found !== null && found.isFile();
}

/**
 * The message with the place of the fault, where there is one; what is not expected is passed on.
 * @param {unknown} error
 */
export function describeFault(error) {
  if (!(error instanceof LabError)) {
    throw error;
  }
  return error.offset >= 0 ? `${error.message.replace(/\.$/, '')}, at byte ${error.offset}.` : error.message;
}
