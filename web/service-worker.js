// Keeps the lab at hand without a network: after the first visit the page, its engine and the splits that were fetched
// come from caches. It holds no rule of the protocol; what comes out of a cache is verified by C like anything else.
//
// Two caches, named after what is in them, so that one never holds parts of two builds:
//
//   build <id>        page, modules, styles, preview, manifest, and the engines that this browser runs: fetched when
//                     this service worker is installed, each file proven by its SHA-256, all of them or none
//   dataset <digest>  the splits, each once the page has fetched it and only if it is the manifest's (the digest is
//                     the manifest's own, so a new build keeps the splits that have not changed)
//
// A page is served by the build that it started with. A page that came from the network stays with the network; the
// service worker serves those that are opened after it. A new build is installed beside the old one and waits until
// the visitor agrees to reload, or until no page is open any more; the old caches go then.
//
// Hosts that cannot send the headers of cross-origin isolation (GitHub Pages) get them here: they are added to what is
// kept, so that threads work from the second visit on.

import { buildsToKeep, detectFeatures } from './builds.js';

/** @typedef {import('../types/service-worker.js').Build} Build */
/** @typedef {import('../types/service-worker.js').WorkerScope} WorkerScope */

const worker = /** @type {WorkerScope} */ (/** @type {unknown} */ (globalThis));

/** What scripts/dist.mjs has put before this code. @type {Build} */
const { id, files, splits } = worker.BUILD;

const scope = worker.registration.scope;

// One origin may serve several labs, in folders of their own.
const PREFIX = `mnist-browser-lab ${new URL(scope).pathname} `;
const BUILD_CACHE = `${PREFIX}build ${id}`;
const DATASET_CACHE = `${PREFIX}dataset ${files['dataset/manifest.json']}`;

/** @type {Record<string, string>} */
const ISOLATION = {
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(removeOldCaches()));

worker.addEventListener('message', (event) => {
  if (event.data === 'keep splits') {
    event.waitUntil(keepFetchedSplits());
  } else if (event.data === 'take over') {
    event.waitUntil(takeOver(event));
  }
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const name = request.method === 'GET' ? nameOf(request) : '';
  const isFresh = request.cache === 'reload' && request.mode !== 'navigate';
  if (Object.hasOwn(splits, name)) {
    event.respondWith(answerSplit(event, name, isFresh));
  } else if (Object.hasOwn(files, name)) {
    event.respondWith(isFresh ? passOn(event, BUILD_CACHE, files[name]) : answerFile(event, name));
  }
});

/** All files of this build, or none. */
async function install() {
  const engines = buildsToKeep(detectFeatures()).map((build) => `wasm/engine-${build}.`);
  const names = Object.keys(files).filter(
    (name) => !name.startsWith('wasm/engine-') || engines.some((engine) => name.startsWith(engine)),
  );
  const responses = await Promise.all(names.map(fetchFile));
  try {
    for (const [i, name] of names.entries()) {
      await store(BUILD_CACHE, urlOf(name), responses[i]);
    }
  } catch (error) {
    await caches.delete(BUILD_CACHE);
    throw error;
  }
}

/**
 * A file of this build and of no other.
 * @param {string} name
 * @returns {Promise<Response>}
 * @throws {TypeError} when neither the browser's own cache nor the network has it, as after a newer build was deployed
 */
function fetchFile(name) {
  const url = urlOf(name);
  const integrity = files[name];
  return fetch(url, { integrity }).catch(() => fetch(url, { integrity, cache: 'reload' }));
}

/** @param {FetchEvent} event @param {string} name */
async function answerFile(event, name) {
  if (!(await caches.has(BUILD_CACHE))) {
    return answerWithoutCache(event, name);
  }
  const kept = await keptIn(BUILD_CACHE, name);
  if (kept !== undefined) {
    return kept;
  }
  const response = await fetchFile(name); // an engine that was not expected to be used
  event.waitUntil(store(BUILD_CACHE, urlOf(name), response.clone()).catch(() => {}));
  return response;
}

