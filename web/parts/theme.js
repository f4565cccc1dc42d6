// The style sheet's colours for what is drawn on a canvas.

/**
 * @param {string} property   of :root
 * @returns {string}
 */
export function style(property) {
  return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}

/**
 * @param {string} property   that holds a colour as #rrggbb
 * @returns {number[]} red, green, blue, each 0..255
 */
export function colour(property) {
  const hex = style(property);
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/**
 * @param {() => void} redraw   called when light turns to dark, or back
 * @returns {() => void} ends that
 */
export function onThemeChange(redraw) {
  const isDark = matchMedia('(prefers-color-scheme: dark)');
  isDark.addEventListener('change', redraw);
  return () => isDark.removeEventListener('change', redraw);
}
