// A board to draw on, by mouse, finger, pen, or keys: the arrows move the pen, Space puts it down and up.

import { el } from './dom.js';
import { onThemeChange, style } from './theme.js';

/** @typedef {import('../ink.js').Stroke} Stroke */

const SIDE = 280;
const PEN = 18;
const STEP = 10;
const FINE_STEP = 3;

/**
 * @param {(strokes: Stroke[]) => void} onChange   called as one draws
 * @returns {{element: HTMLElement, undo: () => void, clear: () => void}}
 */
export function newBoard(onChange) {
  const canvas = el('canvas', {
    class: 'board', id: 'board', width: SIDE, height: SIDE, tabindex: 0, role: 'application',
    'aria-label': 'Drawing board. The arrow keys move the pen, Space puts it down and lifts it, Shift makes small steps.',
  });
  /** @type {Stroke[]} */
  let strokes = [];
  /** @type {Stroke|null} */
  let current = null;
  const cursor = { x: SIDE / 2, y: SIDE / 2, isShown: false };

  const changed = () => {
    draw(canvas, strokes, cursor.isShown ? cursor : null);
    onChange(strokes);
  };
  const add = (/** @type {number} */ x, /** @type {number} */ y) => {
    current?.push({ x, y });
  };

  canvas.addEventListener('pointerdown', (event) => {
    if (event.button === 0) {
      canvas.setPointerCapture(event.pointerId);
      cursor.isShown = false;
      current = [at(canvas, event)];
      strokes = [...strokes, current];
      changed();
    }
  });
  canvas.addEventListener('pointermove', (event) => {
    if (current !== null && canvas.hasPointerCapture(event.pointerId)) {
      const events = event.getCoalescedEvents?.() ?? [];
      for (const each of events.length > 0 ? events : [event]) {
        const { x, y } = at(canvas, each);
        add(x, y);
      }
      changed();
    }
  });
  for (const end of ['pointerup', 'pointercancel']) {
    canvas.addEventListener(end, () => {
      current = null;
    });
  }
  canvas.addEventListener('keydown', (event) => {
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (direction !== undefined) {
      const step = event.shiftKey ? FINE_STEP : STEP;
      cursor.x = Math.min(SIDE, Math.max(0, cursor.x + step * direction[0]));
      cursor.y = Math.min(SIDE, Math.max(0, cursor.y + step * direction[1]));
      add(cursor.x, cursor.y);
    } else if (event.key === ' ') {
      current = current === null ? [{ x: cursor.x, y: cursor.y }] : null;
      strokes = current === null ? strokes : [...strokes, current];
    } else {
      return;
    }
    event.preventDefault();
    cursor.isShown = true;
    changed();
  });
  canvas.addEventListener('blur', () => {
    cursor.isShown = false;
    current = null;
    draw(canvas, strokes, null);
  });
  onThemeChange(() => draw(canvas, strokes, null));
  draw(canvas, strokes, null);

  return {
    element: canvas,
    undo() {
      strokes = strokes.slice(0, -1);
      current = null;
      changed();
    },
    clear() {
      strokes = [];
      current = null;
      changed();
    },
  };
}

/** @param {HTMLCanvasElement} canvas @param {PointerEvent} event */
function at(canvas, event) {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  return { x: ((event.clientX - left) / width) * SIDE, y: ((event.clientY - top) / height) * SIDE };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Stroke[]} strokes
 * @param {{x: number, y: number}|null} cursor   of the keys
 */
function draw(canvas, strokes, cursor) {
  const context = canvas.getContext('2d');
  if (context === null) {
    return;
  }
  context.clearRect(0, 0, SIDE, SIDE);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.lineWidth = PEN;
  context.strokeStyle = style('--ink');
  for (const stroke of strokes) {
    context.beginPath();
    context.moveTo(stroke[0].x, stroke[0].y);
    for (const { x, y } of stroke) {
      context.lineTo(x, y);
    }
    context.stroke();
  }
  if (cursor !== null) {
    context.lineWidth = 2;
    context.strokeStyle = style('--accent');
    context.beginPath();
    context.arc(cursor.x, cursor.y, PEN / 2, 0, 2 * Math.PI);
    context.stroke();
  }
}
