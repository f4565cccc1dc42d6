// scripts/build-dataset and scripts/verify-dataset from outside: what they print, leave, and end with.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';

import { MANIFEST, ROOT } from '../scripts/lib/dataset-files.mjs';
import { SOURCES } from '../web/rebuild.js';
import { ORIGINALS, publishedFiles } from './lib/originals.mjs';

const MNIST = SOURCES.map(({ file }) => file);

/** @type {any} */
const manifest = JSON.parse(await readFile(MANIFEST, 'utf8'));
const SPLITS = [...Object.values(manifest.splits), ...Object.values(manifest.optional_splits)];
const FILES = [...SPLITS.flatMap(({ file, gzip_file: gzipFile }) => [file, gzipFile]), 'preview.json'].sort();

/** A folder for all that these tests write; the dataset is built into it once. */
const scratch = await mkdtemp(path.join(os.tmpdir(), 'lab-dataset-'));
const built = path.join(scratch, 'built');
let firstOutput = '';

/**
 * @param {string} command
 * @param {string[]} args
 * @param {(output: string, child: import('node:child_process').ChildProcess) => void} [onOutput]
 * @returns {Promise<{status: number|null, signal: string|null, output: string, errors: string}>}
 */
function run(command, args, onOutput = () => {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(path.join(ROOT, 'scripts', command), args, { cwd: scratch });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      onOutput(output, child);
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text;
    });
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({ status, signal, output, errors }));
  });
}

/** @param {string} folder */
async function listAll(folder) {
  return (await readdir(folder).catch(() => ['no such folder'])).sort();
}

/**
 * A folder with links to MNIST's files, some of them replaced or (null) left out.
 * @param {string} name
 * @param {Record<string, Uint8Array|null>} [changed]
 */
async function makeSource(name, changed = {}) {
  const folder = path.join(scratch, name);
  await mkdir(folder);
  for (const file of MNIST.filter((known) => !(known in changed))) {
    await symlink(path.join(ORIGINALS, file), path.join(folder, file));
  }
  for (const [file, bytes] of Object.entries(changed)) {
    if (bytes !== null) {
      await writeFile(path.join(folder, file), bytes);
    }
  }
  return folder;
}

/** @param {string} file @returns {Promise<Buffer>} */
function mnist(file) {
  return readFile(path.join(ORIGINALS, file));
}

/**
 * A copy of the built dataset.
 * @param {string} name
 * @param {string[]} [files]
 */
async function copyBuilt(name, files = FILES) {
  const folder = path.join(scratch, name);
  await mkdir(folder);
  await Promise.all(files.map((file) => copyFile(path.join(built, file), path.join(folder, file))));
  return folder;
}

before(async () => {
  const { status, output, errors } = await run('build-dataset', ['--output', built]);
  assert.equal(status, 0, errors);
  firstOutput = output;
});

after(() => rm(scratch, { recursive: true }));

test('the rebuilt files are those of the manifest, to the byte', async () => {
  assert.deepEqual(await listAll(built), ['.proven.json', ...FILES]);
  const digest = async (/** @type {string} */ file) =>
    createHash('sha256').update(await readFile(path.join(built, file))).digest('hex');
  for (const split of SPLITS) {
    assert.equal(await digest(split.file), split.sha256);
    assert.equal(await digest(split.gzip_file), split.gzip_sha256);
    const raw = await readFile(path.join(built, split.file));
    const gzip = await readFile(path.join(built, split.gzip_file));
    assert.equal(raw.length, split.bytes);
    assert.equal(gzip.length, split.gzip_bytes);
    assert.ok(gunzipSync(gzip).equals(raw));
  }
  assert.equal(await digest('preview.json'), manifest.preview.sha256);
});

