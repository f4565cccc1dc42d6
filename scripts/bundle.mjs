// The page's scripts and styles, put together and made small, as they are deployed: dist.mjs calls it.

import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { build, transform } from 'esbuild';
import { rollup } from 'rollup';
import { minify } from 'terser';

/**
 * What makes the smallest files once they are compressed. The unsafe ones hold here: nothing replaces what a browser has built
 * in, no getter does anything but give, no BigInt goes through Number().
 * @type {import('terser').CompressOptions}
 */
const COMPRESS = { passes: 3, sequences: false, inline: 1, pure_getters: true, unsafe: true, unsafe_arrows: true };

/** The page. What only later places need stays in a file of its own, fetched at the first visit of one, and uses the page's. */
const PAGE = 'app.js';

/** One file each, so that it starts after a single request. */
const WORKERS = ['worker.js', 'thread.js'];

/** A worker too, but a script that is no module: not every browser takes one of those here. */
const SERVICE_WORKER = 'service-worker.js';

/** Imports all style sheets. */
const STYLES = 'style/style.css';

const INDEX = 'index.html';

/**
 * @param {string} name   of a file in web/
 * @returns {boolean} whether it comes in a bundle, and so not by itself
 */
export function isBundled(name) {
  return /\.(js|css)$/.test(name) || name === INDEX;
}

/**
 * Everything that is made of web/'s modules and style sheets, with maps for the debugger.
 * @param {string} root   of the repository
 * @returns {Promise<Map<string, Uint8Array>>} the files by their path in dist/
 */
export async function bundlePage(root) {
  const folders = { web: path.join(root, 'web'), dist: path.join(root, 'dist') };
  const scripts = await Promise.all([
    bundleScript(folders, PAGE, { format: 'es', manualChunks: withThePage }),
    ...WORKERS.map((name) => bundleScript(folders, name, { format: 'es' })),
    bundleScript(folders, SERVICE_WORKER, { format: 'iife' }),
  ]);
  const html = (await readFile(path.join(folders.web, INDEX), 'utf8')).replace(/^ +/gm, '');
  return new Map([...scripts.flat(), ...await bundleStyles(folders), [INDEX, Buffer.from(html)]]);
}

/** @typedef {[string, Uint8Array]} NamedFile   by its path in dist/ */
/** @typedef {{web: string, dist: string}} Folders   dist/: where the files will lie, for the maps */

/**
 * @param {Folders} folders
 * @param {string} name   of the module that it begins with
 * @param {import('rollup').OutputOptions} options
 * @returns {Promise<NamedFile[]>} scripts and their maps
 */
async function bundleScript({ web, dist }, name, options) {
  const bundle = await rollup({
    input: path.join(web, name),
    onwarn(warning) {
      throw new Error(warning.message);
    },
  });
  try {
    const { output } = await bundle.generate({ chunkFileNames: 'part-[hash].js', sourcemap: 'inline', dir: dist, ...options });
    const files = await Promise.all(output.map((part) => (part.type === 'chunk' ? shrink(part) : [])));
    return files.flat();
  } finally {
    await bundle.close();
  }
}

/**
 * What the page needs at once stands together in its own file, for the other one to take from.
 * @type {import('rollup').GetManualChunk}
 */
function withThePage(id, { getModuleInfo }) {
  const isPage = (/** @type {string} */ module) => path.basename(module) === PAGE;
  const seen = new Set();
  const isNeeded = (/** @type {string} */ module) => {
    if (isPage(module)) {
      return true;
    }
    if (seen.has(module)) {
      return false;
    }
    seen.add(module);
    return (getModuleInfo(module)?.importers ?? []).some(isNeeded); // importers at once; a dynamic import is another list
  };
  return isNeeded(id) ? path.basename(PAGE, '.js') : undefined;
}

/**
 * @param {import('rollup').OutputChunk} chunk   with its map in it
 * @returns {Promise<NamedFile[]>} the script as small as two minifiers, one after the other, can make it, and its map
 */
async function shrink({ fileName, code }) {
  const mapName = `${fileName}.map`;
  const first = await transform(code, { minify: true, target: 'es2022', charset: 'utf8', sourcemap: 'external' });
  const small = await minify(first.code, {
    module: true,
    ecma: 2020,
    compress: COMPRESS,
    sourceMap: { content: first.map, includeSources: true, url: mapName },
  });
  return [[fileName, Buffer.from(small.code ?? '')], [mapName, Buffer.from(String(small.map))]];
}

/**
 * @param {Folders} folders
 * @returns {Promise<NamedFile[]>}
 */
async function bundleStyles({ web, dist }) {
  const { outputFiles } = await build({
    absWorkingDir: web,
    entryPoints: [STYLES],
    outbase: '.',
    outdir: dist,
    write: false,
    bundle: true,
    minify: true,
    sourcemap: 'linked',
    charset: 'utf8',
    external: ['*.svg'],
    logLevel: 'silent', // the error says what is wrong
  });
  return outputFiles.map(({ path: file, contents }) => [path.relative(dist, file).split(path.sep).join('/'), contents]);
}
