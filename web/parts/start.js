// Train and Stop, the way to the settings, and one line that says what Train would do.

import { byId } from './dom.js';
import { count, countOf } from './format.js';
import { isUnderWay } from '../state.js';

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
  stop.addEventListener('click', () => lab.stop());
  toggle.addEventListener('click', () => {
    settings.hidden = !settings.hidden;
    toggle.setAttribute('aria-expanded', String(!settings.hidden));
  });

  store.watch((state) => state.runs.some((run) => isUnderWay(run.status)), (underWay) => {
    swap(train, stop, underWay);
  });
  store.watch((state) => state.config, (_, state) => {
    summary.textContent = state.description === null ? '\u00a0' : sentence(state);
  });
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
    shown.focus();
  }
}

/** @param {LabState} state */
function sentence({ config, description }) {
  const preset = description?.presets.find((candidate) => candidate.id === config.preset);
  const network = preset === undefined
    ? 'A network of custom widths'
    : `The ${preset.id} network (${count(preset.nParameters)} parameters)`;
  return `${network}, ${countOf(config.trainN ?? NaN, 'image')}, ${countOf(config.epochs ?? NaN, 'epoch')}.`;
}
