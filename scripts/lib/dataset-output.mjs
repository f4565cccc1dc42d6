// The folder that scripts/build-dataset fills: a staging folder inside it, so that no partial output is ever left at a
// file's name, and a stamp that says what has been proven.

import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';

import { listDatasetFiles } from './dataset-files.mjs';

/** @typedef {import('../../web/manifest.js').Manifest} Manifest */

const STAMP = '.proven.json';
const STAGING = '.building-';

/**
 * What is known of the files without reading them.
 * @param {string} folder
 * @param {Manifest} manifest
 * @param {string} manifestText
 */
async function describe(folder, manifest, manifestText) {
  const files = await Promise.all(
    listDatasetFiles(manifest).map(async (name) => {
      const { size, mtimeMs } = await stat(path.join(folder, name));
      return { name, size, mtimeMs };
    }),
  );
  return JSON.stringify({ manifest: createHash('sha256').update(manifestText).digest('hex'), files });
}

/**
 * Whether all files are there, and as they were when they were proven against this manifest.
 * @param {string} folder
 * @param {Manifest} manifest
 * @param {string} manifestText
 */
export async function isStamped(folder, manifest, manifestText) {
  try {
    const proven = await readFile(path.join(folder, STAMP), 'utf8');
    return proven === (await describe(folder, manifest, manifestText));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') {
      return false;
    }
    throw error;
  }
}

/**
 * Notes that all files are proven.
 * @param {string} folder
 * @param {Manifest} manifest
 * @param {string} manifestText
 */
export async function stamp(folder, manifest, manifestText) {
  await writeFile(path.join(folder, STAMP), await describe(folder, manifest, manifestText));
}

/** @param {string} name   of a staging folder */
function isAbandoned(name) {
  try {
    process.kill(Number(name.slice(STAGING.length)), 0);
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH';
  }
}

/**
 * Files on their way into a folder.
 * @param {string} folder   is made if need be
 */
export async function openStaging(folder) {
  const madeFolder = await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    if (name.startsWith(STAGING) && isAbandoned(name)) {
      await rm(path.join(folder, name), { recursive: true });
    }
  }
  const staging = path.join(folder, `${STAGING}${process.pid}`);
  await mkdir(staging, { recursive: true });
  /** @type {string[]} */
  const names = [];

  const close = async () => {
    await rm(staging, { recursive: true, force: true });
    if (madeFolder !== undefined) {
      await rmdir(folder).catch(() => {}); // made in vain; stays if it holds something
    }
  };
  const onSignal = async (/** @type {NodeJS.Signals} */ signal) => {
    await close();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);

  return {
    /**
     * @param {string} name
     * @param {Uint8Array} bytes
     */
    async write(name, bytes) {
      await writeFile(path.join(staging, name), bytes);
      names.push(name);
    },

    /** Gives all files their names. */
    async publish() {
      for (const name of names) {
        await rename(path.join(staging, name), path.join(folder, name));
      }
    },

    /** Removes what was not published. */
    async close() {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
      await close();
    },
  };
}
