import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { assemble } from '../scripts/dist.mjs';

const digests = { sha256: 'ab'.repeat(32), gzip_sha256: 'cd'.repeat(32) };
const MANIFEST = {
  splits: { train: { file: 'train.bin', gzip_file: 'train.bin.gz', ...digests } },
  optional_splits: { all: { file: 'all.bin', gzip_file: 'all.bin.gz', ...digests } },
  preview: { file: 'preview.json' },
};

const SOURCES = {
  LICENSE: 'ours',
  'build/dataset/all.bin': 'raw',
  'build/dataset/all.bin.gz': 'all',
  'build/dataset/preview.json': '{}',
  'build/dataset/train.bin': 'raw',
  'build/dataset/train.bin.gz': 'train',
  'build/wasm/src/wasm/engine-fused.js': 'not needed',
  'build/wasm/src/wasm/engine-fused.js.p/part.o': 'object',
  'build/wasm/src/wasm/engine-fused.wasm': 'wasm',
  'manifest/README.md': 'credit',
  'manifest/manifest.json': JSON.stringify(MANIFEST),
  'node_modules/uplot/LICENSE': 'theirs',
  'node_modules/uplot/dist/uPlot.iife.min.js': 'var uPlot = 1;',
  'subprojects/bearssl-0.6/LICENSE.txt': 'theirs',
  'web/.notes': 'hidden',
  'web/README.md': 'for developers',
  'web/app.js': `import { word } from './word.js'; console.log(word); import('./parts/place.js');`,
  'web/index.html': '<!doctype html><script type="module" src="app.js"></script>',
  'web/parts/place.js': `import { word } from '../word.js'; console.log(word + '!');`,
  'web/service-worker.js': `import { word } from './word.js'; console.log(self.BUILD, word);`,
  'web/style/style.css': '@import "base.css";',
  'web/thread.js': 'self.close();',
  'web/style/base.css': 'p { color: red; background: url("../icons/a.svg"); }',
  'web/icons/a.svg': '<svg/>',
  'web/word.js': `export const word = 'word';`,
  'web/worker.js': `import { word } from './word.js'; console.log(word, 1);`,
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

/** @param {string} root @returns {Promise<string[]>} what dist/ holds, the hashes in names left out */
async function listDist(root) {
  const entries = await readdir(path.join(root, 'dist'), { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  return names.map((name) => name.replace(/-[\w-]{8}\./, '-HASH.')).sort();
}

test('holds page, engines, library, compressed dataset and licences, and no more', async (context) => {
  const root = await makeRepository(context);
  const { files, written, removed } = await assemble(root);
  const names = await listDist(root);
  assert.deepEqual(names.filter((name) => !name.endsWith('.map')), [
    'BearSSL.txt', 'README.md', 'a.svg', 'all.bin.gz', 'app.js', 'engine-fused.wasm',
    'index.html', 'lab.txt', 'manifest.json', 'part-HASH.js', 'preview.json',
    'service-worker.js', 'style.css', 'thread.js', 'train.bin.gz', 'uPlot.mjs', 'uPlot.txt', 'worker.js',
  ]);
  assert.deepEqual([files, written, removed], [names.length, names.length, 0]);
  assert.equal(await readFile(path.join(root, 'dist/dataset/README.md'), 'utf8'), 'credit');
});

test('the page is one file, and what comes later another one, which takes from it', async (context) => {
  const root = await makeRepository(context);
  await assemble(root);
  const app = await readFile(path.join(root, 'dist/app.js'), 'utf8');
  const [, later] = /import\("\.\/(part-[\w-]+\.js)"\)/.exec(app) ?? [];
  assert.ok(later, app);
  assert.doesNotMatch(app, /from|import"/);
  assert.match(await readFile(path.join(root, 'dist', later), 'utf8'), /from"\.\/app\.js"/);
});

test('a worker is one file, a style sheet too', async (context) => {
  const root = await makeRepository(context);
  await assemble(root);
  assert.match(await readFile(path.join(root, 'dist/worker.js'), 'utf8'), /^console\.log\("word",1\);/);
  const map = JSON.parse(await readFile(path.join(root, 'dist/worker.js.map'), 'utf8'));
  assert.equal(map.sourcesContent[map.sources.indexOf('../web/worker.js')], SOURCES['web/worker.js']);
  const style = await readFile(path.join(root, 'dist/style/style.css'), 'utf8');
  assert.ok(style.startsWith('p{color:red;background:url(../icons/a.svg)}'), style);
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
  await writeFile(path.join(root, 'web/style/base.css'), 'p { color: blue; }');
  await writeFile(path.join(root, 'dist/wasm/engine-old.wasm'), 'old');
  const { written, removed } = await assemble(root);
  assert.equal(written, 3); // the sheet, its map, and the service worker's list
  assert.equal(removed, 1);
  assert.equal((await stat(kept)).mtimeMs, before.mtimeMs);
  assert.match(await readFile(path.join(root, 'dist/style/style.css'), 'utf8'), /^p\{color:/);
  await assert.rejects(stat(path.join(root, 'dist/wasm/engine-old.wasm')), { code: 'ENOENT' });
});

test('a part that is not built is an error that names it', async (context) => {
  const root = await makeRepository(context);
  await rm(path.join(root, 'build/dataset/train.bin.gz'));
  await assert.rejects(assemble(root), /build\/dataset\/train\.bin\.gz/);
});
