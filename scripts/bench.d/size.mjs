// Part "size": what is sent over the network, as gzip makes it (level 9).

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { FOLDERS } from './folders.mjs';

/** @typedef {{name: string, bytes: number}} Size */
/**
 * @typedef {object} SizeResult
 * @property {Size[]} engines
 * @property {Size[]} code         by kind
 * @property {number} firstView    bytes
 * @property {number} untilReady   bytes
 */

/** @type {[string, (name: string) => boolean][]} */
const CODE = [
  ['HTML', (name) => name.endsWith('.html')],
  ['CSS', (name) => name.endsWith('.css')],
  ['JavaScript of libraries', (name) => name.startsWith('vendor/') && isScript(name)],
  ["JavaScript of Emscripten's", (name) => name.startsWith('wasm/') && isScript(name)],
  ["JavaScript of the lab's", (name) => !/^(vendor|wasm)\//.test(name) && isScript(name)],
];
/** The page has drawn its first view and has its engine when nothing has been asked for so long. */
const IDLE_MS = 1000;

/** @param {string} name */
function isScript(name) {
  return /\.m?js$/.test(name);
}

/** @param {string} file   in the deployed folder @returns {Promise<number>} */
async function compressedBytes(file) {
  const bytes = await readFile(path.join(FOLDERS.lab, file));
  return file.endsWith('.gz') ? bytes.length : gzipSync(bytes, { level: 9 }).length;
}

/** @param {Iterable<string>} files */
async function total(files) {
  const sizes = await Promise.all([...files].map(compressedBytes));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

/**
 * @param {{browser: import('puppeteer-core').Browser, labUrl: string, requested: Set<string>}} place
 *     requested: grows by the path of each file that labUrl is asked for
 * @returns {Promise<SizeResult>}
 */
export async function measureSizes({ browser, labUrl, requested }) {
  const all = await readdir(FOLDERS.lab, { recursive: true });
  const engines = all.filter((name) => /^wasm[/\\]engine-.*\.wasm$/.test(name)).sort();
  requested.clear();
  const page = await browser.newPage();
  // What a service worker lays up for later visits does not count.
  await page.evaluateOnNewDocument('delete Navigator.prototype.serviceWorker');
  await page.goto(labUrl);
  await page.waitForNetworkIdle({ idleTime: IDLE_MS });
  await page.close();
  const files = [...requested].map((name) => (name === '/' ? 'index.html' : name.slice(1)));
  return {
    engines: await Promise.all(
      engines.map(async (name) => ({ name: path.basename(name), bytes: await compressedBytes(name) })),
    ),
    code: await Promise.all(CODE.map(async ([name, isOne]) => ({ name, bytes: await total(all.filter(isOne)) }))),
    // The engine is fetched when the view stands.
    firstView: await total(files.filter((name) => !name.startsWith('wasm/'))),
    untilReady: await total(files),
  };
}
