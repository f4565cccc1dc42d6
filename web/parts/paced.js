// Drawing not more often than a person can see, and the last state always.

/**
 * @param {() => void} draw
 * @param {number} milliseconds   at least, between two drawings
 * @returns {() => void} asks for a drawing
 */
export function paced(draw, milliseconds) {
  let drawnAt = -Infinity;
  let isWaiting = false;
  return () => {
    if (isWaiting) {
      return;
    }
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      drawnAt = performance.now();
      draw();
    }, Math.max(0, drawnAt + milliseconds - performance.now()));
  };
}
