// Train and Stop, the way to the settings, and one line that says what Train would do.

import { byId } from './dom.js';
import { count, countOf } from './format.js';

/** @typedef {import('../state.js').LabState} LabState */

/**
 * @param {import('../state.js').Store<LabState>} store
 * @param {import('../lab.js').Lab} lab
 */
export function mountStart(store, lab) {
  const train = byId('train');
  const stop = byId('stop');
  const summary = byId('plan-summary');

  const toggle = byId('settings-toggle');
  const settings = byId('settings');

  train.addEventListener('click', () => void lab.train());
  // Stop stands where Train stood: the second half of a double click, or of a key held down, is not meant for it.
  stop.addEventListener('click', ({ detail }) => {
    if (detail < 2) {
      lab.stop();
    }
  });
  stop.addEventListener('keydown', (event) => {
    if (event.repeat) {
      event.preventDefault();
    }
  });
  toggle.addEventListener('click', () => {
    settings.hidden = !settings.hidden;
    toggle.setAttribute('aria-expanded', String(!settings.hidden));
  });

  settings.addEventListener('submit', (event) => {
    event.preventDefault();
    void lab.train();
  });
  store.watch((state) => state.isRunning, (isRunning) => swap(train, stop, isRunning));
  for (const part of /** @type {const} */ (['config', 'planned', 'need', 'start'])) {
    store.watch((state) => state[part], (_, state) => {
      summary.textContent = state.description === null ? '\u00a0' : sentence(state);
    });
  }
}

/**
 * Shows one of two buttons; the focus goes with it.
 * @param {HTMLElement} first
 * @param {HTMLElement} second
 * @param {boolean} showSecond
 */
function swap(first, second, showSecond) {
  const [shown, gone] = showSecond ? [second, first] : [first, second];
  const hadFocus = document.activeElement === gone;
  shown.hidden = false;
  gone.hidden = true;
  if (hadFocus) {
    setTimeout(() => shown.focus()); // after the key that did this: it is not to press the second button too
  }
}

/** @param {LabState} state */
function sentence({ config, need, planned, start, configFault, planFault }) {
  const fault = configFault ?? planFault;
  if (fault !== null) {
    return fault.message;
  }
  const network = config.preset ? `the ${config.preset} network` : 'a network of custom widths';
  const runs = planned.length > 1 ? `${count(planned.length)} runs of ${network}` : network;
  const parameters = need.nParameters > 0 ? ` (${count(need.nParameters)} parameters)` : '';
  const { trainN = NaN, epochs = NaN } = config;
  const origin = start === null ? '' : ', on from weights that are there';
  return `${runs[0].toUpperCase()}${runs.slice(1)}${parameters}: ${countOf(trainN, 'image')}, `
    + `${countOf(epochs, 'epoch')}${origin}.`;
}
