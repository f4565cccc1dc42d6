// The stopwatch: trains in chunks of some tens of milliseconds, and takes the core's peak between them.

/** @typedef {import('./peak.js').Peak} Peak */
/** @typedef {import('./tab.js').Contestant} Contestant */

const CHUNK_SECONDS = 0.04;

/** At least so much is trained. @typedef {{nImages: number, seconds: number}} Amount */

/**
 * @typedef {object} Measurement
 * @property {number} imagesPerSecond
 * @property {number} loss                of the last minibatch
 * @property {import('./peak.js').Rates|null} peak   meanwhile
 */

/**
 * @param {Contestant} contestant
 * @param {Peak|null} peak   null where there is none to take
 * @param {Amount} atLeast
 * @returns {Promise<Measurement>}
 */
export async function measure(contestant, peak, atLeast) {
  let [nImages, seconds, loss] = [0, 0, NaN];
  let nMinibatches = 1;
  peak?.reset();
  peak?.slice();
  while (nImages < atLeast.nImages || seconds < atLeast.seconds) {
    const start = performance.now();
    const chunk = await contestant.train(nMinibatches);
    const elapsed = chunk.seconds ?? (performance.now() - start) / 1000;
    peak?.slice();
    nImages += chunk.nImages;
    seconds += elapsed;
    loss = chunk.loss;
    nMinibatches = Math.max(1, Math.round((nMinibatches * CHUNK_SECONDS) / elapsed));
  }
  return { imagesPerSecond: nImages / seconds, loss, peak: peak?.rates() ?? null };
}

/**
 * The losses of the next minibatches, one by one: what shows that all contestants do the same.
 * @param {Contestant} contestant
 * @param {number} n
 */
export async function traceLosses(contestant, n) {
  const losses = [];
  for (let i = 0; i < n; i++) {
    const { loss } = await contestant.train(1);
    losses.push(loss);
  }
  return losses;
}
