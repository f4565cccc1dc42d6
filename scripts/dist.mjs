// Puts together dist/, the deployable folder, from what is built: node scripts/dist.mjs

import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { minify } from 'terser';

import { bundlePage, isBundled } from './bundle.mjs';
import { listBuild } from './lib/build-list.mjs';

// Comes minified as a script only; deployedBytes makes a module of it, a little smaller still.
const UPLOT_SCRIPT = 'node_modules/uplot/dist/uPlot.iife.min.js';

/**
 * Every file below a folder, by its path inside it with '/' between the parts.
 * @param {string} folder  need not exist
 * @returns {Promise<string[]>}
 */
async function listFiles(folder) {
  /** @type {string[]} */
  const names = [];
  /** @param {string} inside */
  async function visit(inside) {
    for (const entry of await readdir(path.join(folder, inside), { withFileTypes: true })) {
      const name = path.posix.join(inside, entry.name);
      if (entry.isDirectory()) {
        await visit(name);
      } else {
        names.push(name);
      }
    }
  }
  await visit('').catch((error) => {
    if (error.code !== 'ENOENT') {
      throw error;
    }
  });
  return names.sort();
}

/**
 * @param {any} manifest
 * @returns {{gzip_file: string, gzip_sha256: string, sha256: string}[]}  the optional ones too
 */
function splitsOf(manifest) {
  return [...Object.values(manifest.splits), ...Object.values(manifest.optional_splits ?? {})];
}

/**
 * Where each file of dist/ comes from that is not made by bundlePage.
 * @param {string} root  of the repository
 * @param {any} manifest
 * @returns {Promise<Map<string, string>>}  path in dist/ to path in the repository
 */
async function planFiles(root, manifest) {
  const plan = new Map();
  for (const name of await listFiles(path.join(root, 'web'))) {
    if (!name.endsWith('.md') && !path.posix.basename(name).startsWith('.') && !isBundled(name)) {
      plan.set(name, `web/${name}`);
    }
  }
  const wasmFolder = 'build/wasm/src/wasm';
  for (const name of await listFiles(path.join(root, wasmFolder))) {
    if (/^[\w-]+\.wasm$/.test(name)) {
      plan.set(`wasm/${name}`, `${wasmFolder}/${name}`);
    }
  }
  plan.set('vendor/uPlot.mjs', UPLOT_SCRIPT);

  for (const file of [...splitsOf(manifest).map((split) => split.gzip_file), manifest.preview.file]) {
    plan.set(`dataset/${file}`, `build/dataset/${file}`);
  }
  plan.set('dataset/manifest.json', 'manifest/manifest.json');
  plan.set('dataset/README.md', 'manifest/README.md');

  plan.set('licenses/lab.txt', 'LICENSE');
  plan.set('licenses/uPlot.txt', 'node_modules/uplot/LICENSE');
  plan.set('licenses/BearSSL.txt', 'subprojects/bearssl-0.6/LICENSE.txt');
  return plan;
}

/**
 * What is deployed of a file of the repository.
 * @param {string} root
 * @param {string} source
 * @returns {Promise<Buffer>}
 */
async function deployedBytes(root, source) {
  const bytes = await readFile(path.join(root, source));
  if (source !== UPLOT_SCRIPT) {
    return bytes;
  }
  const { code = '' } = await minify(`${bytes}\nexport default uPlot;\n`, { module: true, ecma: 2020 });
  return Buffer.from(code);
}

/**
 * Everything that is deployed.
 * @param {string} root  of the repository
 * @returns {Promise<Map<string, Uint8Array>>}  by path in dist/
 */
async function makeFiles(root) {
  const manifest = JSON.parse(await readFile(path.join(root, 'manifest/manifest.json'), 'utf8'));
  const files = await bundlePage(root);
  for (const [target, source] of await planFiles(root, manifest)) {
    files.set(target, await deployedBytes(root, source));
  }
  files.set('service-worker.js', listBuild(files, splitsOf(manifest)));
  return files;
}

/**
 * Brings dist/ up to date. Files that are the same are not touched; others appear whole.
 * @param {string} root  of the repository
 * @returns {Promise<{files: number, written: number, removed: number}>}
 */
export async function assemble(root) {
  const files = await makeFiles(root);
  const dist = path.join(root, 'dist');
  let written = 0;
  for (const [target, bytes] of files) {
    const file = path.join(dist, target);
    const present = await readFile(file).catch(() => null);
    if (!present?.equals(bytes)) {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(`${file}.new`, bytes);
      await rename(`${file}.new`, file);
      written++;
    }
  }
  const stale = (await listFiles(dist)).filter((name) => !files.has(name));
  for (const name of stale) {
    await rm(path.join(dist, name));
  }
  return { files: files.size, written, removed: stale.length };
}

async function main() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { files, written, removed } = await assemble(root);
  if (written + removed > 0) {
    console.error(`build: dist/ holds ${files} files (${written} new, ${removed} removed)`);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main().catch((error) => {
    console.error(`build: ${error.message}`);
    process.exit(1);
  });
}
