// What the page does for the time without a network: it registers the service worker once the first view stands, and
// says quietly when a newer version of the lab is ready.

import { el, smallButton } from './dom.js';

/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../state.js').LabState} LabState */

/** A page that stays open asks so seldom whether there is a newer version. */
const UPDATE_MS = 60 * 60 * 1000;

/**
 * @param {HTMLElement} container   shows the notice
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 */
export async function mountOffline(container, store, lab) {
  const { serviceWorker } = navigator;
  await calm(store);
  // Some browsers have none in private windows, or refuse: the lab then needs the network, and that is all.
  const registration = await serviceWorker?.register('service-worker.js').catch(() => undefined);
  if (registration === undefined) {
    return;
  }
  takeIn(lab).catch(() => {}); // the run that wants it tells what is wrong
  if (serviceWorker.controller === null) {
    keepSplits(store); // this page came from the network, so it is the newest there is
    return;
  }
  followUpdates(registration, (next) => {
    container.replaceChildren(notice(next));
    container.hidden = false;
    lab.say('A new version is ready.');
  });
  askForUpdates(registration);
}

/**
 * What is laid up for later must not hold up what goes on now: a run that starts, downloads and trains its first epoch.
 * @param {import('../state.js').Store<LabState>} store
 * @returns {Promise<void>}
 */
function calm(store) {
  const isCalm = (/** @type {LabState} */ { isRunning, runs }) => !isRunning || runs.some(({ history }) => history.length > 0);
  return new Promise((resolve) => {
    store.watch(isCalm, (now) => now && resolve());
  });
}

/**
 * Loads what an earlier visit has kept, so that Train need not wait for it. Nothing is fetched from the network.
 * @param {Lab} lab
 */
async function takeIn(lab) {
  const client = await lab.client();
  for (const split of ['train', 'validation']) {
    if (await caches.match(`dataset/${split}.bin.gz`)) {
      await client.loadSplit(split);
    }
  }
}

/**
 * The service worker does not see what this page fetches, so it is told to look: after each run, and when the page is left.
 * @param {import('../state.js').Store<LabState>} store
 */
function keepSplits(store) {
  const tell = async () => {
    const { active } = await navigator.serviceWorker.ready;
    active?.postMessage('keep splits');
  };
  store.watch((state) => state.isRunning, (isRunning) => void (isRunning || tell()));
  document.addEventListener('visibilitychange', () => void (document.hidden && tell()));
}

/**
 * @param {ServiceWorkerRegistration} registration
 * @param {(next: ServiceWorker) => void} onReady   a newer version is installed and waits
 */
function followUpdates(registration, onReady) {
  const look = () => {
    if (registration.waiting !== null) {
      onReady(registration.waiting);
    }
  };
  registration.addEventListener('updatefound', () => {
    registration.installing?.addEventListener('statechange', look);
  });
  look();
}

/** @param {ServiceWorkerRegistration} registration */
function askForUpdates(registration) {
  let asked = performance.now(); // the browser asked when it opened the page
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && performance.now() - asked > UPDATE_MS) {
      asked = performance.now();
      registration.update().catch(() => {}); // no network
    }
  });
}

/** @param {ServiceWorker} next */
function notice(next) {
  const words = el('span', {}, 'A new version is ready.');
  const reload = smallButton('update-reload', 'Reload');
  reload.addEventListener('click', () => next.postMessage('take over'));
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload());
  // It waits for pages of the old version, which would get parts of the new one.
  navigator.serviceWorker.addEventListener('message', () => {
    words.textContent = 'A new version is ready. Close the other tabs of the lab first.';
  });
  return el('p', { class: 'update small' }, words, reload);
}
