// Keeping a thread answerable: short slices of work, and few messages.

/** Work between two looks at the messages. */
export const SLICE_MS = 12;

/** The shortest time between two events of one kind: 20 a second. */
export const EVENT_MS = 50;

/** @type {(() => void)[]} */
const waiting = [];
/** @type {MessageChannel|undefined} */
let channel;

/**
 * Lets everything else that waits on this thread have its turn. (A timer would wait 4 ms; a promise alone would not
 * let messages in.)
 * @returns {Promise<void>}
 */
export function breathe() {
  return new Promise((resolve) => {
    if ('setImmediate' in globalThis) {
      globalThis.setImmediate(resolve); // Node, where an open channel would keep the process alive
      return;
    }
    if (channel === undefined) {
      channel = new MessageChannel();
      channel.port1.onmessage = () => waiting.shift()?.();
    }
    waiting.push(resolve);
    channel.port2.postMessage(null);
  });
}

/**
 * Does work in slices until it is done.
 * @param {() => boolean} step   does a little; false when there is no more to do
 * @param {() => void} [between] called after each slice; may throw to end the work
 */
export async function inSlices(step, between = () => {}) {
  for (let goesOn = true; goesOn;) {
    const end = performance.now() + SLICE_MS;
    do {
      goesOn = step();
    } while (goesOn && performance.now() < end);
    between();
    if (goesOn) {
      await breathe();
    }
  }
}

/**
 * Passes on at most one value every EVENT_MS, always the first and, in the end, the last: one that came too early is
 * sent when its time has come, or by flush().
 * @template T
 * @param {(value: T) => void} send
 */
export function throttled(send) {
  let lastSent = -Infinity;
  /** @type {{value: T}|null} */
  let held = null;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;
  /** @param {T} value */
  const pass = (value) => {
    clearTimeout(timer);
    timer = undefined;
    lastSent = performance.now();
    held = null;
    send(value);
  };
  const flush = () => {
    if (held !== null) {
      pass(held.value);
    }
  };
  return {
    flush,
    /** @param {T} value */
    offer(value) {
      const wait = lastSent + EVENT_MS - performance.now();
      if (wait <= 0) {
        pass(value);
      } else {
        held = { value };
        timer ??= setTimeout(flush, wait);
      }
    },
  };
}
