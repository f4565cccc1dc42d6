// Where an axis has its marks.

const N_TICKS = 5;

/** @param {number} low @param {number} high @returns {number[]} about five round numbers from low to high */
export function ticks(low, high) {
  const apart = (high - low) / N_TICKS;
  const power = 10 ** Math.floor(Math.log10(apart));
  const step = power * (apart > 5 * power ? 10 : apart > 2 * power ? 5 : 2);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
}
