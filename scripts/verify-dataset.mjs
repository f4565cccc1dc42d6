// scripts/verify-dataset's own part: one line a file.

import { readFile, stat } from 'node:fs/promises';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { parseManifest } from '../web/manifest.js';
import { describeFault, examineFolder, MANIFEST, startProducer } from './lib/dataset-files.mjs';

/** @typedef {import('./lib/dataset-files.mjs').Finding} Finding */

const USAGE = `usage: scripts/verify-dataset DIR [--manifest FILE]
Checks the .bin and .bin.gz files and preview.json in DIR against manifest/manifest.json.
`;

/** @param {string[]} args */
function readArguments(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { manifest: { type: 'string', default: MANIFEST }, help: { type: 'boolean' } },
    });
    return { ...values, folder: positionals.length === 1 ? positionals[0] : undefined };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return { manifest: MANIFEST, folder: undefined };
  }
}

/**
 * A split may be there in one form or in both, but the default ones must be there.
 * @param {Finding[]} findings
 * @param {import('../web/manifest.js').Manifest} manifest
 * @returns {string[]}   ids
 */
function listMissing(findings, manifest) {
  const missing = new Set(findings.filter(({ state }) => state === 'missing').map(({ name }) => name));
  return Object.values(manifest.splits)
    .filter(({ isBalanced, file, gzipFile }) => isBalanced && missing.has(file) && missing.has(gzipFile))
    .map(({ id }) => id);
}

/** @param {string[]} args */
async function main(args) {
  const { folder, manifest: manifestFile, help } = { help: false, ...readArguments(args) };
  if (help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const isFolder = folder !== undefined && (await stat(folder).catch(() => null))?.isDirectory();
  if (folder === undefined || !isFolder) {
    process.stderr.write(folder === undefined ? USAGE : `${folder} is not a folder.\n${USAGE}`);
    return 2;
  }
  const manifestText = await readFile(manifestFile, 'utf8');
  const manifest = parseManifest(manifestText);
  const findings = [];
  for await (const finding of examineFolder(await startProducer(), folder, manifest, manifestText)) {
    const verdict = { good: 'ok', bad: 'WRONG', missing: '-' }[finding.state];
    process.stdout.write(`${verdict.padEnd(6)} ${finding.name.padEnd(18)} ${finding.text}\n`);
    findings.push(finding);
  }
  const missing = listMissing(findings, manifest);
  for (const id of missing) {
    process.stdout.write(`WRONG  ${id.padEnd(18)} neither ${id}.bin nor ${id}.bin.gz is in ${folder}\n`);
  }
  return missing.length > 0 || findings.some(({ state }) => state === 'bad') ? 1 : 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`verify-dataset: ${describeFault(error)}\n`);
  process.exitCode = 1;
}
