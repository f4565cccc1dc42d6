// Rebuilds the dataset from MNIST's four files in a worker of its own, and posts each step when it is done.

import { faultOf } from './fault.js';
import { openProducer, parsePlan, rebuild } from './rebuild.js';

/**
 * What is posted to it, once: the four files by the names of SOURCES.
 * @typedef {{manifestUrl: string, producerUrl: string, files: Record<string, File>}} RebuildOrder
 */

/** @param {RebuildOrder} order */
async function work({ manifestUrl, producerUrl, files }) {
  try {
    const answer = await fetch(manifestUrl);
    if (!answer.ok) {
      throw new Error(`The manifest could not be fetched: status ${answer.status}.`);
    }
    const plan = parsePlan(await answer.text());
    const producer = await openProducer(producerUrl);
    const read = async (/** @type {string} */ name) => new Uint8Array(await files[name].arrayBuffer());
    for await (const { id, checks, fault } of rebuild(producer, plan, read)) {
      self.postMessage({ id, checks, fault: fault?.toFault() ?? null });
    }
    self.postMessage({ done: true });
  } catch (error) {
    self.postMessage({ error: faultOf(error) });
  }
}

self.addEventListener('message', (/** @type {MessageEvent<RebuildOrder>} */ { data }) => void work(data));
