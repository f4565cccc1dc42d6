// What a person can tell a run while it goes: pause, resume, one minibatch, one epoch, stop.

/** @typedef {'pause'|'resume'|'stepMinibatch'|'stepEpoch'|'stop'} Action */

/** The controls of one run. The run asks it before each piece of work; the rest of the world calls tell(). */
export class RunControl {
  /** 'run': on and on; 'pause': wait; a step: until its event, then wait. */
  #mode;
  #stop = new AbortController();
  /** @type {() => void} */
  #wake = () => {};
  /** @type {() => void} */
  #onChange = () => {};

  /** @param {{startPaused?: boolean}} [options] */
  constructor({ startPaused = false } = {}) {
    /** @type {'run'|'pause'|'stepMinibatch'|'stepEpoch'} */
    this.#mode = startPaused ? 'pause' : 'run';
  }

  /** Aborted by stop: for downloads and evaluations. */
  get signal() {
    return this.#stop.signal;
  }

  get isStopped() {
    return this.#stop.signal.aborted;
  }

  get isPaused() {
    return this.#mode === 'pause';
  }

  /** Whether it may go on and on. */
  get isFree() {
    return this.#mode === 'run';
  }

  /** Whether the next piece of work may be done without waiting. */
  get mayGoOn() {
    return !this.isStopped && !this.isPaused;
  }

  /** @param {Action} action */
  tell(action) {
    if (action === 'stop') {
      this.#stop.abort();
    } else {
      this.#mode = action === 'resume' ? 'run' : action;
    }
    this.#wake();
    this.#onChange();
  }

  /**
   * Hears of every change; one listener.
   * @param {() => void} listener
   */
  onChange(listener) {
    this.#onChange = listener;
  }

  /** Ends a step when what it was for has happened. @param {string} event  a run event of C */
  happened(event) {
    if (!this.isFree && (event === 'epoch' || (event === 'minibatch' && this.#mode === 'stepMinibatch'))) {
      this.#mode = 'pause';
      this.#onChange();
    }
  }

  /** Waits while paused; returns at once otherwise, and when stopped. */
  async ready() {
    while (this.isPaused && !this.isStopped) {
      await new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
