// The page's one live region. It speaks at most every five seconds, and then says the latest that it was told.

import { paced } from './paced.js';

const PAUSE = 5000;

export class Announcer {
  #next = '';
  #speak;

  /** @param {HTMLElement} region */
  constructor(region) {
    this.#speak = paced(() => {
      region.textContent = this.#next;
    }, PAUSE);
  }

  /** @param {string} sentence */
  say(sentence) {
    if (sentence !== '' && sentence !== this.#next) {
      this.#next = sentence;
      this.#speak();
    }
  }
}
