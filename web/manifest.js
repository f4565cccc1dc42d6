// Reads manifest.json, refuses one that is not of this schema, and hands its facts to C. Used by the page and in Node.

import { LabError } from './fault.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./types.js').StructLayout} StructLayout */

/**
 * What the manifest says about a split.
 * @typedef {object} ManifestSplit
 * @property {string} id            'train', 'validation', 'test', 'test-full'
 * @property {string} file          'train.bin'
 * @property {string} gzipFile      'train.bin.gz'
 * @property {number} bytes
 * @property {number} gzipBytes
 * @property {number} nImages
 * @property {number[]} classCounts images of each digit
 * @property {boolean} isBalanced   interleaved 0..9
 * @property {number} nCollection   images of the source collection that the original indices point into
 * @property {string} collection    'official-training-60000'
 * @property {string} selection     a sentence
 * @property {string} sha256        hex, as all digests here
 * @property {string} gzipSha256
 * @property {string} indexSha256
 */

/**
 * @typedef {object} ManifestPreview
 * @property {string} file
 * @property {number} bytes
 * @property {number} nExamples
 * @property {string} sha256
 */

/**
 * @typedef {object} Manifest
 * @property {Record<string, ManifestSplit>} splits   by id
 * @property {ManifestPreview} preview
 */

const SCHEMA_VERSION = 1;

/** A split and a file are never larger: what a wrong manifest can make us ask for. */
const MAX_BYTES = 2 ** 28;
const MAX_IMAGES = 2 ** 18;

/** Images of the source collections. */
const COLLECTIONS = new Map([
  ['official-training-60000', 60000],
  ['official-test-10000', 10000],
]);

const HEADER_BYTES = 32;
const N_PIXELS = 784;
const ID = /^[a-z][a-z0-9-]{0,14}$/;
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** A value inside the manifest, with the way to it. */
export class Entry {
  /**
   * @param {unknown} value
   * @param {string} path   'splits.train.bytes'
   */
  constructor(value, path) {
    this.value = value;
    this.path = path;
  }

  /**
   * @param {string} expected
   * @returns {LabError}
   */
  fault(expected) {
    const found = this.value === undefined ? 'nothing' : shortened(JSON.stringify(this.value));
    const message = `manifest.json: ${this.path || 'the whole'} must be ${expected}, but is ${found}.`;
    return new LabError({ code: 'BAD_MANIFEST', message, subject: this.path, expected, found });
  }

  /** @returns {Record<string, unknown>} */
  object() {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw this.fault('an object');
    }
    return /** @type {Record<string, unknown>} */ (value);
  }

  /**
   * A member of an object.
   * @param {string} key
   */
  at(key) {
    const object = this.object();
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    return new Entry(value, this.path ? `${this.path}.${key}` : key);
  }

  /** The members of an object. */
  members() {
    return Object.keys(this.object()).map((key) => this.at(key));
  }

  /** @param {number} n   exactly so many items */
  items(n) {
    const { value } = this;
    if (!Array.isArray(value) || value.length !== n) {
      throw this.fault(`a list of ${n}`);
    }
    return value.map((item, i) => new Entry(item, `${this.path}[${i}]`));
  }

  /** @param {string|number} expected   and nothing else */
  exactly(expected) {
    if (this.value !== expected) {
      throw this.fault(JSON.stringify(expected));
    }
  }

  /** @param {number} min @param {number} max */
  integer(min, max) {
    const { value } = this;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      throw this.fault(`a whole number from ${min} to ${max}`);
    }
    return value;
  }

  /** @param {RegExp} pattern @param {string} expected   what the pattern says, in words */
  string(pattern, expected) {
    const { value } = this;
    if (typeof value !== 'string' || !pattern.test(value)) {
      throw this.fault(expected);
    }
    return value;
  }

  /** @param {number} bytes   of the digest */
  digest(bytes) {
    return this.string(new RegExp(`^[0-9a-f]{${2 * bytes}}$`), `${2 * bytes} lowercase hex digits`);
  }

  /** A name without a folder. */
  fileName() {
    return this.string(FILE_NAME, 'a plain file name');
  }

  bytes() {
    return this.integer(1, MAX_BYTES);
  }
}

/** @param {string} text */
function shortened(text) {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/**
 * The manifest's root, of this schema.
 * @param {string} text   of manifest.json
 * @returns {Entry}
 * @throws {LabError} BAD_MANIFEST
 */
export function openManifest(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    const found = shortened(JSON.stringify(text));
    const message = `manifest.json is not JSON; it starts with ${found}.`;
    throw new LabError({ code: 'BAD_MANIFEST', message, expected: 'JSON', found });
  }
  const root = new Entry(value, '');
  root.at('schema_version').exactly(SCHEMA_VERSION);
  root.at('dataset').exactly('MNIST');
  root.at('format').at('magic_ascii').exactly('GDMNIST1');
  root.at('format').at('header_bytes').exactly(HEADER_BYTES);
  return root;
}

/**
 * @param {string} text   of manifest.json
 * @returns {Manifest}
 * @throws {LabError} BAD_MANIFEST: not of this schema, a wrong type, an absurd size, parts that contradict each other
 */
