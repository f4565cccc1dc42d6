// The report as Markdown.

import { countParameters, figuresOf, findResult } from './figures.mjs';
import { median, quartiles } from './page/statistics.js';
import { isMet, judge, sum } from './targets.mjs';

/** @typedef {import('./engines.mjs').PresetResult} PresetResult */
/** @typedef {import('./engines.mjs').Result} Result */
/** @typedef {import('./kernels.mjs').KernelResult} KernelResult */
/** @typedef {import('./main.mjs').Report} Report */
/** @typedef {import('./targets.mjs').Verdict} Verdict */

/** @param {number|null} value */
function number(value) {
  if (value === null || Number.isNaN(value)) {
    return '–';
  }
  const digits = value < 0.1 ? 4 : value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0;
  return value.toFixed(digits);
}

/** @param {number|null} part */
const percent = (part) => (part === null ? '–' : `${(100 * part).toFixed(0)} %`);

/** @param {string[]} titles @param {string[][]} rows */
function table(titles, rows) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** @param {Report} report @returns {string} */
export function writeMarkdown(report) {
  const { machine, nRounds, engines, kernels, load, start, size } = report;
  const sections = [
    `# Benchmark, ${machine.date}`,
    `${machine.cpu}, ${machine.nCores} cores; ${machine.system}; ${machine.browser}, headless. Medians of ${nRounds} rounds.
Load by others before / after, per core: ${report.loadBefore.toFixed(2)} / ${report.loadAfter.toFixed(2)}.`,
    engines && summarySection(engines),
    ...(engines ?? []).map(engineSection),
    kernels && kernelSection(kernels),
    load && loadSection(load),
    start && startSection(start),
    size && sizeSection(size),
    targetSection(judge(report)),
  ];
  return `${sections.filter((section) => section).join('\n\n')}\n`;
}

/** All presets side by side. @param {PresetResult[]} engines */
function summarySection(engines) {
  const entrants = new Map(
    engines.flatMap(({ baseline, others }) => [baseline, ...others].map(({ entrant }) => [entrant.id, entrant])),
  );
  const rows = [...entrants.values()].map(({ id, label, nThreads }) => {
    const cells = engines.map((preset) => {
      const result = findResult(preset, id);
      const figures = result && figuresOf(preset.preset, result);
      return figures ? `${number(figures.timesBaseline)} (${number(figures.secondsPerEpoch)} s)` : '–';
    });
    return [label, String(nThreads), ...cells];
  });
  return `## Time to train, as a multiple of this engine's (seconds per epoch of 4,000 images)

${table(['', 'threads', ...engines.map(({ preset }) => preset)], rows)}`;
}

/** @param {PresetResult} result */
function engineSection({ preset, nImages, baseline, others, validationShare, absent }) {
  const amount = nImages < 4000 ? ` Measured on ${nImages} images and scaled to 4,000.` : '';
  const rows = [baseline, ...others].map((result) => {
    const { secondsPerEpoch, timesBaseline, gflops, ofPeak, ofBound } = figuresOf(preset, result);
    const [low, high] = quartiles(result.rounds.map((round) => round.timesBaseline));
    const spread = result === baseline ? '' : ` (${number(low)} – ${number(high)})`;
    return [
      result.entrant.label,
      String(result.entrant.nThreads),
      number(secondsPerEpoch),
      `${number(timesBaseline)}${spread}`,
      number(gflops),
      percent(ofPeak),
      number(ofBound),
    ];
  });
  const titles = [
    preset,
    'threads',
    's / epoch',
    'times as long (middle half)',
    'GFLOP/s',
    'of the peak',
    'of the dense bound',
  ];
  const missing = absent.map(({ entrant, reason }) => `\nAbsent: ${entrant.id}: ${reason.split('\n')[0]}`).join('');
  return `## ${preset}: ${countParameters(preset).toLocaleString('en')} parameters, batch 64

${table(titles, rows)}

An epoch of 4,000 images.${amount} GFLOP/s counts 6 × parameters × images; the peak is one core's fused 128-bit peak in
the same tab, meanwhile; the dense bound is the speed of the dense matrix products alone at that peak. Validating 2,000
images takes ${percent(validationShare)} of an epoch of this engine, which the seconds leave out.${missing}`;
}