/**
 * The cache was thrown away behind our back. A page that opens waits until all is there again; if that cannot be, its
 * files and all that it asks for come from the network, where a newer build may be.
 * @param {FetchEvent} event
 * @param {string} name
 */
async function answerWithoutCache({ request }, name) {
  const isMended = request.mode === 'navigate' && (await install().then(() => true, () => false));
  return (isMended ? await keptIn(BUILD_CACHE, name) : undefined) ?? fetch(request);
}

/** @param {FetchEvent} event @param {string} name @param {boolean} isFresh */
async function answerSplit(event, name, isFresh) {
  const kept = isFresh ? undefined : await keptIn(DATASET_CACHE, name);
  return kept ?? passOn(event, DATASET_CACHE, splits[name]);
}

/**
 * Gives what the network gives, as it comes, and keeps it if it is what it should be.
 * @param {FetchEvent} event
 * @param {string} cacheName
 * @param {string} integrity
 */
async function passOn(event, cacheName, integrity) {
  const response = await fetch(event.request);
  if (response.ok) {
    // What cannot be read to its end or stored is not kept; the page hears of it from its own copy.
    event.waitUntil(keep(cacheName, event.request.url, response.clone(), integrity).catch(() => {}));
  }
  return response;
}

/** @param {string} cacheName @param {string} url @param {Response} response @param {string} integrity */
async function keep(cacheName, url, response, integrity) {
  const bytes = await response.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  if (integrity.split(' ').includes(`sha256-${btoa(String.fromCharCode(...digest))}`)) {
    await store(cacheName, url, response, bytes);
  }
}

/**
 * Keeps the splits that the page fetched before this service worker could see it. They are in the browser's own cache
 * then; the network is not asked.
 */
async function keepFetchedSplits() {
  for (const [name, integrity] of Object.entries(splits)) {
    if ((await keptIn(DATASET_CACHE, name)) === undefined) {
      await fetch(urlOf(name), { integrity, cache: 'only-if-cached', mode: 'same-origin' })
        .then((response) => store(DATASET_CACHE, urlOf(name), response))
        .catch(() => {}); // it was not fetched
    }
  }
}

async function removeOldCaches() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== BUILD_CACHE && name !== DATASET_CACHE) {
      await caches.delete(name);
    }
  }
}

/** Serves from now on, unless a page beside the one that asks is of the old build. @param {MessageEvent} event */
async function takeOver(event) {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const nPages = windows.filter(({ url }) => url.startsWith(scope)).length;
  if (nPages > 1) {
    event.source?.postMessage({ nOtherPages: nPages - 1 });
  } else {
    await worker.skipWaiting();
  }
}

/** @param {string} cacheName @param {string} name @returns {Promise<Response|undefined>} */
function keptIn(cacheName, name) {
  return caches.match(urlOf(name), { cacheName, ignoreVary: true });
}

/**
 * Stores an answer, with the headers of isolation where the host has sent none. The browser has decoded the body.
 * @param {string} cacheName
 * @param {string} url
 * @param {Response} response
 * @param {BodyInit|null} [body]   in place of a body that was read
 */
async function store(cacheName, url, response, body = response.body) {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ISOLATION)) {
    if (!headers.has(name)) {
      headers.set(name, value);
    }
  }
  headers.delete('Content-Encoding');
  headers.delete('Content-Length');
  const cache = await caches.open(cacheName);
  await cache.put(url, new Response(body, { status: response.status, headers }));
}

/** The file of the lab that is asked for; the page may have a query. @param {Request} request */
function nameOf({ url, mode }) {
  const { origin, pathname, search } = new URL(url);
  const path = origin + pathname;
  if (!path.startsWith(scope) || (search !== '' && mode !== 'navigate')) {
    return '';
  }
  return path.slice(scope.length) || 'index.html';
}

/** Hosts may send visitors of index.html on to its folder. @param {string} name */
function urlOf(name) {
  return new URL(name === 'index.html' ? '.' : name, scope).href;
}
