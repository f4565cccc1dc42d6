// Functions that run in the lab's own page: they know its Train button and its worker's messages. Each is sent there by
// itself, so none can use another one.

/** @typedef {{seconds: number, trainingSeconds: number}} EndToEnd   of one run with the page's own settings */

/**
 * Before the page's own scripts: listens to what its worker tells, and leaves promises in labWatch:
 * isReady (the engine runs), firstStepAt (when it heard of a step first, in milliseconds since the navigation), result
 * (of the run, and when it came).
 */
export function watchLab() {
  const watch = /** @type {any} */ (globalThis);
  /** @type {Record<string, (value?: unknown) => void>} */
  const tell = {};
  /** @type {((reason: Error) => void)[]} */
  const giveUp = [];
  watch.labWatch = Object.fromEntries(
    ['isReady', 'firstStepAt', 'result'].map((name) => [
      name,
      new Promise((resolve, reject) => {
        tell[name] = resolve;
        giveUp.push(reject);
      }),
    ]),
  );
  let run = NaN; // the request's number
  /** @param {MessageEvent} message */
  const listen = ({ data: { id, event, data, result, error } }) => {
    const at = performance.now();
    if (event === 'progress' && data.minibatchesDone > 0) {
      // Never early, but late: by what else the slice trains (12 ms at most), by up to 50 ms if an earlier progress has
      // just gone out, and by what the page is busy with. What the other steps took cannot be taken off: the only rate
      // known is that of the first one, many times slower than they are.
      tell.firstStepAt(at);
    } else if (result?.description !== undefined) {
      tell.isReady();
    } else if (id === run && error !== undefined) {
      giveUp.forEach((reject) => reject(new Error(error.message)));
    } else if (id === run && result !== undefined) {
      tell.result({ result: { status: result.status, timing: result.timing }, at });
    }
  };
  watch.Worker = class extends Worker {
    /** @param {string|URL} url @param {WorkerOptions} [options] */
    constructor(url, options) {
      super(url, options);
      this.addEventListener('message', listen);
    }

    /** @override @param {any} message @param {any} [transfer] */
    postMessage(message, transfer) {
      run = message.method === 'run' ? message.id : run;
      super.postMessage(message, transfer);
    }
  };
}

/** Before the page's own scripts: Train is clicked as soon as the page listens. */
export function clickAtOnce() {
  document.addEventListener('DOMContentLoaded', () => document.getElementById('train')?.click());
}

/** Trains once, from the click to the result. @returns {Promise<EndToEnd>} */
export async function clickAndWait() {
  const watch = /** @type {any} */ (globalThis).labWatch;
  await watch.isReady;
  const start = performance.now();
  document.getElementById('train')?.click();
  const { result, at } = await watch.result;
  if (result.status !== 'finished') {
    throw new Error(`the run has ended as ${result.status}`);
  }
  return { seconds: (at - start) / 1000, trainingSeconds: result.timing.trainingSeconds };
}

/** Waits until the service worker has kept the images of a run. */
export async function untilKept() {
  await navigator.serviceWorker.ready;
  while (!(await caches.match('dataset/train.bin.gz')) || !(await caches.match('dataset/validation.bin.gz'))) {
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}
