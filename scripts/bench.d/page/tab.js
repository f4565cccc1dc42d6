// A tab in which one contestant trains: tab.html?engine=tfjs&style=minimize&threads=1&preset=small
// The driver calls window.bench.

import { openLab } from './contestants/lab.js';
import { fetchImages } from './images.js';
import { measure, traceLosses } from './measure.js';
import { Peak } from './peak.js';
import { Minibatches, PRESETS } from './protocol.js';

/** @typedef {import('./measure.js').Amount} Amount */

/**
 * @typedef {object} Setting
 * @property {number[]} widths
 * @property {Promise<import('./images.js').Images>} images   on their way while the library loads
 * @property {Minibatches} minibatches   the contestant takes its next one from here, until the end
 * @property {string} style              of those that have several
 * @property {number} nThreads
 */

/**
 * Something that trains the network of protocol.js.
 * @typedef {object} Contestant
 * @property {string} about
 * @property {(nMinibatches: number) => Promise<{nImages: number, loss: number, seconds?: number}>} train
 *     goes on with the next minibatches; loss: of the last one, before its update; seconds: where the contestant itself
 *     knows better than its caller
 */

/** @type {Record<string, () => Promise<{open: (setting: Setting) => Promise<Contestant>}>>} */
const PEERS = {
  tfjs: () => import('./contestants/tfjs.js'),
  jax: () => import('./contestants/jax.js'),
  onnx: () => import('./contestants/onnx.js'),
};

/** @param {() => Promise<{open: (setting: Setting) => Promise<Contestant>}>} load @param {Omit<Setting, 'images'>} setting */
async function openPeer(load, setting) {
  const images = fetchImages();
  const { open: openContestant } = await load();
  const contestant = await openContestant({ ...setting, images });
  /** @type {Promise<Peak>|undefined} */
  let peak;
  return {
    about: contestant.about,
    /** @param {number} n */
    traceLosses: (n) => traceLosses(contestant, n),
    /** @param {Amount} amount */
    async measure(amount) {
      peak ??= Peak.open();
      return measure(contestant, await peak, amount);
    },
  };
}

async function open() {
  const query = new URLSearchParams(location.search);
  const option = (/** @type {string} */ name) => query.get(name) ?? '';
  const [widths, nThreads] = [PRESETS[option('preset')], Number(option('threads'))];
  const load = PEERS[option('engine')];
  if (widths === undefined || (load === undefined && option('engine') !== 'lab')) {
    throw new Error(`There is no such contestant: ${location.search}`);
  }
  const bench =
    load === undefined
      ? await openLab({ widths, nThreads, build: option('build'), nRuns: Number(option('runs')) })
      : await openPeer(load, { widths, nThreads, minibatches: new Minibatches(), style: option('style') });
  if (option('first') === 'yes') {
    await bench.traceLosses(1);
  }
  return { ...bench, firstStepAt: performance.now() };
}

Object.assign(globalThis, { bench: open() });
