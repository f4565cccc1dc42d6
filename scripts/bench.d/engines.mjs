// Part "engines": all contestants train the same network, one after the other, round by round. The baseline is
// measured before and after each of them, so that a ratio's two sides lie as near in time as can be.

import { ENTRANTS, openContestant } from './contestants.mjs';
import { mean } from './page/statistics.js';

/** @typedef {import('./contestants.mjs').Contestant} Contestant */
/** @typedef {import('./contestants.mjs').Entrant} Entrant */
/** @typedef {import('./page/measure.js').Amount} Amount */
/** @typedef {import('./page/measure.js').Measurement} Measurement */

/**
 * @typedef {object} Round
 * @property {Measurement} measurement
 * @property {number} timesBaseline   how many times as long as the baseline it takes
 */

/** @typedef {{entrant: Entrant, about: string, firstLosses: number[], rounds: Round[]}} Result */

/**
 * @typedef {object} PresetResult
 * @property {string} preset
 * @property {number} nImages   that a measurement trains at least
 * @property {Result} baseline
 * @property {Result[]} others
 * @property {number} validationShare   of an epoch's time: the baseline's validation of 2,000 images
 * @property {{entrant: Entrant, reason: string}[]} absent   who could not take part
 */

/** What a measurement trains at least. Full is measured on fewer images; all figures are for an epoch of 4,000. */
const AMOUNTS = new Map([
  ['tiny', { nImages: 4000, seconds: 0.15 }],
  ['small', { nImages: 4000, seconds: 0.15 }],
  ['wide', { nImages: 4000, seconds: 0.15 }],
  ['full', { nImages: 256, seconds: 0.15 }],
]);

/** Minibatches whose losses are compared. */
const N_TRACED = 12;
/** So far may two of them be apart, relatively: single precision, sums in other orders; 1e-6 is what is seen. */
const LOSS_TOLERANCE = 1e-4;
/** Each contestant's loss must fall below this part of its first one, or it has been measured doing nothing. */
const LEARNT = 0.75;

/**
 * @param {{browser: import('puppeteer-core').Browser, url: string}} place
 * @param {{presets: string[], nRounds: number, only: string[], say: (line: string) => void}} options
 *     only: ids of entrants; none: all
 * @returns {Promise<PresetResult[]>}
 */
export async function measureEngines(place, { presets, nRounds, only, say }) {
  const results = [];
  for (const preset of presets) {
    const entrants = ENTRANTS.filter(({ id }, i) => i === 0 || only.length === 0 || only.includes(id));
    results.push(await measurePreset(place, preset, entrants, nRounds, say));
  }
  return results;
}

/**
 * @param {{browser: import('puppeteer-core').Browser, url: string}} place
 * @param {string} preset
 * @param {Entrant[]} entrants
 * @param {number} nRounds
 * @param {(line: string) => void} say
 * @returns {Promise<PresetResult>}
 */
async function measurePreset(place, preset, entrants, nRounds, say) {
  const amount = AMOUNTS.get(preset);
  if (amount === undefined) {
    throw new Error(`There is no preset ${preset}.`);
  }
  /** @type {{contestant: Contestant, result: Result}[]} */
  const field = [];
  /** @type {PresetResult['absent']} */
  const absent = [];
  try {
    for (const entrant of entrants) {
      try {
        field.push(await enter(place, preset, entrant, amount));
        say(`${preset}: ${entrant.id} is ready`);
      } catch (error) {
        absent.push({ entrant, reason: String(error) });
        say(`${preset}: ${entrant.id} takes no part: ${error}`);
      }
    }
    const [baseline, ...others] = field;
    if (baseline?.result.entrant !== entrants[0]) {
      throw new Error(`the baseline takes no part: ${absent[0]?.reason}`);
    }
    checkSameLosses(field.map(({ result }) => result));
    for (let round = 0; round < nRounds; round++) {
      say(`${preset}: round ${round + 1} of ${nRounds}`);
      await playRound(baseline, rotated(others, round), amount);
    }
    field.forEach(({ result }) => checkLearnt(result));
    return {
      preset,
      nImages: amount.nImages,
      baseline: baseline.result,
      others: others.map(({ result }) => result),
      validationShare: (await baseline.contestant.validationShare?.()) ?? NaN,
      absent,
    };
  } finally {
    await Promise.all(field.map(({ contestant }) => contestant.close()));
  }
}

/**
 * @param {{browser: import('puppeteer-core').Browser, url: string}} place
 * @param {string} preset
 * @param {Entrant} entrant
 * @param {Amount} amount
 */
async function enter(place, preset, entrant, amount) {
  const contestant = await openContestant(entrant, preset, place);
  const firstLosses = await contestant.traceLosses(N_TRACED);
  await contestant.measure(amount);
  return { contestant, result: { entrant, about: contestant.about, firstLosses, rounds: [] } };
}

/**
 * @param {{contestant: Contestant, result: Result}} baseline
 * @param {{contestant: Contestant, result: Result}[]} others
 * @param {Amount} amount
 */
async function playRound(baseline, others, amount) {
  let before = await baseline.contestant.measure(amount);
  for (const { contestant, result } of others) {
    const measurement = await contestant.measure(amount);
    const after = await baseline.contestant.measure(amount);
    const baselineSeconds = mean([1 / before.imagesPerSecond, 1 / after.imagesPerSecond]);
    result.rounds.push({ measurement, timesBaseline: 1 / measurement.imagesPerSecond / baselineSeconds });
    baseline.result.rounds.push({ measurement: after, timesBaseline: 1 });
    before = after;
  }
}

/** The one that was first is last in the next round. @template T @param {T[]} list @param {number} by */
function rotated(list, by) {
  const start = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}

/** All trained the same network on the same images, or the comparison means nothing. @param {Result[]} results */
function checkSameLosses(results) {
  const reference = results[0];
  for (const result of results.slice(1)) {
    result.firstLosses.forEach((loss, i) => {
      const expected = Number(reference?.firstLosses[i]);
      if (!(Math.abs(loss - expected) <= LOSS_TOLERANCE * expected)) {
        throw new Error(
          `${result.entrant.id}: minibatch ${i + 1} has the loss ${loss}, but ${reference?.entrant.id} has ${expected}`,
        );
      }
    });
  }
}

/** @param {Result} result */
function checkLearnt({ entrant, firstLosses, rounds }) {
  const losses = rounds.map(({ measurement }) => measurement.loss);
  if (!losses.some((loss) => loss < LEARNT * firstLosses[0])) {
    throw new Error(`${entrant.id} does not learn: its loss was ${firstLosses[0]}, then ${losses.join(', ')}`);
  }
}
