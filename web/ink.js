// A drawing as MNIST would have it: its longer side 20 pixels, its centre of mass in the middle of 28 × 28, anti-aliased.
// http://yann.lecun.com/exdb/mnist says how its pictures were made; here the strokes are known as lines, so they are
// drawn at their final size instead of being scaled as pixels, with a pen as thick as MNIST's usually is. Where on the
// board and how large something was drawn therefore makes no difference.

/** @typedef {{x: number, y: number}} Point */
/** @typedef {Point[]} Stroke   one at least; in any unit */

const SIDE = 28;
const BOX = 20;
/** Where MNIST's centres of mass are, as an index of pixels: 14.00 and 13.99 on the mean of 5,000 training images. */
const CENTRE = 14;
/** Half the pen's thickness, in pixels of the 28: gives the mean ink of MNIST's digits. */
const RADIUS = 1.15;

/**
 * @param {Stroke[]} strokes
 * @returns {Uint8Array|null} 784 pixels, 0 black, 255 white; null where nothing is drawn
 */
export function inkToPixels(strokes) {
  const points = strokes.flat();
  if (points.length === 0) {
    return null;
  }
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const extent = Math.max(right - left, bottom - top);
  // The pen's own thickness counts to the box. A single dot is drawn as it is.
  const scale = extent > 0 ? (BOX - 2 * RADIUS) / extent : 1;
  const middle = { x: (left + right) / 2, y: (top + bottom) / 2 };
  const place = (/** @type {Point} */ centre) => strokes.map((stroke) =>
    stroke.map(({ x, y }) => ({ x: centre.x + (x - middle.x) * scale, y: centre.y + (y - middle.y) * scale })));

  const first = cover(place({ x: CENTRE, y: CENTRE }));
  const mass = centreOfMass(first);
  const half = { x: (scale * (right - left)) / 2 + RADIUS, y: (scale * (bottom - top)) / 2 + RADIUS };
  const centre = { x: within(2 * CENTRE - mass.x, half.x), y: within(2 * CENTRE - mass.y, half.y) };
  return Uint8Array.from(cover(place(centre)), (share) => Math.round(255 * share));
}

/** A middle from which the ink stays inside the picture. @param {number} middle @param {number} half  of the ink's extent */
function within(middle, half) {
  const [low, high] = [half - 0.5, SIDE - 0.5 - half];
  return low > high ? CENTRE : Math.min(high, Math.max(low, middle));
}

/**
 * How much of each pixel the pen covers: by the distance from the pixel's centre to the nearest line.
 * @param {Stroke[]} strokes   in pixels
 * @returns {Float64Array} 784 shares
 */
function cover(strokes) {
  const pixels = new Float64Array(SIDE * SIDE);
  for (const stroke of strokes) {
    for (const [i, to] of stroke.entries()) {
      coverSegment(pixels, stroke[Math.max(0, i - 1)], to);
    }
  }
  return pixels;
}

/** @param {Float64Array} pixels @param {Point} from @param {Point} to */
function coverSegment(pixels, from, to) {
  const reach = RADIUS + 0.5;
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const squared = dx * dx + dy * dy;
  const [firstX, lastX] = range(from.x, to.x, reach);
  const [firstY, lastY] = range(from.y, to.y, reach);
  for (let y = firstY; y <= lastY; y++) {
    for (let x = firstX; x <= lastX; x++) {
      const along = squared === 0 ? 0 : ((x - from.x) * dx + (y - from.y) * dy) / squared;
      const t = Math.min(1, Math.max(0, along));
      const distance = Math.hypot(x - from.x - t * dx, y - from.y - t * dy);
      const share = Math.min(1, Math.max(0, reach - distance));
      pixels[y * SIDE + x] = Math.max(pixels[y * SIDE + x], share);
    }
  }
}

/** @param {number} a @param {number} b @param {number} reach @returns {[number, number]} pixels that may be touched */
function range(a, b, reach) {
  return [Math.max(0, Math.floor(Math.min(a, b) - reach)), Math.min(SIDE - 1, Math.ceil(Math.max(a, b) + reach))];
}

/** @param {Float64Array} pixels @returns {Point} */
function centreOfMass(pixels) {
  let [sum, x, y] = [0, 0, 0];
  for (const [i, share] of pixels.entries()) {
    sum += share;
    x += share * (i % SIDE);
    y += share * Math.floor(i / SIDE);
  }
  return { x: x / sum, y: y / sum };
}
