// Numbers as a person reads them, each with its unit.

import { isContinued } from '../state.js';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** @param {number} value @returns {string} 11,972,510 */
export function count(value) {
  return whole.format(value);
}

/** @param {number} value @param {string} one @param {string} [many] @returns {string} 1 image, 4,000 images */
export function countOf(value, one, many = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** @param {number} share 0..1 @param {number} [digits] @returns {string} 94.1% */
export function percent(share, digits = 1) {
  return Number.isFinite(share) ? `${(share * 100).toFixed(digits)}%` : '–';
}

/** @param {number} share 0..1 @returns {string} at an axis: 95%, 97.5% */
export function percentTick(share) {
  return `${Number((share * 100).toFixed(2))}%`;
}

/** @param {number} value @returns {string} at an axis: 0.25 */
export function tick(value) {
  return String(Number(value.toFixed(3)));
}

/** @param {number} value @returns {string} a loss, 0.2134 */
export function loss(value) {
  return Number.isFinite(value) ? value.toFixed(4) : '–';
}

/** @param {number} seconds @returns {string} 0.84 s, 12.3 s, 4 min 05 s */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) {
    return '–';
  }
  if (seconds < 10) {
    return `${seconds.toFixed(2)} s`;
  }
  if (seconds < 100) {
    return `${seconds.toFixed(1)} s`;
  }
  const rest = Math.round(seconds % 60);
  return `${Math.floor(seconds / 60)} min ${String(rest).padStart(2, '0')} s`;
}

/** @param {number} bytes @returns {string} 328.9 kB, 1.65 MB */
export function size(bytes) {
  if (bytes < 1000) {
    return `${bytes} bytes`;
  }
  if (bytes < 1e6) {
    return `${(bytes / 1e3).toFixed(1)} kB`;
  }
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(2)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}

/** @param {number} imagesPerSecond @returns {string} */
export function rate(imagesPerSecond) {
  return Number.isFinite(imagesPerSecond) ? `${count(imagesPerSecond)} images/s` : '–';
}

/** Branches of a mask, counted from 1. @param {number} mask @returns {string} none; 1, 3; all four */
export function branches(mask) {
  const names = [1, 2, 3, 4].filter((branch) => (mask & (1 << (branch - 1))) !== 0);
  if (names.length === 0) {
    return 'none';
  }
  return names.length === 4 ? 'all four' : names.join(', ');
}

/** @param {import('../state.js').RunRecord} run @returns {string} what a person tells a run by */
export function runName(run) {
  const { config, isImported } = run;
  const { mask = 0, p, preset, seed } = config;
  const skips = mask === 0 ? 'skips none' : `skips ${branches(mask)}, p ${p}`;
  return `${preset || 'custom'}, ${skips}, seed ${seed}${isContinued(run) ? ', continued' : ''}${isImported ? ' (imported)' : ''}`;
}

/** @param {import('../types.js').EngineInfo} engine @returns {string} */
export function engineWords({ numerics, threads }) {
  const rounding = numerics === 'fused' ? 'relaxed SIMD, a × b + c rounded once' : 'SIMD, a × b + c rounded twice';
  const each = threads > 1 ? ', 1 for each of several' : '';
  return `WebAssembly with ${rounding}, ${countOf(threads, 'thread')} for a run${each}`;
}

/** @param {number} p   of a test @returns {string} */
export function pText(p) {
  if (!Number.isFinite(p)) {
    return '–';
  }
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}
