// Tells the service worker what a build is made of: digests of everything that is deployed.

import { createHash } from 'node:crypto';

/** @typedef {import('../../types/service-worker.js').Build} Build */

/** Not needed to use the lab: for debuggers and lawyers. */
const NOT_KEPT = /\.map$|^licenses\/|^dataset\/README\.md$/;

/**
 * Puts the list of the build before the service worker's code.
 * @param {Map<string, Uint8Array>} files  everything that is deployed, the service worker's code included
 * @param {{gzip_file: string, gzip_sha256: string, sha256: string}[]} splits  of the manifest
 * @returns {Buffer}  the service worker
 */
export function listBuild(files, splits) {
  const code = files.get('service-worker.js');
  if (!code) {
    throw new Error('There is no service-worker.js to list the build in.');
  }
  const digests = [...files.keys()].sort().map((name) => ({ name, digest: sha256(files.get(name) ?? '') }));
  const splitNames = splits.map((split) => `dataset/${split.gzip_file}`);
  const kept = digests.filter(
    ({ name }) => name !== 'service-worker.js' && !splitNames.includes(name) && !NOT_KEPT.test(name),
  );
  const list = digests.map(({ name, digest }) => `${digest.toString('hex')}  ${name}\n`).join('');
  /** @type {Build} */
  const build = {
    id: sha256(list).toString('hex').slice(0, 16),
    files: Object.fromEntries(kept.map(({ name, digest }) => [name, integrity(digest)])),
    // Some hosts send a split decoded.
    splits: Object.fromEntries(
      splits.map((split, i) => [
        splitNames[i],
        [split.gzip_sha256, split.sha256].map((hex) => integrity(Buffer.from(hex, 'hex'))).join(' '),
      ]),
    ),
  };
  return Buffer.concat([Buffer.from(`self.BUILD = ${JSON.stringify(build)};\n`), code]);
}

/** @param {import('node:crypto').BinaryLike} bytes */
function sha256(bytes) {
  return createHash('sha256').update(bytes).digest();
}

/** @param {Buffer} digest */
function integrity(digest) {
  return `sha256-${digest.toString('base64')}`;
}
