// web/manifest.js: the real manifest is understood, and every way to spoil it is refused and named.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { MANIFEST } from '../scripts/lib/dataset-files.mjs';
import { LabError } from '../web/fault.js';
import { parseManifest } from '../web/manifest.js';
import { parsePlan } from '../web/rebuild.js';

const TEXT = readFileSync(MANIFEST, 'utf8');

/** Members that the page needs, and those that only the producer does; '/' between the keys, for names have dots. */
const PAGE = [
  'schema_version',
  'dataset',
  'format',
  'format/magic_ascii',
  'format/header_bytes',
  'preview',
  'preview/file',
  'preview/bytes',
  'preview/count',
  'preview/sha256',
  'splits',
  'optional_splits',
  ...['splits/train', 'splits/validation', 'splits/test', 'optional_splits/test_full'].flatMap((split) => [
    split,
    ...[
      'id',
      'file',
      'gzip_file',
      'bytes',
      'gzip_bytes',
      'count',
      'class_counts',
      'class_counts/9',
      'pixel_offset',
      'label_offset',
      'original_index_offset',
      'source_collection',
      'selection',
      'sha256',
      'gzip_sha256',
      'original_indices_sha256_uint32_le',
    ].map((member) => `${split}/${member}`),
  ]),
];
const PRODUCER = [
  'split_provenance',
  'split_provenance/parent_split',
  'split_provenance/split_seed',
  'split_provenance/train_pool_indices_sha256_int64_le',
  'split_provenance/validation_pool_indices_sha256_int64_le',
  'split_provenance/files',
  ...['train-images-idx3', 'train-labels-idx1', 't10k-images-idx3', 't10k-labels-idx1'].flatMap((file) => [
    `split_provenance/files/${file}-ubyte.gz`,
    ...['bytes', 'md5', 'sha256'].map((member) => `split_provenance/files/${file}-ubyte.gz/${member}`),
  ]),
];

/** What no member may be. */
const SPOILT = [undefined, null, true, -1, 1.5, 1e300, '', 'no', '../../etc/passwd', [], {}, [1, 2, 3]];

/**
 * Other sentences and other plain file names are as good.
 * @param {string} path
 * @param {unknown} value
 */
function isAllowed(path, value) {
  const isName = /\/(file|gzip_file)$/.test(path) && value === 'no';
  return isName || (path.endsWith('/selection') && typeof value === 'string');
}

/**
 * The manifest's text with one member replaced, or removed (undefined).
 * @param {string} path
 * @param {unknown} value
 */
function changed(path, value) {
  const root = JSON.parse(TEXT);
  const keys = path.split('/');
  const last = keys.pop() ?? '';
  const parent = keys.reduce((object, key) => object[key], root);
  assert.notEqual(parent[last], undefined, path);
  parent[last] = value;
  return JSON.stringify(root);
}

/**
 * @param {() => unknown} parse
 * @returns {LabError}
 */
function faultOf(parse) {
  try {
    parse();
  } catch (error) {
    assert.ok(error instanceof LabError, String(error));
    assert.equal(error.code, 'BAD_MANIFEST');
    assert.match(error.message, /^manifest\.json.*\.$/);
    return error;
  }
  return assert.fail('not refused');
}

test('the real manifest', () => {
  const { splits, preview } = parseManifest(TEXT);
  assert.deepEqual(Object.keys(splits).sort(), ['test', 'test-full', 'train', 'validation']);
  assert.deepEqual(splits['test-full']?.classCounts, [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]);
  assert.equal(splits['test-full']?.isBalanced, false);
  assert.equal(splits.train?.isBalanced, true);
  assert.equal(splits.train?.nCollection, 60000);
  assert.equal(splits.train?.gzipBytes, 1647559);
  assert.equal(preview.nExamples, 20);
  const plan = parsePlan(TEXT);
  assert.equal(plan.seed, 20260909);
  assert.deepEqual(plan.originals.map(({ bytes }) => bytes), [9912422, 28881, 1648877, 4542]);
});

test('every member that is missing or of a wrong kind is named', () => {
  for (const path of [...PAGE, ...PRODUCER]) {
    const named = path.replace(/\/(\d+)$/, '[$1]').replaceAll('/', '.');
    for (const value of SPOILT) {
      if (!isAllowed(path, value)) {
        const { subject, message } = faultOf(() => parsePlan(changed(path, value)));
        const isNamed = [named, `${named}.`, `${named}[`].some((start) => subject.startsWith(start));
        assert.ok(isNamed || message.includes('lists no split'), `${named}: ${message}`);
      }
    }
  }
});

test('the page does not ask for what only the producer needs', () => {
  for (const path of PRODUCER) {
    assert.ok(parseManifest(changed(path, undefined)).splits.train);
  }
  const splitsAsWhole = PAGE.filter((path) => /^\w*splits\/\w+$/.test(path));
  for (const path of PAGE.filter((member) => !splitsAsWhole.includes(member))) {
    faultOf(() => parseManifest(changed(path, undefined)));
  }
});

test('the sentence says what was expected and what was found', () => {
  const fault = faultOf(() => parseManifest(changed('splits/train/gzip_bytes', 2 ** 40)));
  assert.equal(
    fault.message,
    'manifest.json: splits.train.gzip_bytes must be a whole number from 1 to 268435456, but is 1099511627776.',
  );
  assert.equal(faultOf(() => parseManifest(changed('preview/file', '../x'))).expected, 'a plain file name');
  assert.match(faultOf(() => parseManifest(changed('schema_version', 2))).message, /schema_version must be 1, but is 2/);
});

test('offsets and sizes that contradict the count', () => {
  for (const member of ['label_offset', 'original_index_offset', 'bytes', 'pixel_offset']) {
    const value = JSON.parse(TEXT).splits.validation[member];
    const fault = faultOf(() => parseManifest(changed(`splits/validation/${member}`, value + 4)));
    assert.equal(fault.subject, `splits.validation.${member}`);
  }
});

test('two splits of one name', () => {
  assert.equal(faultOf(() => parseManifest(changed('splits/test/id', 'train'))).subject, 'splits.train.id');
});

test('names of JavaScript\'s own are names like others', () => {
  const text = TEXT.replace('"splits": {', '"splits": {"__proto__": {"id": "x"},');
  assert.equal(faultOf(() => parseManifest(text)).subject, 'splits.__proto__.source_collection');
  const { splits } = parseManifest(changed('splits/test/id', 'constructor'));
  assert.equal(Object.getOwnPropertyDescriptor(splits, 'constructor')?.value.gzipFile, 'test.bin.gz');
  assert.equal(Object.getPrototypeOf(splits), null);
});

test('a text that is no JSON, or no object', () => {
  assert.match(faultOf(() => parseManifest('<!doctype html>')).message, /is not JSON; it starts with "<!doctype html>"/);
  for (const text of ['', 'null', '[]', '1', '"text"']) {
    faultOf(() => parseManifest(text));
  }
});

test('a dataset without one of the four splits cannot be rebuilt', () => {
  assert.match(faultOf(() => parsePlan(changed('splits/test/id', 'other'))).message, /lists no split test/);
});
