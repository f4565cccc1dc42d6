// Pause, resume, and one step at a time, while runs are under way.

import { smallButton } from './dom.js';

/** @typedef {import('../state.js').LabState} LabState */

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {import('../lab.js').Lab} lab
 */
export function mountControls(container, store, lab) {
  const pause = smallButton('pause', 'Pause', () => lab.control(store.state.isPaused ? 'resume' : 'pause'));
  const minibatch = smallButton('step-minibatch', 'One minibatch', () => lab.control('stepMinibatch'));
  const epoch = smallButton('step-epoch', 'One epoch', () => lab.control('stepEpoch'));
  container.append(pause, minibatch, epoch);

  store.watch((state) => state.isRunning, (isRunning) => {
    container.hidden = !isRunning;
  });
  store.watch((state) => state.isPaused, (isPaused) => {
    pause.textContent = isPaused ? 'Resume' : 'Pause';
    minibatch.hidden = !isPaused;
    epoch.hidden = !isPaused;
  });
}
