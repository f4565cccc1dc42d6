// What is said of a contestant: medians over the rounds.

import { PRESETS } from './page/protocol.js';
import { median } from './page/statistics.js';

/** @typedef {import('./engines.mjs').PresetResult} PresetResult */
/** @typedef {import('./engines.mjs').Result} Result */
/** @typedef {import('./engines.mjs').Round} Round */

/** All figures are for an epoch of so many images. */
export const EPOCH_IMAGES = 4000;

/** @param {string} preset */
export function countParameters(preset) {
  const widths = PRESETS[preset];
  return widths.slice(1).reduce((sum, nOut, l) => sum + nOut * (widths[l] + 1), 0);
}

/** Additions and multiplications of an image's training step, counted densely. @param {string} preset */
export function denseFlops(preset) {
  return 6 * countParameters(preset);
}

/**
 * Those of the matrix products that dense arithmetic cannot do without: the first layer needs no input gradient.
 * @param {string} preset
 */
export function productFlops(preset) {
  const widths = PRESETS[preset];
  return widths.slice(1).reduce((sum, nOut, l) => sum + (l === 0 ? 4 : 6) * nOut * widths[l], 0);
}

/**
 * @typedef {object} Figures
 * @property {number} secondsPerEpoch
 * @property {number} timesBaseline   how many times as long as the baseline
 * @property {number} gflops          counted densely
 * @property {number|null} ofPeak     that, as a part of one core's fused 128-bit peak, taken meanwhile
 * @property {number|null} ofBound    speed as a multiple of what dense products at that peak could reach
 */

/** @param {string} preset @param {Result} result @returns {Figures} */
export function figuresOf(preset, { rounds }) {
  /** @param {(round: Round) => number} figure */
  const over = (figure) => median(rounds.map(figure));
  const hasPeak = rounds.every(({ measurement }) => measurement.peak !== null);
  /** @param {number} flops */
  const ofPeak = (flops) =>
    hasPeak ? over(({ measurement: { imagesPerSecond, peak } }) => (imagesPerSecond * flops) / (peak?.fused ?? NaN)) : null;
  return {
    secondsPerEpoch: over(({ measurement }) => EPOCH_IMAGES / measurement.imagesPerSecond),
    timesBaseline: over(({ timesBaseline }) => timesBaseline),
    gflops: over(({ measurement }) => (measurement.imagesPerSecond * denseFlops(preset)) / 1e9),
    ofPeak: ofPeak(denseFlops(preset)),
    ofBound: ofPeak(productFlops(preset)),
  };
}

/**
 * How many times as long one takes as another, round by round; neither of them is the baseline.
 * @param {Result} slower
 * @param {Result} faster
 */
export function ratioOf(slower, faster) {
  return median(slower.rounds.map(({ timesBaseline }, i) => timesBaseline / faster.rounds[i].timesBaseline));
}

/** How many times as fast as the baseline. @param {Result} result */
export function speedupOf({ rounds }) {
  return median(rounds.map(({ timesBaseline }) => 1 / timesBaseline));
}

/** @param {PresetResult} preset @param {string} id @returns {Result|undefined} */
export function findResult({ baseline, others }, id) {
  return [baseline, ...others].find(({ entrant }) => entrant.id === id);
}

/** @param {PresetResult} preset @param {number} nThreads @returns {Result|undefined} the fastest peer in the browser */
export function fastestPeer({ others }, nThreads) {
  const peers = others.filter(({ entrant }) => entrant.kind === 'peer' && entrant.nThreads === nThreads);
  const time = (/** @type {Result} */ { rounds }) => median(rounds.map(({ timesBaseline }) => timesBaseline));
  return peers.sort((a, b) => time(a) - time(b))[0];
}
