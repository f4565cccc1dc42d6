// The page's scripts and styles, put together and made small, as they are deployed: dist.mjs calls it.

import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { build } from 'esbuild';
import { minify } from 'terser';

/**
 * What makes the smallest files once they are compressed. The unsafe ones hold here: nothing replaces what a browser has built
 * in, no getter does anything but give, no BigInt goes through Number().
 * @type {import('terser').CompressOptions}
 */
const COMPRESS = { passes: 3, sequences: false, inline: 1, pure_getters: true, unsafe: true, unsafe_arrows: true };

/** The page. What only later places need stays in files of its own, fetched at the first visit of the place. */
const PAGE = ['app.js'];

/** One file each, so that it starts after a single request. */
const WORKERS = ['worker.js', 'thread.js'];

/** A worker too, but a script that is no module: not every browser takes one of those here. */
const SERVICE_WORKER = ['service-worker.js'];

/** Imports all style sheets. */
const STYLES = ['style/style.css'];

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
  const dist = path.join(root, 'dist');
  /** @param {string[]} entryPoints @param {import('esbuild').BuildOptions} options */
  const bundle = (entryPoints, options) => build({
    absWorkingDir: path.join(root, 'web'),
    entryPoints,
    outbase: '.',
    outdir: dist,
    write: false,
    bundle: true,
    minify: true,
    sourcemap: 'linked',
    legalComments: 'none', // the licences are deployed whole, in licenses/
    target: 'es2022',
    charset: 'utf8',
    metafile: true,
    logLevel: 'silent', // the error says what is wrong
    ...options,
  });
  const page = await bundle(PAGE, { format: 'esm', splitting: true, chunkNames: 'part-[hash]' });
  const others = await Promise.all([
    bundle(WORKERS, { format: 'esm' }),
    bundle(SERVICE_WORKER, { format: 'iife' }),
    bundle(STYLES, { external: ['*.svg'] }),
  ]);
  /** @type {Map<string, Uint8Array>} */
  const files = new Map();
  for (const { path: file, contents } of [page, ...others].flatMap(({ outputFiles = [] }) => outputFiles)) {
    files.set(path.relative(dist, file).split(path.sep).join('/'), contents);
  }
  await Promise.all([...files.keys()].filter((name) => name.endsWith('.js')).map((name) => shrink(files, name)));
  files.set(INDEX, Buffer.from(await indexWithHints(root, staticImports(page))));
  return files;
}

/**
 * Makes a script smaller than esbuild does, by a twenty-fifth, and its map with it.
 * @param {Map<string, Uint8Array>} files   changed in place
 * @param {string} name
 */
async function shrink(files, name) {
  const [script, content] = [name, `${name}.map`].map((file) => Buffer.from(files.get(file) ?? []).toString());
  const { code = '', map = '' } = await minify(script, {
    module: true,
    ecma: 2020,
    compress: COMPRESS,
    sourceMap: { content, includeSources: true, url: `${path.basename(name)}.map` },
  });
  files.set(name, Buffer.from(code));
  files.set(`${name}.map`, Buffer.from(String(map)));
}

/**
 * What the page's module imports at once, and so needs together with it.
 * @param {import('esbuild').BuildResult} result   with a metafile
 * @returns {string[]} paths in dist/
 */
function staticImports({ metafile }) {
  const outputs = Object.entries(metafile?.outputs ?? {});
  const [file = '', app] = outputs.find(([, { entryPoint }]) => entryPoint === PAGE[0]) ?? [];
  const imports = app?.imports.filter(({ kind }) => kind === 'import-statement') ?? [];
  return imports.map((imported) => path.posix.relative(path.posix.dirname(file), imported.path));
}

/**
 * The page without its indentation, whose browser learns at once what it will have to fetch.
 * @param {string} root
 * @param {string[]} modules   paths in dist/
 */
async function indexWithHints(root, modules) {
  const html = (await readFile(path.join(root, 'web', INDEX), 'utf8')).replace(/^ +/gm, '');
  const hints = modules.map((name) => `<link rel="modulepreload" href="${name}">\n`).join('');
  return html.replace('<script ', () => `${hints}<script `);
}