/** @param {KernelResult[]} kernels */
function kernelSection(kernels) {
  const rows = kernels
    .filter(({ numerics }) => numerics === 'fused')
    .map((fused) => {
      const { preset, name, nIn, nOut } = fused;
      const isTwin = (/** @type {KernelResult} */ each) =>
        each.numerics === 'mul-add' && each.name === name && each.nIn === nIn && each.nOut === nOut;
      const mulAdd = kernels.find(isTwin);
      return [
        `${preset} ${nIn} → ${nOut}, ${name}`,
        number(fused.gflops),
        percent(fused.ofPeak),
        number(mulAdd?.gflops ?? null),
        percent(mulAdd?.ofOwnPeak ?? null),
      ];
    });
  const titles = ['kernel', 'fused, GFLOP/s', 'of the fused peak', 'mul-add, GFLOP/s', 'of the mul-add peak'];
  return `## Kernels, 64 images

${table(titles, rows)}

GFLOP/s counts 2 × 64 × in × out. The first layer leaves out zero pixels, the others' gradients zero gradients (here every
second one, as behind a ReLU): these may be faster than the peak.`;
}

/** @param {NonNullable<Report['load']>} load */
function loadSection({ split, ratios, bareSeconds }) {
  return `## Loading ${split}

${table(
  ['from the manifest to verified images in the engine', 'times as long as fetch + DecompressionStream alone'],
  [
    ['by zlib in WebAssembly, hashing on a second thread: as the page does', number(ratios['zlib page'])],
    ['by DecompressionStream, hashing on a second thread', number(ratios['stream page'])],
    ['by zlib, all on one thread', number(ratios['zlib alone'])],
    ['by DecompressionStream, all on one thread', number(ratios['stream alone'])],
    ['fetch + DecompressionStream alone, into memory that is there', `1 (${number(1000 * bareSeconds)} ms)`],
  ],
)}`;
}

/** @param {NonNullable<Report['start']>} start */
function startSection({ cold, endToEnd, endToEndRatio }) {
  const rows = cold.map(({ label, milliseconds }) => [label, `${median(milliseconds).toFixed(0)} ms`]);
  const seconds = median(endToEnd.map((run) => run.seconds));
  return `## Start

${table(['small: navigation, empty cache, to the end of the first training step', ''], rows)}

Click to ten epochs of small trained and tested: ${number(seconds)} s, ${number(endToEndRatio)} times its training alone.`;
}

/** @param {NonNullable<Report['size']>} size */
function sizeSection({ engines, code, firstView, untilReady }) {
  const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`;
  const rows = [
    ...engines.map(({ name, bytes }) => [name, kilobytes(bytes)]),
    ...code.map(({ name, bytes }) => [name, kilobytes(bytes)]),
    ['all JavaScript, CSS and HTML', kilobytes(sum(code))],
    ['first view', kilobytes(firstView)],
    ['until the engine is ready', kilobytes(untilReady)],
  ];
  return `## Sizes, gzip'd

${table(['', ''], rows)}`;
}

/** @param {Verdict[]} verdicts */
function targetSection(verdicts) {
  const rows = verdicts.map((verdict) => {
    const { what, found, target, atLeast, unit, note } = verdict;
    const off = Math.abs(found / target - 1);
    const words = isMet(verdict) ? 'met' : `**missed by ${percent(off)}**`;
    return [note ? `${what} (${note})` : what, `${atLeast ? '≥' : '≤'} ${target} ${unit}`, `${number(found)} ${unit}`, words];
  });
  const nMet = verdicts.filter(isMet).length;
  return `## Targets: ${nMet} of ${verdicts.length} met

${table(['', 'target', 'found', ''], rows)}`;
}
