// The page's one live region. It speaks at most every five seconds, and then says the latest that it was told.

const PAUSE = 5000;

export class Announcer {
  #region;
  #spokenAt = -PAUSE;
  #next = '';
  #waiting = false;

  /** @param {HTMLElement} region */
  constructor(region) {
    this.#region = region;
  }

  /** @param {string} sentence */
  say(sentence) {
    if (sentence === '' || sentence === this.#next) {
      return;
    }
    this.#next = sentence;
    if (this.#waiting) {
      return;
    }
    const wait = this.#spokenAt + PAUSE - performance.now();
    if (wait <= 0) {
      this.#speak();
      return;
    }
    this.#waiting = true;
    setTimeout(() => this.#speak(), wait);
  }

  #speak() {
    this.#waiting = false;
    this.#spokenAt = performance.now();
    this.#region.textContent = this.#next;
  }
}
