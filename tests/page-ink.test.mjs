// A drawing becomes what MNIST would have made of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { inkToPixels } from '../web/ink.js';

/** @typedef {import('../web/ink.js').Stroke} Stroke */

/** A three in shares of a board. @type {Stroke} */
const THREE = [[0.35, 0.25], [0.5, 0.18], [0.65, 0.27], [0.48, 0.47], [0.67, 0.7], [0.52, 0.82], [0.33, 0.74]]
  .map(([x, y]) => ({ x, y }));

/** @param {Stroke} stroke @param {number} scale @param {number} dx @param {number} dy @returns {Stroke} */
function moved(stroke, scale, dx, dy) {
  return stroke.map(({ x, y }) => ({ x: scale * x + dx, y: scale * y + dy }));
}

/** @param {Uint8Array} pixels */
function measure(pixels) {
  let [sum, x, y] = [0, 0, 0];
  const columns = new Set();
  const rows = new Set();
  for (const [i, value] of pixels.entries()) {
    sum += value;
    x += value * (i % 28);
    y += value * Math.floor(i / 28);
    if (value > 0) {
      columns.add(i % 28);
      rows.add(Math.floor(i / 28));
    }
  }
  return { x: x / sum, y: y / sum, width: columns.size, height: rows.size, ink: sum / 255 };
}

/** @param {Stroke[]} strokes */
function pixelsOf(strokes) {
  const pixels = inkToPixels(strokes);
  assert.ok(pixels !== null);
  return pixels;
}

test('nothing drawn gives nothing; a dot stays a dot in the middle', () => {
  assert.equal(inkToPixels([]), null);
  const dot = measure(pixelsOf([[{ x: 3, y: 90 }]]));
  assert.ok(dot.width <= 4 && dot.height <= 4);
  assert.ok(Math.abs(dot.x - 14) < 0.1 && Math.abs(dot.y - 14) < 0.1);
});

test('the longer side is 20 pixels, the centre of mass is MNIST’s', () => {
  for (const stroke of [THREE, moved(THREE, 300, 5, 9), THREE.map(({ x, y }) => ({ x: 2 * y, y: x }))]) {
    const { x, y, width, height, ink } = measure(pixelsOf([stroke]));
    // The pen's edge may touch a row or a column more: it is not aligned to the pixels.
    assert.ok(Math.max(width, height) >= 20 && Math.max(width, height) <= 21, `${width} × ${height}`);
    assert.ok(Math.abs(x - 14) < 0.1 && Math.abs(y - 14) < 0.1, `centre ${x}, ${y}`);
    assert.ok(ink > 50 && ink < 200, `${ink} pixels of ink; MNIST has 102 on the mean`);
  }
});

test('where it stands and how large it is makes no difference', () => {
  const reference = pixelsOf([THREE]);
  for (const [scale, dx, dy] of [[0.6, 0, 0], [1, 6 / 28, -6 / 28], [280, 17, 4], [0.01, 9, 9]]) {
    const pixels = pixelsOf([moved(THREE, scale, dx, dy)]);
    for (const [i, value] of pixels.entries()) {
      assert.ok(Math.abs(value - reference[i]) <= 1, `pixel ${i} at scale ${scale}: ${value}, not ${reference[i]}`);
    }
  }
});

test('a lopsided drawing stays inside the picture', () => {
  const hook = [{ x: 0, y: 0 }, { x: 0, y: 100 }, { x: 3, y: 100 }, { x: 0, y: 99 }, { x: 3, y: 98 }, { x: 0, y: 97 }];
  const { height } = measure(pixelsOf([hook]));
  assert.ok(height >= 20);
});