test('the .gz files as MNIST published them are proven first, and give the same', async (t) => {
  const source = await publishedFiles(t);
  const output = path.join(scratch, 'from-published');
  const { status, output: lines, errors } = await run('build-dataset', ['--source', source, '--output', output]);
  assert.equal(status, 0, errors);
  for (const { bytes, md5, sha256 } of /** @type {any[]} */ (Object.values(manifest.split_provenance.files))) {
    for (const value of [bytes, md5, sha256]) {
      assert.match(lines, new RegExp(`^ok .* ${value}$`, 'm'));
    }
  }
  for (const file of FILES) {
    assert.ok((await readFile(path.join(output, file))).equals(await readFile(path.join(built, file))), file);
  }
});

test('every hash and count of the manifest is printed as checked', () => {
  const provenance = manifest.split_provenance;
  const expected = [
    provenance.train_pool_indices_sha256_int64_le,
    provenance.validation_pool_indices_sha256_int64_le,
    manifest.preview.sha256,
    manifest.preview.bytes,
    ...SPLITS.flatMap((split) => [
      split.sha256,
      split.gzip_sha256,
      split.original_indices_sha256_uint32_le,
      split.bytes,
      split.gzip_bytes,
      split.class_counts.join(' '),
    ]),
  ];
  const passed = firstOutput.split('\n').filter((line) => line.startsWith('ok '));
  for (const value of expected) {
    assert.ok(passed.some((line) => line.endsWith(` ${value}`)), String(value));
  }
  assert.doesNotMatch(firstOutput, /WRONG/);
  assert.match(firstOutput, /is complete: every file is what the manifest says\.\n$/);
});

test('the test files are opened only once train and validation are proven', () => {
  const lines = firstOutput.split('\n');
  const lastOf = (/** @type {string} */ subject) => lines.findLastIndex((line) => line.slice(7).startsWith(`${subject} `));
  const firstTest = lines.findIndex((line) => line.includes('t10k-'));
  for (const step of ['train', 'validation', 'separation', 'preview']) {
    assert.ok(lastOf(step) >= 0 && lastOf(step) < firstTest, step);
  }
});

test('a second call does nothing', async () => {
  const { status, output } = await run('build-dataset', ['--output', built]);
  assert.equal(status, 0);
  assert.equal(output, `${built} is complete; nothing has changed since it was proven.\n`);
});

test('what was touched is read again, and is as good', async () => {
  const now = new Date();
  await utimes(path.join(built, 'train.bin'), now, now);
  for (const args of [[], ['--verify']]) {
    const { status, output } = await run('build-dataset', ['--output', built, ...args]);
    assert.equal(status, 0);
    assert.equal(output, `${built} is complete: every file is what the manifest says.\n`);
  }
});

/** Files that are wrong, each with the line that must say so. */
const WRONG_SOURCES = [
  {
    name: 'short',
    changed: async () => ({ 'train-images-idx3-ubyte': (await mnist('train-images-idx3-ubyte')).subarray(0, 1000) }),
    error: /train-images-idx3-ubyte: .*ends too early \(expected 47040016, found 1000\), at byte 1000\. Get this file anew/,
  },
  {
    name: 'empty',
    changed: async () => ({ 'train-images-idx3-ubyte': new Uint8Array(0) }),
    error: /train-images-idx3-ubyte: .*ends too early \(expected 47040016, found 0\)/,
  },
  {
    name: 'over-long',
    changed: async () => ({ 'train-labels-idx1-ubyte': Buffer.concat([await mnist('train-labels-idx1-ubyte'), Buffer.of(0)]) }),
    error: /train-labels-idx1-ubyte: .*bytes follow the end.*\(expected 60008, found 60009\), at byte 60008/,
  },
  {
    name: 'wrong magic',
    changed: async () => ({ 'train-labels-idx1-ubyte': Buffer.from('<!doctype html><title>not found</title>') }),
    error: /train-labels-idx1-ubyte: .*magic number.*\(expected 0x00000801 \(labels\), found 0x3c21646f\), at byte 0/,
  },
  {
    name: 'mislabelled',
    changed: async () => ({ 'train-images-idx3-ubyte': await mnist('t10k-images-idx3-ubyte') }),
    error: /train-images-idx3-ubyte: .*\(expected 60000, found 10000\), at byte 4/,
  },
  {
    name: 'swapped',
    changed: async () => ({ 'train-images-idx3-ubyte': await mnist('train-labels-idx1-ubyte') }),
    error: /\(expected 0x00000803 \(images\), found 0x00000801 \(labels\)\), at byte 0/,
  },
  {
    name: 'not the original gz',
    changed: async () => ({ 'train-images-idx3-ubyte.gz': gzipSync('something else') }),
    error: /train-images-idx3-ubyte\.gz: .*size of the original file.*\(expected 9912422, found \d+\)/,
  },
  {
    name: 'a missing file',
    changed: async () => ({ 'train-labels-idx1-ubyte': null }),
    error: /train-labels-idx1-ubyte: expected the file, plain or as \.gz, found neither\. Put MNIST's four files there/,
  },
];

