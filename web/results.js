// A run's result as a file.

/** @typedef {import('./types.js').RunResult} RunResult */

/** Raised when a member of a results file changes its meaning. */
export const SCHEMA_VERSION = 1;

/**
 * A result as plain JSON values: typed arrays become arrays, the weights stay out.
 * @param {RunResult} result
 * @returns {any}
 */
export function resultToJson(result) {
  return plain({ ...result, weights: undefined });
}

/** @param {any} value @returns {any} */
function plain(value) {
  if (ArrayBuffer.isView(value) || Array.isArray(value)) {
    return Array.from(/** @type {any} */ (value), plain);
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
  }
  return value;
}
