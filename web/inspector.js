// What Inspect, Compare and Draw ask the engine about runs that have ended: test images, networks, comparisons. Each
// answer is kept, so that asking again costs nothing.

import { LabError } from './fault.js';
import { endpointOf, epochOf } from './state.js';

/** @typedef {import('./client.js').Client} Client */
/** @typedef {import('./network.js').Network} Network */
/** @typedef {import('./state.js').Checkpoint} Checkpoint */
/** @typedef {import('./state.js').RunRecord} RunRecord */
/** @typedef {import('./types.js').Comparison} Comparison */
/** @typedef {import('./types.js').Endpoint} Endpoint */
/** @typedef {import('./types.js').RunResult} RunResult */
/** @typedef {import('./vault.js').Vault} Vault */

/**
 * All images of a split, as they stand in it.
 * @typedef {object} Images
 * @property {string} split
 * @property {string} sha256              of the whole split
 * @property {number} n
 * @property {Uint8Array} pixels          (n, 784)
 * @property {Uint8Array} labels          (n)
 * @property {Uint32Array} originalIndices   in the official collection
 */

/** Networks that stay open in the engine; a further one closes the one that was not used for longest. */
const N_OPEN = 4;
const N_PIXELS = 784;

export class Inspector {
  #client;
  #vault;
  /** @type {Map<string, Promise<Images>>} */
  #images = new Map();
  /** @type {Map<string, {client: Client, network: Promise<Network>}>} */
  #networks = new Map();
  /** @type {Map<string, Promise<Comparison>>} */
  #comparisons = new Map();

  /**
   * @param {() => Promise<Client>} client
   * @param {Vault} vault
   */
  constructor(client, vault) {
    this.#client = client;
    this.#vault = vault;
  }

  /**
   * Fetches a split if it is not there yet.
   * @param {string} split
   * @returns {Promise<Images>}
   */
  images(split) {
    return remembered(this.#images, split, async () => {
      const client = await this.#client();
      const { sha256, nImages } = await client.loadSplit(split);
      const all = await client.images(split, Array.from({ length: nImages }, (_, i) => i));
      return { split, sha256, n: nImages, ...all };
    });
  }

  /**
   * The network that a run has left.
   * @param {RunRecord} run
   * @param {Checkpoint} checkpoint
   * @returns {Promise<Network>}
   */
  async network(run, checkpoint) {
    const client = await this.#client();
    const key = `${run.id} ${checkpoint}`;
    const open = this.#networks.get(key);
    if (open !== undefined && open.client === client) {
      this.#networks.delete(key); // back in as the latest
      this.#networks.set(key, open);
      return open.network;
    }
    const network = this.#open(client, run, checkpoint);
    this.#networks.set(key, { client, network });
    network.catch(() => this.#networks.delete(key));
    const [oldest] = this.#networks.keys();
    if (this.#networks.size > N_OPEN) {
      const { network: unused } = /** @type {{network: Promise<Network>}} */ (this.#networks.get(oldest));
      this.#networks.delete(oldest);
      unused.then((gone) => gone.close()).catch(() => {});
    }
    return network;
  }

  /** @param {Client} client @param {RunRecord} run @param {Checkpoint} checkpoint */
  async #open(client, run, checkpoint) {
    const weights = await this.#vault.weights(run.id);
    if (weights === null) {
      throw new LabError({ code: 'NO_WEIGHTS', message: 'The weights of this run are not here.', subject: run.id });
    }
    return client.openWeights(weights[checkpoint]);
  }

  /**
   * Tests a network whose test images could not be had when it was trained.
   * @param {RunRecord} run
   * @param {RunResult} result   of the run
   * @returns {Promise<RunResult>} as it would have been then
   */
  async test(run, result) {
    const { config, provenance } = result;
    const images = await this.images(config.testSet === 10000 ? 'test-full' : 'test');
    const endpoint = async (/** @type {Checkpoint} */ checkpoint) => {
      const network = await this.network(run, checkpoint);
      const evaluation = await network.evaluate({ split: images.split });
      return { epoch: epochOf(result, checkpoint), weightsSHA256: network.sha256, ...evaluation };
    };
    const endpoints = { selected: await endpoint('selected'), final: await endpoint('final') };
    return { ...result, status: 'finished', endpoints, fault: null, provenance: { ...provenance, testSHA256: images.sha256 } };
  }

  /**
   * What the treatment harmed and repaired. Rejected with NOT_COMPARABLE where more than the mask differs.
   * @param {RunRecord} baseline
   * @param {RunRecord} treatment
   * @param {Checkpoint} checkpoint
   * @returns {Promise<Comparison>}
   */
  comparison(baseline, treatment, checkpoint) {
    return remembered(this.#comparisons, `${baseline.id} ${treatment.id} ${checkpoint}`, async () => {
      if (baseline.result === null || treatment.result === null) {
        throw new LabError({ code: 'NOT_COMPARABLE', message: 'Only runs that have ended can be compared.' });
      }
      const client = await this.#client();
      return client.compare(baseline.result, treatment.result, checkpoint);
    });
  }

  /**
   * The run without skipping that a run may be measured against: of its own plan, or else the latest.
   * @param {RunRecord} run
   * @param {RunRecord[]} runs
   * @param {Checkpoint} checkpoint
   * @returns {Promise<{baseline: RunRecord, comparison: Comparison}|null>}
   */
  async baselineOf(run, runs, checkpoint) {
    if (run.config.mask === 0) {
      return null;
    }
    const candidates = runs.filter((other) => other.config.mask === 0 && endpointOf(other, checkpoint) !== null);
    const [own, others] = [true, false].map((isOwn) => candidates.filter(({ plan }) => (plan === run.plan) === isOwn));
    for (const baseline of [...own, ...others.reverse()]) {
      try {
        return { baseline, comparison: await this.comparison(baseline, run, checkpoint) };
      } catch (error) {
        if (!(error instanceof LabError) || error.code !== 'NOT_COMPARABLE') {
          throw error;
        }
      }
    }
    return null;
  }
}

/** @param {Images} images @param {number} index @returns {Uint8Array} 784 */
export function pixelsOf(images, index) {
  return images.pixels.subarray(index * N_PIXELS, (index + 1) * N_PIXELS);
}

/** @param {Endpoint} endpoint @param {Images} images @returns {number[]} positions of what was read wrong, ascending */
export function wrongOf(endpoint, images) {
  const wrong = [];
  for (let i = 0; i < endpoint.n; i++) {
    if (endpoint.predictions[i] !== images.labels[i]) {
      wrong.push(i);
    }
  }
  return wrong;
}

/**
 * @template T
 * @param {Map<string, Promise<T>>} map
 * @param {string} key
 * @param {() => Promise<T>} make   called where the key is new; a failure is not remembered
 * @returns {Promise<T>}
 */
function remembered(map, key, make) {
  let promise = map.get(key);
  if (promise === undefined) {
    promise = make();
    map.set(key, promise);
    promise.catch(() => map.delete(key));
  }
  return promise;
}
