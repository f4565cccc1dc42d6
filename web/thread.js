// A worker that is one of the engine's threads: it works on the engine's memory until it is ended.

import { serveThread } from './instance.js';

/** @typedef {import('./instance.js').ThreadTask} ThreadTask */

self.addEventListener('message', (/** @type {MessageEvent<ThreadTask>} */ { data }) => {
  serveThread(data, () => self.postMessage('ready'));
});