for (const { name, changed, error } of WRONG_SOURCES) {
  test(`${name}: an error that names the file, and nothing left behind`, async () => {
    const source = await makeSource(`source ${name}`, await changed());
    const output = path.join(scratch, `output ${name}`);
    const result = await run('build-dataset', ['--source', source, '--output', output]);
    assert.equal(result.status, 1);
    assert.match(result.errors, error);
    assert.match(result.errors, /^build-dataset: [^\n]*\n$/);
    assert.deepEqual(await listAll(output), ['no such folder']);
  });
}

test('a fault in the very last file leaves nothing behind, and what was there alone', async () => {
  const labels = await mnist('t10k-labels-idx1-ubyte');
  labels[8 + 123] = (labels[8 + 123] + 1) % 10;
  const source = await makeSource('late', { 't10k-labels-idx1-ubyte': labels });
  const folder = await copyBuilt('late output', ['train.bin']);
  await writeFile(path.join(folder, 'of another.txt'), 'keep me');
  const { status, output, errors } = await run('build-dataset', ['--source', source, '--output', folder]);
  assert.equal(status, 1);
  assert.match(output, /^ok {5}preview +SHA-256/m);
  assert.match(output, /^WRONG {2}test +SHA-256/m);
  assert.match(errors, /^build-dataset: test: .*The four source files, or the manifest, are not those that belong/);
  assert.deepEqual(await listAll(folder), ['of another.txt', 'train.bin']);
});

test('a wrong hash in the manifest', async () => {
  const wrong = structuredClone(manifest);
  wrong.split_provenance.train_pool_indices_sha256_int64_le = '0'.repeat(64);
  const file = path.join(scratch, 'wrong.json');
  const output = path.join(scratch, 'wrong manifest');
  await writeFile(file, JSON.stringify(wrong));
  const { status, errors } = await run('build-dataset', ['--manifest', file, '--output', output]);
  assert.equal(status, 1);
  assert.match(errors, /pools: .*parent pool.*expected 0{64}, found 1083febc/);
  assert.deepEqual(await listAll(output), ['no such folder']);
});

test('stopped in the middle, it leaves nothing behind', async () => {
  const output = path.join(scratch, 'stopped');
  const result = await run('build-dataset', ['--output', output], (text, child) => {
    if (text.includes('ok     pools')) {
      child.kill('SIGTERM');
    }
  });
  assert.notEqual(result.status, 0);
  assert.deepEqual(await listAll(output), ['no such folder']);
});

test('what a killed process has left is cleared away', async () => {
  const folder = await copyBuilt('abandoned');
  await mkdir(path.join(folder, '.building-4194305')); // above the largest process number there is
  await writeFile(path.join(folder, '.building-4194305/train.bin'), 'half');
  await rm(path.join(folder, 'preview.json'));
  const { status } = await run('build-dataset', ['--source', scratch, '--output', folder]);
  assert.equal(status, 1); // there is no MNIST in that folder
  assert.deepEqual(await listAll(folder), FILES.filter((name) => name !== 'preview.json'));
});

