// Whether training can go on from a network that is there.

import { LabError } from './fault.js';

/** @typedef {import('./state.js').RunRecord} RunRecord */
/** @typedef {import('./types.js').ConfigInput} ConfigInput */
/** @typedef {import('./types.js').Description} Description */

/**
 * That the settings' network is the one whose weights training goes on from.
 * @param {Description} description
 * @param {ConfigInput} config
 * @param {RunRecord|null} source   null: it is gone
 */
export function checkStart({ presets }, config, source) {
  const widthsOf = (/** @type {ConfigInput} */ { preset, widths }) =>
    (widths ?? presets.find(({ id }) => id === preset)?.widths ?? []).join(', ');
  const [expected, found] = [source?.config ?? config, config].map(widthsOf);
  if (expected !== found) {
    const message = `The weights to go on from are of the widths ${expected}; the settings say ${found}.`;
    throw new LabError({ code: 'WRONG_SHAPE', message, subject: 'widths', expected, found });
  }
}