export function parseManifest(text) {
  return readManifest(openManifest(text));
}

/**
 * @param {Entry} root
 * @returns {Manifest}
 */
export function readManifest(root) {
  /** @type {Record<string, ManifestSplit>} */
  const splits = Object.create(null);
  // The default splits are interleaved; the optional ones keep their collection's order.
  for (const [section, isBalanced] of /** @type {[string, boolean][]} */ ([['splits', true], ['optional_splits', false]])) {
    for (const entry of root.at(section).members()) {
      const split = readSplit(entry, isBalanced);
      if (split.id in splits) {
        throw entry.at('id').fault('an id of its own');
      }
      splits[split.id] = split;
    }
  }
  const preview = root.at('preview');
  return {
    splits,
    preview: {
      file: preview.at('file').fileName(),
      bytes: preview.at('bytes').bytes(),
      nExamples: preview.at('count').integer(1, 1000),
      sha256: preview.at('sha256').digest(32),
    },
  };
}

/**
 * @param {Entry} entry
 * @param {boolean} isBalanced
 * @returns {ManifestSplit}
 */
function readSplit(entry, isBalanced) {
  const collection = entry.at('source_collection');
  const nCollection = COLLECTIONS.get(/** @type {string} */ (collection.value));
  if (nCollection === undefined) {
    throw collection.fault(`one of ${[...COLLECTIONS.keys()].join(', ')}`);
  }
  const nImages = entry.at('count').integer(1, MAX_IMAGES);
  checkLayout(entry, nImages);
  return {
    id: entry.at('id').string(ID, 'an id of at most 15 small letters, digits and hyphens'),
    file: entry.at('file').fileName(),
    gzipFile: entry.at('gzip_file').fileName(),
    bytes: entry.at('bytes').bytes(),
    gzipBytes: entry.at('gzip_bytes').bytes(),
    nImages,
    classCounts: entry.at('class_counts').items(10).map((count) => count.integer(0, nImages)),
    isBalanced,
    nCollection,
    collection: /** @type {string} */ (collection.value),
    selection: entry.at('selection').string(/^[^]{0,1000}$/, 'a sentence'),
    sha256: entry.at('sha256').digest(32),
    gzipSha256: entry.at('gzip_sha256').digest(32),
    indexSha256: entry.at('original_indices_sha256_uint32_le').digest(32),
  };
}

/**
 * The manifest gives the offsets too, though they follow from the count: they must agree.
 * @param {Entry} entry
 * @param {number} nImages
 */
function checkLayout(entry, nImages) {
  const labelOffset = HEADER_BYTES + N_PIXELS * nImages;
  const indexOffset = Math.ceil((labelOffset + nImages) / 4) * 4;
  entry.at('pixel_offset').exactly(HEADER_BYTES);
  entry.at('label_offset').exactly(labelOffset);
  entry.at('original_index_offset').exactly(indexOffset);
  entry.at('bytes').exactly(indexOffset + 4 * nImages);
}

/**
 * Fills C's struct for the next gd_split_open.
 * @param {Engine} engine
 * @param {ManifestSplit} split
 */
export function writeExpectation(engine, split) {
  writeStruct(engine, engine.pointer('gd_split_expectation'), engine.description.expectation, expectationOf(split));
}

/**
 * A split's facts under the names of C's struct.
 * @param {ManifestSplit} split
 * @returns {StructValues}
 */
export function expectationOf(split) {
  return {
    bytes: split.bytes,
    gz_bytes: split.gzipBytes,
    n_images: split.nImages,
    class_counts: split.classCounts,
    n_collection: split.nCollection,
    is_balanced: split.isBalanced ? 1 : 0,
    sha256: split.sha256,
    gz_sha256: split.gzipSha256,
    index_sha256: split.indexSha256,
    id: split.id,
  };
}

/** @typedef {Record<string, number|number[]|string>} StructValues   digests in hex */

/**
 * Writes every field of a struct, as C describes it.
 * @param {Engine} engine
 * @param {number} address
 * @param {StructLayout} layout
 * @param {StructValues} values
 */
export function writeStruct(engine, address, layout, values) {
  for (const [name, { offset, type, items }] of Object.entries(layout.fields)) {
    const value = values[name];
    if (value === undefined) {
      throw new Error(`The engine asks for ${name}, which this page does not know.`);
    }
    const bytes = bytesOf(value, type);
    if (bytes.length > (type === 'u32' ? 4 * items : items)) {
      throw new Error(`${name} does not fit into the engine's struct.`);
    }
    engine.write(address + offset, bytes);
  }
}

/**
 * @param {number|number[]|string} value
 * @param {string} type   'u32', 'u8' (a digest in hex), 'char'
 * @returns {Uint8Array}
 */
function bytesOf(value, type) {
  if (type === 'u32') {
    const numbers = /** @type {number[]} */ ([value].flat());
    const view = new DataView(new ArrayBuffer(4 * numbers.length));
    numbers.forEach((number, i) => view.setUint32(4 * i, number, true));
    return new Uint8Array(view.buffer);
  }
  const text = String(value);
  if (type === 'u8') {
    return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  }
  return new TextEncoder().encode(`${text}\0`);
}
