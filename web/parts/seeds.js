// What several seeds say: mean and spread of each configuration, and its paired difference from the baseline.

import { el, svg } from './dom.js';
import { familiesOf, grouped, nBranches } from './family.js';
import { branches, countOf, pText, percent } from './format.js';
import { paced } from './paced.js';

/** @typedef {import('./family.js').Family} Family */
/** @typedef {import('./family.js').Tested} Tested */
/** @typedef {import('../client.js').Client} Client */
/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../state.js').Checkpoint} Checkpoint */
/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../types.js').Paired} Paired */
/** @typedef {import('../types.js').Summary} Summary */

/**
 * One configuration of a family.
 * @typedef {object} Row
 * @property {number} mask
 * @property {Summary} summary
 * @property {{paired: Paired, pValues: {seed: number, p: number}[]}|null} difference   from the baseline; null without one
 */

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 */
export function mountSeeds(container, store, lab) {
  const empty = el('p', { class: 'empty' }, 'One run says little: another seed gives another network. Set “Seeds” to 3 or '
    + 'more in the plan, and means, intervals and paired tests appear here.');
  const body = el('div', { class: 'seeds', id: 'seeds' });
  container.append(el('h2', {}, 'Over several seeds'), empty, body);

  const refresh = paced(() => lab.attempt(async () => {
    const { runs, checkpoint } = store.state;
    const families = familiesOf(runs, checkpoint).filter(({ members }) => new Set(members.map(({ seed }) => seed)).size > 1);
    const client = families.length > 0 ? await lab.client() : null;
    const sections = [];
    for (const family of families.toReversed()) {
      const rows = await rowsOf(family, checkpoint, /** @type {Client} */ (client), lab);
      sections.push(section(family, rows));
    }
    empty.hidden = sections.length > 0;
    body.replaceChildren(...sections);
  }), 500);
  store.watch((state) => state.runs, refresh);
  store.watch((state) => state.checkpoint, refresh);
}

/**
 * @param {Family} family
 * @param {Checkpoint} checkpoint
 * @param {Client} client
 * @param {Lab} lab
 * @returns {Promise<Row[]>} by number of branches
 */
async function rowsOf({ members }, checkpoint, client, lab) {
  // The latest run of a seed stands for it: to run the same once more adds no evidence.
  const byMask = new Map([...grouped(members, ({ mask }) => mask)].map(([mask, runs]) =>
    [mask, new Map(runs.map((run) => [run.seed, run]))]));
  const baseline = byMask.get(0);
  const rows = [];
  for (const [mask, bySeed] of byMask) {
    const summary = await client.summarize([...bySeed.values()].map(({ accuracy }) => accuracy));
    const shared = mask === 0 || baseline === undefined ? [] : [...bySeed.keys()].filter((seed) => baseline.has(seed));
    const pairs = shared.map((seed) => [baseline?.get(seed), bySeed.get(seed)].map((run) => /** @type {Tested} */ (run)));
    rows.push({
      mask,
      summary,
      difference: pairs.length === 0 ? null : {
        paired: await client.pair(pairs.map(([a]) => a.accuracy), pairs.map(([, b]) => b.accuracy)),
        pValues: await Promise.all(pairs.map(async ([a, b]) => {
          const { pValue } = await lab.inspector.comparison(a.run, b.run, checkpoint);
          return { seed: b.seed, p: pValue };
        })),
      },
    });
  }
  return rows.sort((a, b) => nBranches(a.mask) - nBranches(b.mask) || a.mask - b.mask);
}

/** @param {Family} family @param {Row[]} rows */
function section({ name }, rows) {
  const differences = rows.filter((row) => row.difference !== null);
  return el(
    'section',
    { class: 'seeds__family' },
    el('h3', {}, name),
    summaryTable(rows),
    differences.length > 0 && el('h3', {}, 'Difference from the baseline, seed by seed'),
    differences.length > 0 && differenceTable(differences),
    ...differences.map((row) => el('p', { class: 'seeds__words' }, conclusion(row))),
    el('p', { class: 'small soft' }, 'Intervals by Student’s t. Who looks at the same test images again and again to choose '
      + 'among runs explores; it proves nothing.'),
  );
}

