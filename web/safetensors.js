// Networks as .safetensors files: eight bytes with the length of a JSON header, the header, then all numbers. See
// https://huggingface.co/docs/safetensors for the format, FORMATS.md for what the lab's files hold.

import { LabError } from './fault.js';
import { SCHEMA, bytesOf, metadataOf, tensorsOf } from './tensors.js';

/** @typedef {import('./tensors.js').About} About */
/** @typedef {import('./types.js').Config} Config */
/** @typedef {import('./types.js').Weights} Weights */

/** Where a tensor stands, in the file and in the canonical order. @typedef {import('./tensors.js').Tensor & {offset: number}} Place */

/**
 * What stands before the numbers.
 * @typedef {object} Header
 * @property {About} about
 * @property {Place[]} tensors   in the canonical order; offsets count bytes from the file's start
 */

const LENGTH_BYTES = 8;
const ALIGNMENT = 8;
/** Ours have 2 kB; what is longer than this is something else, and is not read. */
const MAX_HEADER_BYTES = 1 << 20;
const FLOAT_BYTES = 4;
const N_WIDTHS = 7;
const METADATA = '__metadata__';

/** How metadata that is not JSON looks. @type {Record<string, [pattern: RegExp, words: string]>} */
const TEXTS = {
  checkpoint: [/^(selected|final)$/, 'selected or final'],
  epoch: [/^[1-9]\d{0,2}$/, 'a number of epochs'],
  build: [/^[\w-]{1,40}$/, 'the name of an engine'],
  numerics: [/^[\w-]{1,40}$/, 'the name of an arithmetic'],
  startedFrom: [/^(seed|weights)$/, 'seed or weights'],
  weightsSHA256: [/^[0-9a-f]{64}$/, '64 hexadecimal digits'],
  initializationSHA256: [/^[0-9a-f]{64}$/, '64 hexadecimal digits'],
  orderHash: [/^[0-9a-f]{8}$/, '8 hexadecimal digits'],
  gateDrawHash: [/^[0-9a-f]{8}$/, '8 hexadecimal digits'],
  trainSHA256: [/^[0-9a-f]{64}$/, '64 hexadecimal digits'],
  validationSHA256: [/^[0-9a-f]{64}$/, '64 hexadecimal digits'],
};

/**
 * A network as a file. Its numbers stand in the canonical order, so the SHA-256 of what follows the header is
 * weightsSHA256.
 * @param {Weights} weights
 * @param {About} about
 * @returns {Uint8Array<ArrayBuffer>[]} the file, in pieces; the last one is the weights' own memory
 */
export function writeSafetensors({ widths, values }, about) {
  const tensors = tensorsOf(widths).map(({ name, shape, first, n }) =>
    [name, { dtype: 'F32', shape, data_offsets: [FLOAT_BYTES * first, FLOAT_BYTES * (first + n)] }]);
  const json = JSON.stringify({ [METADATA]: metadataOf(about), ...Object.fromEntries(tensors) });
  const text = new TextEncoder().encode(json);
  const nHeader = Math.ceil(text.length / ALIGNMENT) * ALIGNMENT;
  const head = new Uint8Array(LENGTH_BYTES + nHeader).fill(0x20); // the format fills a header up with spaces
  new DataView(head.buffer).setBigUint64(0, BigInt(nHeader), true);
  head.set(text, LENGTH_BYTES);
  return [head, bytesOf(values)];
}

/**
 * Reads and checks everything but the numbers: the file is known to hold each of the network's tensors once, and
 * nothing else. Whether the network is one of the lab's is C's to say.
 * @param {Blob} file
 * @returns {Promise<Header>}
 * @throws {LabError} WRONG_WEIGHTS: which tensor or part is at fault, what was expected and found
 */
export async function readHeader(file) {
  const { json, bodyOffset } = await readJson(file);
  const { [METADATA]: metadata, ...entries } = json;
  const about = readMetadata(metadata);
  const tensors = tensorsOf(about.config.widths);
  for (const name of Object.keys(entries)) {
    expect(tensors.some((tensor) => tensor.name === name), name, 'no tensor of this name', 'one');
  }
  const places = tensors.map((tensor) => readEntry(tensor, entries[tensor.name], bodyOffset));
  checkContiguity(places, bodyOffset, file.size);
  return { about, tensors: places };
}

/**
 * @param {Blob} file
 * @param {Header} header   of this file
 * @returns {Promise<Float32Array<ArrayBuffer>>} all numbers in the canonical order
 */
export async function readValues(file, { tensors }) {
  const values = new Float32Array(tensors.reduce((sum, { n }) => sum + n, 0));
  for (const { first, n, offset } of tensors) {
    const bytes = await file.slice(offset, offset + FLOAT_BYTES * n).arrayBuffer();
    values.set(new Float32Array(bytes), first);
  }
  return values;
}

