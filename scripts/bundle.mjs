// The page's scripts and styles, put together and made small, as they are deployed: dist.mjs calls it.
// What only later places need stays in files of its own, fetched at the first visit of the place.

import path from 'node:path';

import { build, transform } from 'esbuild';

/** Each becomes one file of the same name; what two of them share goes into files of its own. */
const ENTRY_POINTS = ['app.js', 'worker.js', 'rebuild-worker.js', 'client.js', 'style/style.css'];

/** Not part of a bundle: deployed as they stand. */
const STANDS_ALONE = ['service-worker.js'];

/**
 * @param {string} name   of a file in web/
 * @returns {boolean} whether it comes in a bundle, and so not by itself
 */
export function isBundled(name) {
  return /\.(js|css)$/.test(name) && !STANDS_ALONE.includes(name);
}

/**
 * @param {string} root   of the repository
 * @returns {Promise<Map<string, Buffer>>} the files by their path in dist/
 */
export async function bundlePage(root) {
  const dist = path.join(root, 'dist');
  const { outputFiles } = await build({
    absWorkingDir: path.join(root, 'web'),
    entryPoints: ENTRY_POINTS,
    outdir: dist,
    write: false,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    chunkNames: 'part-[hash]',
    external: ['*.svg'],
    logLevel: 'warning',
  });
  return new Map(outputFiles.map(({ path: file, contents }) => [
    path.relative(dist, file).split(path.sep).join('/'),
    Buffer.from(contents),
  ]));
}

/**
 * A module made small by itself.
 * @param {Buffer} bytes
 * @returns {Promise<Buffer>}
 */
export async function minifyModule(bytes) {
  const { code } = await transform(bytes.toString(), { minify: true, format: 'esm', charset: 'utf8' });
  return Buffer.from(code);
}
