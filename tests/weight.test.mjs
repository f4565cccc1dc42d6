// How heavy dist/ is, as scripts/build leaves it: what a visitor may have to fetch, as gzip makes it.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const LARGEST_WASM = 60_000;

/** @param {RegExp} wanted @returns {Promise<{name: string, bytes: number}[]>} */
async function weigh(wanted) {
  const names = (await readdir(DIST, { recursive: true })).filter((name) => wanted.test(name));
  return Promise.all(names.map(async (name) => {
    const bytes = await readFile(path.join(DIST, name));
    return { name, bytes: gzipSync(bytes, { level: 9 }).length };
  }));
}

test('each module of WebAssembly is small', async () => {
  const modules = await weigh(/\.wasm$/);
  assert.ok(modules.length >= 3, modules.join());
  for (const { name, bytes } of modules) {
    assert.ok(bytes <= LARGEST_WASM, `${name}: ${bytes} bytes, ${LARGEST_WASM} allowed`);
  }
});
