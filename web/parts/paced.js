// Drawing not more often than a person can see, one after another, and the last state always.

/**
 * @param {() => unknown} draw       a promise, which never fails, where it has to ask first
 * @param {number} milliseconds      at least, between the beginnings of two drawings
 * @returns {() => void} asks for a drawing
 */
export function paced(draw, milliseconds) {
  let drawnAt = -Infinity;
  let isWaiting = false;
  /** @type {unknown} */
  let last;
  return () => {
    if (isWaiting) {
      return;
    }
    isWaiting = true;
    setTimeout(async () => {
      await last;
      isWaiting = false;
      drawnAt = performance.now();
      last = draw();
    }, Math.max(0, drawnAt + milliseconds - performance.now()));
  };
}