/** @param {Row[]} rows */
function summaryTable(rows) {
  const scale = scaleOf(rows.map(({ summary }) => summary));
  return table(['Skips', '', 'Seeds', 'Mean accuracy', 'Standard deviation', '95% interval'], rows.map(({ mask, summary }) => [
    branches(mask), interval(summary, scale, null), String(summary.n), percent(summary.mean, 2), points(summary.sd),
    Number.isFinite(summary.low) ? `${percent(summary.low, 2)} to ${percent(summary.high, 2)}` : '–',
  ]));
}

/** @param {Row[]} rows */
function differenceTable(rows) {
  const scale = scaleOf([...rows.map(({ difference }) => difference?.paired.difference), { low: 0, high: 0, mean: 0 }]);
  return table(['Skips', '', 'Mean difference', '95% interval', 't test p', 'Sign test p', 'McNemar’s exact test p, by seed'],
    rows.map(({ mask, difference }) => {
      const { paired, pValues } = /** @type {NonNullable<Row['difference']>} */ (difference);
      const { difference: summary, signPValue, tPValue } = paired;
      return [
        branches(mask), interval(summary, scale, 0), points(summary.mean, true),
        Number.isFinite(summary.low) ? `${points(summary.low, true)} to ${points(summary.high, true)}` : '–',
        pText(tPValue), pText(signPValue), pValues.map(({ seed, p }) => `${seed}: ${pText(p)}`).join(', '),
      ];
    }));
}

/** What may be concluded, in plain words. @param {Row} row @returns {string} */
function conclusion({ mask, difference }) {
  const { difference: summary } = /** @type {NonNullable<Row['difference']>} */ (difference).paired;
  const what = `Skipping ${branches(mask)}`;
  if (!Number.isFinite(summary.low)) {
    return `${what}: with ${countOf(summary.n, 'seed')} nothing may be concluded; the spread is not known.`;
  }
  const range = `${points(summary.low, true)} to ${points(summary.high, true)}`;
  if (summary.low <= 0 && summary.high >= 0) {
    return `${what}: no difference is shown. The interval (${range}) holds 0, so what is seen may be the seeds’ doing.`;
  }
  const direction = summary.mean > 0 ? 'more' : 'fewer';
  return `${what} reads ${direction} test images right, by ${points(Math.abs(summary.mean))} on average over `
    + `${countOf(summary.n, 'seed')} (95% interval ${range}), on these test images and with these settings.`;
}

/** @param {string[]} head @param {(string|Node)[][]} rows */
function table(head, rows) {
  return el('div', { class: 'scroller' }, el(
    'table',
    { class: 'small' },
    el('thead', {}, el('tr', {}, ...head.map((name) => el('th', { scope: 'col' }, name)))),
    el('tbody', {}, ...rows.map((cells) => el('tr', {}, ...cells.map((cell) => el('td', {}, cell))))),
  ));
}

/** Percentage points. @param {number} share @param {boolean} [isSigned] */
function points(share, isSigned = false) {
  if (!Number.isFinite(share)) {
    return '–';
  }
  const sign = share < 0 ? '−' : '+';
  return `${isSigned || share < 0 ? sign : ''}${Math.abs(100 * share).toFixed(2)} pp`;
}

/** @param {({low: number, high: number, mean: number}|undefined)[]} summaries @returns {[number, number]} */
function scaleOf(summaries) {
  const ends = summaries
    .flatMap((summary) => (summary === undefined ? [] : [summary.low, summary.high, summary.mean]))
    .filter(Number.isFinite);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const pad = 0.05 * (high - low) || 0.005;
  return [low - pad, high + pad];
}

/** @param {Summary} summary @param {[number, number]} scale @param {number|null} zero   where a line stands */
function interval({ low, high, mean }, [from, to], zero) {
  const width = 160;
  const x = (/** @type {number} */ value) => ((value - from) / (to - from)) * width;
  const picture = svg('svg', { class: 'seeds__interval', width, height: 16, 'aria-hidden': 'true' });
  if (zero !== null) {
    picture.append(svg('line', { class: 'seeds__zero', x1: x(zero), x2: x(zero), y1: 0, y2: 16 }));
  }
  if (Number.isFinite(low)) {
    picture.append(svg('line', { x1: x(low), x2: x(high), y1: 8, y2: 8 }));
  }
  picture.append(svg('circle', { cx: x(mean), cy: 8, r: 4 }));
  return picture;
}
