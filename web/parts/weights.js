// The weights that Inspect shows: out as a file, or on to more training.

import { byId, el, smallButton } from './dom.js';
import { save } from './figure-tools.js';

/** @typedef {import('./inspect.js').Shown} Shown */
/** @typedef {import('./inspect.js').View} View */
/** @typedef {import('../export.js').Format} Format */
/** @typedef {import('../lab.js').Lab} Lab */

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<View>} view
 * @param {Lab} lab
 */
export function mountWeights(container, view, lab) {
  /** @param {string} id @param {string} label @param {(shown: Shown) => Promise<void>} action */
  const button = (id, label, action) => smallButton(id, label, () => void lab.attempt(async () => {
    const { shown } = view.state;
    if (shown !== null) {
      await action(shown);
    }
  }));
  /** @param {Format} format @returns {(shown: Shown) => Promise<void>} */
  const saveAs = (format) => async ({ run, checkpoint }) => {
    const { blob, name } = await lab.exportWeights(run, checkpoint, format);
    save(blob, name);
  };
  const buttons = [
    button('save-safetensors', 'Save weights (.safetensors)', saveAs('safetensors')),
    button('save-onnx', 'Save model (.onnx)', saveAs('onnx')),
    button('train-further', 'Train further', async ({ run, checkpoint }) => {
      await lab.startFrom({ run, checkpoint });
      byId('train').focus(); // this button is out of sight now
    }),
  ];
  const words = el('p', { class: 'small soft' }, 'This run came from a results file, which holds no weights.');
  const row = el('div', { class: 'button-row' }, ...buttons);
  container.append(row, words);
  view.watch((state) => state.shown, (shown) => {
    const hasWeights = shown?.run.hasWeights ?? false;
    row.hidden = !hasWeights;
    words.hidden = shown === null || hasWeights;
  });
}
