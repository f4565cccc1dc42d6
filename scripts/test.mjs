// Runs the tests, step by step, and counts: node scripts/test.mjs [STEP...]
// scripts/test has set up what the steps need.

import { spawn } from 'node:child_process';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { countMeson, countNode, sum } from './test-counts.mjs';

/** @typedef {import('./test-counts.mjs').Count} Count */

/**
 * A step of the test run. It prints what it does and says how many tests passed and failed.
 * @typedef {object} Step
 * @property {string} name
 * @property {string} about
 * @property {() => Promise<Count>} run
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = 'build/test-results';
// Far more than a step takes: against one that hangs.
const STEP_TIMEOUT_MS = 40 * 60 * 1000;

/**
 * Runs a command; its output goes where ours goes.
 * @param {string} command
 * @param {string[]} args
 * @param {RegExp} [noise]  lines of standard error that nobody needs
 * @returns {Promise<boolean>}  whether it ended with status 0
 */
function run(command, args, noise) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', noise ? 'pipe' : 'inherit'],
      timeout: STEP_TIMEOUT_MS,
    });
    if (noise && child.stderr) {
      createInterface({ input: child.stderr }).on('line', (line) => {
        if (!noise.test(line)) {
          console.error(line);
        }
      });
    }
    child.on('error', (error) => {
      console.error(error.message);
      resolve(false);
    });
    child.on('close', (code, signal) => {
      if (signal) {
        console.error(`${command} was ended by ${signal}`);
      }
      resolve(code === 0);
    });
  });
}

/**
 * A step that is one test: a command that must succeed.
 * @param {boolean} isGood
 * @returns {Count}
 */
function one(isGood) {
  return isGood ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * The project's C files and headers.
 * @returns {Promise<string[]>}
 */
async function listC() {
  const files = [];
  for (const folder of ['src', 'tests']) {
    for (const name of await readdir(path.join(ROOT, folder), { recursive: true })) {
      if (/\.[ch]$/.test(name)) {
        files.push(path.join(folder, name));
      }
    }
  }
  return files.sort();
}

/**
 * Runs clang-tidy on every C file that is built natively, on all cores. A file that is built once
 * for each numerics is read once.
 * @returns {Promise<Count>}
 */
async function checkTidiness() {
  const built = 'build/native';
  const tidy = 'build/tidy';
  // The list of commands is as new as the build files.
  if (!(await run('ninja', ['-C', built, '--quiet', 'build.ninja']))) {
    return one(false);
  }
  /** @type {{directory: string, file: string}[]} */
  const commands = JSON.parse(
    await readFile(path.join(ROOT, built, 'compile_commands.json'), 'utf8'),
  );
  const own = new Map();
  for (const command of commands) {
    const file = path.relative(ROOT, path.resolve(command.directory, command.file));
    if (/^(src|tests)\//.test(file)) {
      own.set(file, command);
    }
  }
  await mkdir(path.join(ROOT, tidy), { recursive: true });
  await writeFile(
    path.join(ROOT, tidy, 'compile_commands.json'),
    JSON.stringify([...own.values()]),
  );
  const files = [...own.keys()];
  const nShares = Math.min(os.availableParallelism(), files.length);
  const results = await Promise.all(
    Array.from({ length: nShares }, (_, share) => {
      const part = files.filter((_file, i) => i % nShares === share);
      return run('clang-tidy', ['--quiet', '-p', tidy, ...part], /warnings? generated\.$/);
    }),
  );
  return one(files.length > 0 && results.every(Boolean));
}

/**
 * Builds a folder and runs the C programs in it.
 * @param {string} folder
 * @returns {Promise<Count>}
 */
async function runMeson(folder) {
  if (!(await run('ninja', ['-C', folder, '--quiet']))) {
    return one(false);
  }
  const log = path.join(ROOT, folder, 'meson-logs/testlog.json');
  await rm(log, { force: true });
  const isGood = await run('meson', [
    'test', '-C', folder, '--no-rebuild', '--print-errorlogs',
  ]);
  return countMeson(await readFile(log, 'utf8').catch(() => ''), isGood);
}

/**
 * Runs node:test files.
 * @param {string} name
 * @param {string} folder
 * @returns {Promise<Count>}
 */
async function runNode(name, folder) {
  const names = await readdir(path.join(ROOT, folder)).catch(() => []);
  const files = names.filter((file) => file.endsWith('.test.mjs')).sort();
  if (files.length === 0) {
    console.error(`${folder} holds no tests`);
    return one(false);
  }
  const tap = `${RESULTS}/${name}.tap`;
  await mkdir(path.join(ROOT, RESULTS), { recursive: true });
  await rm(path.join(ROOT, tap), { force: true });
  const isGood = await run(process.execPath, [
    ...(await nodeFlags()),
    '--test',
    '--test-reporter=spec', '--test-reporter-destination=stdout',
    '--test-reporter=tap', `--test-reporter-destination=${tap}`,
    ...files.map((file) => path.join(folder, file)),
  ]);
  return countNode(await readFile(path.join(ROOT, tap), 'utf8').catch(() => ''), isGood);
}

/** What this Node must be told to run relaxed SIMD; the set-up has found out. */
async function nodeFlags() {
  const toolchain = await readFile(path.join(ROOT, 'build/toolchain.ini'), 'utf8');
  return [...toolchain.matchAll(/'(--[\w-]+)'/g)].map((match) => match[1]);
}

/** @type {Step[]} */
const STEPS = [
  {
    name: 'format',
    about: 'clang-format',
    run: async () =>
      one(await run('clang-format', ['--dry-run', '-Werror', ...(await listC())])),
  },
  {
    name: 'types',
    about: 'tsc --checkJs',
    run: async () => one(await run('node_modules/.bin/tsc', ['-p', '.'])),
  },
  {
    name: 'lint',
    about: 'ESLint',
    run: async () => one(await run('node_modules/.bin/eslint', ['--max-warnings=0', '.'])),
  },
  { name: 'tidy', about: 'clang-tidy', run: checkTidiness },
  {
    name: 'sanitize',
    about: 'C tests under ASan and UBSan',
    run: () => runMeson('build/sanitize'),
  },
  { name: 'native', about: 'C tests, optimised', run: () => runMeson('build/native') },
  { name: 'wasm', about: 'C tests as WebAssembly in Node', run: () => runMeson('build/wasm') },
  { name: 'build', about: 'scripts/build', run: async () => one(await run('scripts/build', [])) },
  { name: 'node', about: 'JavaScript tests', run: () => runNode('node', 'tests') },
  { name: 'browser', about: 'browser tests', run: () => runNode('browser', 'tests/browser') },
];

async function main() {
  const wanted = process.argv.slice(2);
  const unknown = wanted.filter((name) => !STEPS.some((step) => step.name === name));
  if (unknown.length > 0) {
    const names = STEPS.map((step) => step.name).join(', ');
    console.error(`There is no step ${unknown.join(', ')}; the steps are ${names}.`);
    process.exit(2);
  }
  const counts = [];
  for (const step of STEPS) {
    if (wanted.length > 0 && !wanted.includes(step.name)) {
      continue;
    }
    console.log(`\n== ${step.name}: ${step.about}`);
    const start = performance.now();
    const count = await step.run().catch((error) => {
      console.error(error);
      return one(false);
    });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`-- ${step.name}: ${count.passed} passed, ${count.failed} failed (${seconds} s)`);
    counts.push(count);
  }
  const total = sum(counts);
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
}

await main();
