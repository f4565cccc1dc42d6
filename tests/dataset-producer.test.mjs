// The producer module as JavaScript sees it: descriptions, handles, and SHA-256 in WebAssembly.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { MANIFEST, startProducer } from '../scripts/lib/dataset-files.mjs';
import { LabError } from '../web/fault.js';
import { parseManifest, writeExpectation, writeStruct } from '../web/manifest.js';
import { parsePlan, rebuild } from '../web/rebuild.js';

/** @typedef {import('../web/types.js').Check} Check */

const producer = await startProducer();
const TEXT = readFileSync(MANIFEST, 'utf8');
const { splits } = parseManifest(TEXT);

/** Opens a split that expects `validation`. */
function openSplit() {
  const { validation } = splits;
  assert.ok(validation);
  writeExpectation(producer, validation);
  return producer.status('gd_split_open');
}

/**
 * @param {number} handle
 * @returns {Check[]}
 */
function checksOf(handle) {
  return JSON.parse(producer.text(producer.pointer('gd_split_checks', handle)));
}

/**
 * @param {() => unknown} call
 * @param {string} code
 * @returns {LabError}
 */
function refused(call, code) {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof LabError, String(error));
    assert.equal(error.code, code);
    return error;
  }
  return assert.fail('not refused');
}

/**
 * Lets bytes pass by an open split, and reads the digest that C has found.
 * @param {Uint8Array} bytes
 * @param {number} piece
 */
function sha256InWasm(bytes, piece) {
  const handle = openSplit();
  producer.withRoom(Math.max(1, piece), (address) => {
    for (let at = 0; at < bytes.length; at += piece) {
      const part = bytes.subarray(at, at + piece);
      producer.write(address, part);
      producer.status('gd_split_gzip_hash', handle, address, part.length);
    }
  });
  refused(() => producer.status('gd_split_finish', handle, 1), 'WRONG_GZIP_SIZE');
  const found = checksOf(handle).find(({ name }) => name === 'gzip SHA-256')?.found;
  producer.status('gd_split_close', handle);
  return found;
}

test('SHA-256 at every length up to 255 is what OpenSSL computes', () => {
  const message = Uint8Array.from({ length: 256 }, (_, i) => (i * 167 + 13) & 255);
  for (let n = 0; n < 256; n++) {
    const part = message.subarray(0, n);
    assert.equal(sha256InWasm(part, 1 + (n % 70)), createHash('sha256').update(part).digest('hex'), `length ${n}`);
  }
});

test('a fault is told in full', () => {
  const handle = openSplit();
  const room = producer.number('gd_split_room_bytes', handle);
  assert.equal(room, 1578032);
  producer.write(producer.pointer('gd_split_room', handle), new Uint8Array(room));
  producer.status('gd_split_append', handle, room);
  const fault = refused(() => producer.status('gd_split_finish', handle, 0), 'WRONG_DIGEST');
  assert.equal(fault.subject, 'SHA-256');
  assert.equal(fault.expected, splits.validation?.sha256);
  assert.equal(fault.found, createHash('sha256').update(new Uint8Array(room)).digest('hex'));
  assert.equal(fault.offset, -1);
  const checks = checksOf(handle);
  assert.equal(checks.length, 18);
  const magic = checks.find(({ name }) => name === 'magic');
  assert.deepEqual(magic, {
    name: 'magic',
    state: 'failed',
    status: 'WRONG_MAGIC',
    expected: '"GDMNIST1"',
    found: String.raw`"\x00\x00\x00\x00\x00\x00\x00\x00"`,
    offset: 0,
  });
  for (const name of ['gd_split_pixels', 'gd_split_labels', 'gd_split_indices']) {
    refused(() => producer.pointer(name, handle), 'WRONG_STATE');
  }
  assert.equal(producer.number('gd_split_n_images', handle), 0);
  refused(() => producer.status('gd_split_disjoint', handle, handle), 'WRONG_STATE');
  producer.status('gd_split_close', handle);
});

test('a handle that is closed, made up, or of another kind', () => {
  const old = openSplit();
  producer.status('gd_split_close', old);
  const handle = openSplit();
  assert.notEqual(handle, old);
  for (const wrong of [old, 0, -1, 1, 2 ** 31 - 1, handle + 1, -(2 ** 31)]) {
    for (const call of ['gd_split_close', 'gd_rebuild_close', 'gd_rebuild_next']) {
      refused(() => producer.status(call, wrong), 'STALE_HANDLE');
    }
    refused(() => producer.status('gd_split_append', wrong, 0), 'STALE_HANDLE');
    refused(() => producer.status('gd_split_finish', wrong, 0), 'STALE_HANDLE');
    refused(() => producer.pointer('gd_split_room', wrong), 'STALE_HANDLE');
    assert.equal(producer.number('gd_split_room_bytes', wrong), 0);
    assert.equal(producer.text(producer.pointer('gd_split_checks', wrong)), '');
  }
  refused(() => producer.status('gd_rebuild_close', handle), 'STALE_HANDLE');
  producer.status('gd_split_close', handle);
});

test('a split can be opened and closed for ever', () => {
  const before = producer.pointer('gd_memory_allocate', 64);
  producer.number('gd_memory_free', before);
  for (let i = 0; i < 2000; i++) {
    producer.status('gd_split_close', openSplit());
  }
  const handles = Array.from({ length: 64 }, openSplit);
  const fault = refused(openSplit, 'OUT_OF_MEMORY');
  assert.equal(fault.subject, 'open handles');
  for (const handle of handles) {
    producer.status('gd_split_close', handle);
  }
  const after = producer.pointer('gd_memory_allocate', 64);
  producer.number('gd_memory_free', after);
  assert.equal(after, before);
});

test('an expectation that contradicts itself, or was never filled', () => {
  const { validation } = splits;
  assert.ok(validation);
  writeExpectation(producer, { ...validation, bytes: validation.bytes + 1 });
  const fault = refused(() => producer.status('gd_split_open'), 'MANIFEST_INCONSISTENT');
  assert.equal(fault.subject, 'bytes for this image count');
  producer.pointer('gd_split_expectation');
  refused(() => producer.status('gd_split_open'), 'MANIFEST_INCONSISTENT');
});

test('memory that is not there', () => {
  const fault = refused(() => producer.pointer('gd_memory_allocate', 2 ** 32 - 1), 'OUT_OF_MEMORY');
  assert.equal(fault.expected, '4294967295 bytes');
  refused(() => producer.pointer('gd_memory_allocate', 0), 'OUT_OF_MEMORY');
});

test('a struct\'s fields must be known and fit', () => {
  const layout = producer.description.expectation;
  const address = producer.pointer('gd_split_expectation');
  assert.throws(() => writeStruct(producer, address, layout, {}), /asks for bytes/);
  const { validation } = splits;
  assert.ok(validation);
  assert.throws(() => writeExpectation(producer, { ...validation, id: 'a'.repeat(16) }), /id does not fit/);
  assert.throws(() => writeExpectation(producer, { ...validation, classCounts: Array(11).fill(1) }), /does not fit/);
});

test('a rebuild that is given up leaves nothing open', async () => {
  const plan = parsePlan(TEXT);
  for (let i = 0; i < 70; i++) {
    for await (const step of rebuild(producer, plan, async () => new Uint8Array(0))) {
      assert.equal(step.id, 'training-images');
      assert.equal(step.fault?.code, 'IDX_TRUNCATED');
      assert.deepEqual(step.checks.map(({ name, state }) => [name, state]), [['IDX length', 'failed']]);
      assert.equal(step.output('raw').length, 0);
    }
  }
});
