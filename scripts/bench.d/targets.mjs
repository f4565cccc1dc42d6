// What the lab wants to reach, and whether it does.

import { fastestPeer, figuresOf, findResult, ratioOf, speedupOf } from './figures.mjs';
import { median } from './page/statistics.js';

/** @typedef {import('./engines.mjs').PresetResult} PresetResult */
/** @typedef {import('./main.mjs').Report} Report */

/**
 * @typedef {object} Verdict
 * @property {string} what
 * @property {number} found
 * @property {number} target
 * @property {boolean} atLeast   false: at most
 * @property {string} unit       '×', '%', 'ms', 'kB'
 * @property {string} [note]
 */

/** @type {Record<string, {peer: number, minimize: number, bound: number, native: number}>} */
const SPEED = {
  tiny: { peer: 6, minimize: 20, bound: 1.4, native: 0.9 },
  small: { peer: 4.5, minimize: 22, bound: 1.5, native: 0.9 },
  wide: { peer: 3.5, minimize: 22, bound: 1.2, native: 0.7 },
  full: { peer: 2.4, minimize: 14, bound: 0.88, native: 0.6 },
};

/** @param {Verdict} verdict */
export function isMet({ found, target, atLeast }) {
  return atLeast ? found >= target : found <= target;
}

/** @param {Report} report @returns {Verdict[]} of what has been measured */
export function judge({ engines, kernels, load, start, size }) {
  return [
    ...(engines ?? []).flatMap(judgeSpeed),
    ...(engines ?? []).flatMap(judgeThreads),
    ...(engines ?? []).flatMap(judgeValidation),
    ...(kernels ? judgeKernels(kernels) : []),
    ...(load ? judgeLoad(load) : []),
    ...(start ? judgeStart(start) : []),
    ...(size ? judgeSize(size) : []),
  ];
}

/** @param {string} what @param {number|null|undefined} found @param {number} target @param {string} [note] @returns {Verdict[]} */
function times(what, found, target, note) {
  return typeof found === 'number' ? [{ what, found, target, atLeast: true, unit: '×', note }] : [];
}

/** @param {PresetResult} result @returns {Verdict[]} */
function judgeSpeed(result) {
  const { preset, baseline } = result;
  const target = SPEED[preset];
  const ratioTo = (/** @type {string} */ id) => {
    const other = findResult(result, id);
    return other && figuresOf(preset, other).timesBaseline;
  };
  const peer = fastestPeer(result, 1);
  return [
    ...times(
      `${preset}: faster than the fastest peer in the browser`,
      peer && figuresOf(preset, peer).timesBaseline,
      target.peer,
      peer?.entrant.label,
    ),
    ...times(`${preset}: faster than TensorFlow.js as its users write it`, ratioTo('tfjs'), target.minimize),
    ...times(`${preset}: against the bound of dense 128-bit arithmetic`, figuresOf(preset, baseline).ofBound, target.bound),
    ...times(`${preset}: against native OpenBLAS, one core, AVX2`, ratioTo('native'), target.native),
  ];
}

/** @param {PresetResult} result @returns {Verdict[]} */
function judgeThreads(result) {
  const { preset } = result;
  const [threads, pair, peer] = [findResult(result, 'lab-2'), findResult(result, 'lab-pair'), fastestPeer(result, 2)];
  if (preset === 'full') {
    return [
      ...times('full: two threads against one', threads && speedupOf(threads), 1.8),
      ...times(
        'full: two threads, faster than the fastest peer with two',
        threads && peer && ratioOf(peer, threads),
        3,
        peer?.entrant.label,
      ),
    ];
  }
  return preset === 'small' ? times('small: two runs at once against one', pair && speedupOf(pair), 1.9) : [];
}

/** @param {PresetResult} result @returns {Verdict[]} */
function judgeValidation({ preset, validationShare }) {
  const what = "small: validation's part of an epoch";
  return preset === 'small' ? [{ what, found: 100 * validationShare, target: 22, atLeast: false, unit: '%' }] : [];
}

/** @param {NonNullable<Report['kernels']>} kernels @returns {Verdict[]} */
function judgeKernels(kernels) {
  const dense = kernels.filter(({ numerics, preset, isHidden }) =>
    numerics === 'fused' && isHidden && ['small', 'full'].includes(preset));
  return dense.map(({ preset, name, nIn, nOut, ofPeak }) => ({
    what: `${preset}: ${name} ${nIn} → ${nOut}, of the peak`,
    found: 100 * ofPeak,
    target: 85,
    atLeast: true,
    unit: '%',
  }));
}

/** @param {NonNullable<Report['load']>} load @returns {Verdict[]} */
function judgeLoad({ ratios }) {
  const what = 'loading and verifying train against fetch and DecompressionStream alone';
  return [{ what, found: ratios['zlib page'], target: 1.3, atLeast: false, unit: '×', note: 'as the page does' }];
}

/** @param {NonNullable<Report['start']>} start @returns {Verdict[]} */
function judgeStart({ cold, endToEndRatio }) {
  return [
    {
      what: 'small: click to tested, against its training alone',
      found: endToEndRatio,
      target: 1.3,
      atLeast: false,
      unit: '×',
    },
    {
      what: 'cold start: navigation to the end of the first step',
      found: median(cold[0].milliseconds),
      target: 400,
      atLeast: false,
      unit: 'ms',
    },
  ];
}

/** @param {import('./size.mjs').Size[]} sizes */
export function sum(sizes) {
  return sizes.reduce((total, { bytes }) => total + bytes, 0);
}

/** @param {NonNullable<Report['size']>} size @returns {Verdict[]} */
function judgeSize({ engines, code, firstView }) {
  /** @param {string} what @param {number} bytes @param {number} target @returns {Verdict} */
  const kilobytes = (what, bytes, target) => ({ what, found: bytes / 1000, target, atLeast: false, unit: 'kB' });
  return [
    ...engines.map(({ name, bytes }) => kilobytes(`${name}, gzip'd`, bytes, 60)),
    kilobytes("JavaScript, CSS and HTML, gzip'd", sum(code), 90),
    kilobytes("first view, gzip'd", firstView, 200),
  ];
}