test('wrong options', async () => {
  for (const args of [['--sauce', 'x'], ['--output'], ['here']]) {
    const { status, errors, output } = await run('build-dataset', args);
    assert.equal(status, 2, args.join(' '));
    assert.match(errors, /usage: scripts\/build-dataset/);
    assert.equal(output, '');
  }
  for (const args of [[], ['a', 'b'], ['--quick', built], [path.join(scratch, 'nowhere')], [MANIFEST]]) {
    const { status, errors } = await run('verify-dataset', args);
    assert.equal(status, 2, args.join(' '));
    assert.match(errors, /usage: scripts\/verify-dataset/);
  }
});

/** @param {string} output   of verify-dataset */
function verdicts(output) {
  return Object.fromEntries(output.trimEnd().split('\n').map((line) => [line.slice(7, 25).trim(), line.split(' ')[0]]));
}

test('verify-dataset: a line a file, all good', async () => {
  const { status, output } = await run('verify-dataset', [built]);
  assert.equal(status, 0);
  assert.deepEqual(verdicts(output), Object.fromEntries([...FILES, 'train, validation'].map((name) => [name, 'ok'])));
});

test('verify-dataset: only what is deployed', async () => {
  const folder = await copyBuilt('deployed', FILES.filter((name) => /^(train|validation|test)\.bin\.gz$/.test(name)));
  const { status, output } = await run('verify-dataset', [folder]);
  assert.equal(status, 0);
  assert.deepEqual(Object.keys(verdicts(output)).filter((name) => verdicts(output)[name] === 'ok').sort(), [
    'test.bin.gz', 'train, validation', 'train.bin.gz', 'validation.bin.gz',
  ]);
});

test('verify-dataset: each wrong file is named, with what is wrong', async () => {
  const folder = await copyBuilt('damaged');
  const change = async (/** @type {string} */ name, /** @type {(bytes: Buffer) => Uint8Array} */ how) =>
    writeFile(path.join(folder, name), how(await readFile(path.join(folder, name))));
  await change('train.bin', (bytes) => {
    bytes[7840032 + 5] = 12;
    return bytes;
  });
  await change('validation.bin.gz', (bytes) => bytes.subarray(0, -1));
  await change('test.bin', (bytes) => Buffer.concat([bytes, Buffer.of(1)]));
  await change('test.bin.gz', () => Buffer.from('<!doctype html>'));
  await change('test-full.bin.gz', gunzipSync);
  await change('preview.json', (bytes) => bytes.subarray(1));
  const { status, output } = await run('verify-dataset', [folder]);
  assert.equal(status, 1);
  const lines = output.split('\n');
  const lineOf = (/** @type {string} */ name) => lines.find((line) => line.slice(7).startsWith(`${name} `)) ?? '';
  assert.match(lineOf('train.bin'), /^WRONG .*SHA-256.*expected 13df2366/);
  assert.match(lineOf('validation.bin.gz'), /^WRONG .*expected 328942, found 328941.*at byte 328941/);
  assert.match(lineOf('test.bin'), /^WRONG .*more bytes.*expected 1578032, found \d+/);
  assert.match(lineOf('test.bin.gz'), /^WRONG .*neither gzip.*<!doctype html>/);
  assert.match(lineOf('test-full.bin.gz'), /^WRONG .*expected a gzip file, found an uncompressed one/);
  assert.match(lineOf('preview.json'), /^WRONG .*expected 23371 bytes, found 23370/);
  for (const good of ['train.bin.gz', 'validation.bin', 'test-full.bin', 'train, validation']) {
    assert.match(lineOf(good), /^ok /);
  }
});

test('verify-dataset: a split that is not there at all', async () => {
  const folder = await copyBuilt('incomplete', ['train.bin', 'test.bin.gz']);
  const { status, output } = await run('verify-dataset', [folder]);
  assert.equal(status, 1);
  assert.match(output, /^WRONG {2}validation +neither validation\.bin nor validation\.bin\.gz/m);
  assert.equal(verdicts(output)['test-full.bin'], '-');
});
