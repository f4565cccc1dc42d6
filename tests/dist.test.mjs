import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { assemble } from '../scripts/dist.mjs';

const MANIFEST = {
  splits: { train: { file: 'train.bin', gzip_file: 'train.bin.gz' } },
  optional_splits: { all: { file: 'all.bin', gzip_file: 'all.bin.gz' } },
  preview: { file: 'preview.json' },
};

const SOURCES = {
  LICENSE: 'ours',
  'build/dataset/all.bin': 'raw',
  'build/dataset/all.bin.gz': 'all',
  'build/dataset/preview.json': '{}',
  'build/dataset/train.bin': 'raw',
  'build/dataset/train.bin.gz': 'train',
  'build/wasm/src/wasm/engine-fused.mjs': 'export default 1;',
  'build/wasm/src/wasm/engine-fused.mjs.p/part.o': 'object',
  'build/wasm/src/wasm/engine-fused.wasm': 'wasm',
  'manifest/README.md': 'credit',
  'manifest/manifest.json': JSON.stringify(MANIFEST),
  'node_modules/uplot/LICENSE': 'theirs',
  'node_modules/uplot/dist/uPlot.iife.min.js': 'var uPlot = 1;',
  'node_modules/uplot/dist/uPlot.min.css': '.u { }',
  'subprojects/bearssl-0.6/LICENSE.txt': 'theirs',
  'web/.notes': 'hidden',
  'web/README.md': 'for developers',
  'web/app.js': "import { width } from './parts/chart.js'; console.log(width);",
  'web/client.js': 'export const client = 1;',
  'web/index.html': '<!doctype html>',
  'web/parts/chart.js': 'export const width = 11;',
  'web/rebuild-worker.js': 'self.close();',
  'web/service-worker.js': 'self.skipWaiting();',
  'web/style/style.css': 'p { margin: 0 }',
  'web/worker.js': 'self.close();',
};

/** A repository in small, gone after the test. */
async function makeRepository(/** @type {import('node:test').TestContext} */ context) {
  const root = await mkdtemp(path.join(os.tmpdir(), 'lab-dist-'));
  context.after(() => rm(root, { recursive: true }));
  for (const [name, text] of Object.entries(SOURCES)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  return root;
}

/**
 * The files of dist/ by their path in it.
 * @param {string} root
 */
async function listDist(root) {
  const names = await readdir(path.join(root, 'dist'), { recursive: true });
  const isFile = await Promise.all(
    names.map(async (name) => (await stat(path.join(root, 'dist', name))).isFile()),
  );
  return names.filter((_name, i) => isFile[i]).sort();
}

test('holds page, engines, compressed dataset and licences, and nothing raw', async (context) => {
  const root = await makeRepository(context);
  const { files, written, removed } = await assemble(root);
  const names = await listDist(root);
  assert.deepEqual([files, written, removed], [names.length, names.length, 0]);
  assert.deepEqual(names.filter((name) => /^(dataset|licenses|wasm)\//.test(name)), [
    'dataset/README.md', 'dataset/all.bin.gz', 'dataset/manifest.json', 'dataset/preview.json',
    'dataset/train.bin.gz', 'licenses/BearSSL.txt', 'licenses/lab.txt', 'licenses/uPlot.txt',
    'wasm/engine-fused.mjs', 'wasm/engine-fused.wasm',
  ]);
  for (const name of ['app.js', 'index.html', 'service-worker.js', 'worker.js']) {
    assert.ok(names.includes(name), name);
  }
  assert.ok(!names.some((name) => /(^|\/)\.|^README/.test(name)), 'nothing hidden, no notes');
  assert.equal(await readFile(path.join(root, 'dist/dataset/README.md'), 'utf8'), 'credit');
});

test('makes a module of the chart library', async (context) => {
  const root = await makeRepository(context);
  await assemble(root);
  const text = await readFile(path.join(root, 'dist/vendor/uPlot.mjs'), 'utf8');
  const module = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  assert.equal(module.default, 1);
});

test('touches what has changed, and removes what has gone', async (context) => {
  const root = await makeRepository(context);
  await assemble(root);
  const kept = path.join(root, 'dist/index.html');
  const before = await stat(kept);
  await writeFile(path.join(root, 'web/parts/chart.js'), 'export const width = 22;');
  await writeFile(path.join(root, 'dist/wasm/engine-old.wasm'), 'old');
  assert.equal((await assemble(root)).removed, 1);
  assert.equal((await stat(kept)).mtimeMs, before.mtimeMs);
  assert.match(await readFile(path.join(root, 'dist/app.js'), 'utf8'), /22/);
  await assert.rejects(stat(path.join(root, 'dist/wasm/engine-old.wasm')), { code: 'ENOENT' });
});

test('a part that is not built is an error that names it', async (context) => {
  const root = await makeRepository(context);
  await rm(path.join(root, 'build/dataset/train.bin.gz'));
  await assert.rejects(assemble(root), /build\/dataset\/train\.bin\.gz/);
});
