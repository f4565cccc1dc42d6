// Parts of the page that are fetched when something of them is first asked for.

import { LabError } from './fault.js';

/**
 * What the first view does without: one file where it is deployed.
 * @returns {Promise<typeof import('./later.js')>} rejected with NETWORK
 */
export function later() {
  return part(import('./later.js'));
}

/**
 * Says in plain words what went wrong. Some browsers do not ask for a module a second time.
 * @template T
 * @param {Promise<T>} module
 * @returns {Promise<T>} rejected with NETWORK
 */
export function part(module) {
  return module.catch((error) => {
    const message = 'A part of the page could not be fetched. Check that you are online, then load the page again.';
    throw new LabError({ code: 'NETWORK', message, found: error.message });
  });
}
