// The few statistics that a noisy machine allows: medians.

/** @param {number[]} values @returns {number} NaN of none */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? Number(sorted[Math.floor(middle)])
    : (Number(sorted[middle - 1]) + Number(sorted[middle])) / 2;
}

/** @param {number[]} values */
export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The middle half. @param {number[]} values @returns {[number, number]} */
export function quartiles(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => Number(sorted[Math.round(share * (sorted.length - 1))]);
  return [at(0.25), at(0.75)];
}