/** @param {Blob} file @returns {Promise<{json: Record<string, any>, bodyOffset: number}>} */
async function readJson(file) {
  expect(file.size >= LENGTH_BYTES, 'file', 'at least 8 bytes', `${file.size}`);
  const length = new DataView(await file.slice(0, LENGTH_BYTES).arrayBuffer()).getBigUint64(0, true);
  expect(length <= MAX_HEADER_BYTES, 'header length', `at most ${MAX_HEADER_BYTES} bytes`, `${length}`, 0);
  const bodyOffset = LENGTH_BYTES + Number(length);
  expect(bodyOffset <= file.size, 'header', `${length} bytes after the first 8`, `${file.size - LENGTH_BYTES}`, LENGTH_BYTES);
  const bytes = await file.slice(LENGTH_BYTES, bodyOffset).arrayBuffer();
  const json = parsed(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  expect(isObject(json), 'header', 'a JSON object', 'none', LENGTH_BYTES);
  return { json, bodyOffset };
}

/** @param {any} metadata @returns {About} */
function readMetadata(metadata) {
  expect(isObject(metadata), METADATA, 'an object', nameOf(metadata));
  expect(metadata.schema === SCHEMA, 'schema', `“${SCHEMA}”`, nameOf(metadata.schema));
  const [widths, config] = ['widths', 'config'].map((key) => {
    const text = metadata[key];
    expect(typeof text === 'string', key, 'JSON in a string', nameOf(text));
    return parsed(() => text);
  });
  expect(isWidths(widths), 'widths', `${N_WIDTHS} whole numbers above 0`, nameOf(metadata.widths));
  expect(isObject(config), 'config', 'a JSON object', nameOf(metadata.config));
  expect(isEqual(config.widths, widths), 'config.widths', `[${widths}]`, nameOf(JSON.stringify(config.widths)));
  for (const [key, [pattern, words]] of Object.entries(TEXTS)) {
    expect(typeof metadata[key] === 'string' && pattern.test(metadata[key]), key, words, nameOf(metadata[key]));
  }
  const texts = Object.fromEntries(Object.keys(TEXTS).map((key) => [key, metadata[key]]));
  return /** @type {About} */ (/** @type {unknown} */ ({ ...texts, config, epoch: Number(metadata.epoch) }));
}

/**
 * @param {import('./tensors.js').Tensor} tensor
 * @param {any} entry   of the header
 * @param {number} bodyOffset
 * @returns {Place}
 */
function readEntry(tensor, entry, bodyOffset) {
  const { name, shape, n } = tensor;
  expect(isObject(entry), name, 'a tensor of this name', nameOf(entry));
  expect(entry.dtype === 'F32', name, 'dtype F32', nameOf(entry.dtype));
  expect(isEqual(entry.shape, shape), name, `shape [${shape}]`, nameOf(JSON.stringify(entry.shape)));
  const offsets = entry.data_offsets;
  const isPair = Array.isArray(offsets) && offsets.length === 2 && offsets.every((at) => Number.isSafeInteger(at) && at >= 0);
  expect(isPair, name, 'two data_offsets, whole numbers from 0', nameOf(JSON.stringify(offsets)));
  const [begin, end] = offsets;
  expect(end - begin === FLOAT_BYTES * n, name, `${FLOAT_BYTES * n} bytes`, `${end - begin}`, bodyOffset + begin);
  return { ...tensor, offset: bodyOffset + begin };
}

/** Tensors may stand in any order, but without gaps, up to the file's end. @param {Place[]} places @param {number} start @param {number} fileBytes */
function checkContiguity(places, start, fileBytes) {
  let at = start;
  for (const { name, n, offset } of places.toSorted((a, b) => a.offset - b.offset)) {
    expect(offset === at, name, `its numbers from byte ${at} on`, `byte ${offset}`, offset);
    at += FLOAT_BYTES * n;
  }
  expect(at === fileBytes, 'file', `${at} bytes`, `${fileBytes}`, Math.min(at, fileBytes));
}

/** @param {() => string} textOf @returns {any} JSON's value; undefined where it is none */
function parsed(textOf) {
  try {
    return JSON.parse(textOf());
  } catch {
    return undefined;
  }
}

/** @param {any} value */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param {any} value */
function isWidths(value) {
  return Array.isArray(value) && value.length === N_WIDTHS && value.every((width) => Number.isSafeInteger(width) && width > 0);
}

/** @param {any} list @param {number[]} numbers */
function isEqual(list, numbers) {
  return Array.isArray(list) && list.length === numbers.length && list.every((item, i) => item === numbers[i]);
}

/** Something found, in a few characters. @param {any} value */
function nameOf(value) {
  if (value === undefined) {
    return 'nothing';
  }
  const text = typeof value === 'string' ? `“${value}”` : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/**
 * @param {boolean} isGood
 * @param {string} subject
 * @param {string} expected
 * @param {string} found
 * @param {number} [offset]   in the file
 */
function expect(isGood, subject, expected, found, offset = -1) {
  if (!isGood) {
    const message = `This file is not a network of the lab. ${subject}: expected ${expected}, found ${found}.`;
    throw new LabError({ code: 'WRONG_WEIGHTS', message, subject, expected, found, offset });
  }
}
