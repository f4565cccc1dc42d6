// The benchmark: node scripts/bench.d/main.mjs [options]; scripts/bench sets up what it needs first, and lists them.

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { startServer as startLabServer } from '../server.mjs';
import { withBrowser } from './browser.mjs';
import { drawChart } from './chart.mjs';
import { measureEngines } from './engines.mjs';
import { FOLDERS } from './folders.mjs';
import { measureKernels } from './kernels.mjs';
import { measureLoading } from './loading.mjs';
import { describeMachine, load } from './machine.mjs';
import { writeMarkdown } from './markdown.mjs';
import { PRESETS } from './page/protocol.js';
import { startServer } from './server.mjs';
import { measureSizes } from './size.mjs';
import { measureStart } from './start.mjs';

/**
 * @typedef {object} Report
 * @property {import('./machine.mjs').Machine} machine
 * @property {number} loadBefore   processes that want to run, a core
 * @property {number} loadAfter
 * @property {number} nRounds
 * @property {import('./engines.mjs').PresetResult[]} [engines]   a part is there if it was asked for
 * @property {import('./kernels.mjs').KernelResult[]} [kernels]
 * @property {import('./loading.mjs').LoadResult} [load]
 * @property {import('./start.mjs').StartResult} [start]
 * @property {import('./size.mjs').SizeResult} [size]
 */

const PARTS = ['engines', 'kernels', 'load', 'start', 'size'];

/** @param {string} line */
function say(line) {
  process.stderr.write(`bench: ${line}\n`);
}

/** @param {string|undefined} given @param {string[]} all @param {string} option @returns {string[]} */
function chosen(given, all, option) {
  const list = given?.split(',') ?? all;
  const stranger = list.find((item) => !all.includes(item));
  if (stranger !== undefined) {
    throw new Error(`--${option} ${stranger}: not one of ${all.join(', ')}`);
  }
  return list;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      part: { type: 'string' },
      rounds: { type: 'string', default: '7' },
      who: { type: 'string' },
      out: { type: 'string', default: FOLDERS.report },
      json: { type: 'string' },
    },
  });
  const nRounds = Number(values.rounds);
  if (!Number.isInteger(nRounds) || nRounds < 1) {
    throw new Error(`--rounds ${values.rounds}: not a number from 1 on`);
  }
  return {
    presets: chosen(values.only, Object.keys(PRESETS), 'only'),
    parts: chosen(values.part, PARTS, 'part'),
    nRounds,
    who: values.who?.split(',') ?? [],
    out: values.out,
    json: values.json ?? path.join(values.out, 'bench.json'),
  };
}

/** @typedef {ReturnType<typeof readOptions>} Options */

/**
 * @param {Options} options
 * @param {{browser: import('puppeteer-core').Browser, url: string, labUrl: string, requested: Set<string>}} place
 * @returns {Promise<Report>}
 */
async function measureAll({ presets, parts, nRounds, who }, place) {
  /** @type {Report} */
  const report = {
    machine: await describeMachine(await place.browser.version()),
    loadBefore: load(),
    loadAfter: NaN,
    nRounds,
  };
  /** @type {Record<string, () => Promise<void>>} */
  const measurements = {
    engines: async () => void (report.engines = await measureEngines(place, { presets, nRounds, only: who, say })),
    kernels: async () => void (report.kernels = await measureKernels(place, { presets, nRounds })),
    load: async () => void (report.load = await measureLoading(place, nRounds)),
    start: async () => void (report.start = await measureStart(place, nRounds)),
    size: async () => void (report.size = await measureSizes(place)),
  };
  for (const part of parts) {
    say(`part ${part}`);
    await measurements[part]();
  }
  report.loadAfter = load();
  return report;
}

async function main() {
  const options = readOptions();
  /** @type {Set<string>} */
  const requested = new Set();
  const [server, labServer] = await Promise.all([
    startServer(),
    startLabServer({
      root: FOLDERS.lab,
      intercept: (_request, _response, pathname) => {
        requested.add(pathname);
        return false;
      },
    }),
  ]);
  try {
    await mkdir(options.out, { recursive: true });
    await withBrowser(async (browser) => {
      const report = await measureAll(options, { browser, url: server.url, labUrl: labServer.url, requested });
      await writeFile(options.json, `${JSON.stringify(report, null, 1)}\n`);
      const markdown = writeMarkdown(report);
      await writeFile(path.join(options.out, 'bench.md'), markdown);
      await drawChart({ browser, url: server.url }, report, `${options.out}/bench.png`);
      process.stdout.write(markdown);
    });
    say(`the report is in ${options.out}`);
  } finally {
    server.close();
    await labServer.close();
  }
}

main().catch((error) => {
  say(error.stack);
  process.exitCode = 1;
});
