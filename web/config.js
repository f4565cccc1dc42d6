// A run's settings between an object with names and C's row of numbers. C alone says what is allowed.

import { LabError } from './fault.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./types.js').Config} Config */
/** @typedef {import('./types.js').ConfigInput} ConfigInput */

const N_MAX_VALIDATION = 2000;

/**
 * Writes settings to where C reads a configuration, and checks them there. What is left out takes its default.
 * @param {Engine} engine
 * @param {ConfigInput} input
 * @returns {Config} complete
 * @throws {LabError} C's fault: the field, its range, and what was found
 */
export function applyConfig(engine, input) {
  const { fields, presets } = engine.description;
  /** @type {Record<string, unknown>} */
  const given = { ...input };
  const presetId = given.preset;
  delete given.preset;
  if (given.widths === undefined && presetId !== undefined && presetId !== '') {
    const preset = presets.find(({ id }) => id === presetId);
    if (preset === undefined) {
      throw notListed('preset', presets.map(({ id }) => id).join(', '), presetId);
    }
    given.widths = preset.widths;
  }
  const unknown = Object.keys(given).find((id) => !fields.some((field) => field.id === id));
  if (unknown !== undefined) {
    throw notListed('settings', fields.map(({ id }) => id).join(', '), unknown);
  }
  engine.status('gd_config_default');
  const address = engine.pointer('gd_config_values');
  for (const { id, first, n } of fields) {
    const value = given[id];
    if (value === undefined) {
      continue;
    }
    const numbers = Array.isArray(value) ? value : [value];
    if (numbers.length !== n || numbers.some((number) => typeof number !== 'number')) {
      throw notListed(id, n === 1 ? 'a number' : `${n} numbers`, value);
    }
    engine.writeF64(address + 8 * first, numbers);
  }
  engine.status('gd_config_check');
  return readConfig(engine);
}

/**
 * @param {Engine} engine
 * @returns {Config} what C holds
 */
function readConfig(engine) {
  const { fields, presets } = engine.description;
  const address = engine.pointer('gd_config_values');
  const preset = presets[engine.number('gd_config_preset')];
  /** @type {Record<string, string|number|number[]>} */
  const config = { preset: preset?.id ?? '' };
  for (const { id, first, n } of fields) {
    const numbers = [...engine.copyF64(address + 8 * first, n)];
    config[id] = n === 1 ? Number(numbers[0]) : numbers;
  }
  return /** @type {Config} */ (/** @type {unknown} */ (config));
}

/**
 * @param {Engine} engine
 * @param {ConfigInput} input
 * @returns {{config: Config, bytes: number, nParameters: number}} bytes: memory of such a run, beside the data
 */
export function measureConfig(engine, input) {
  const config = applyConfig(engine, input);
  const bytes = engine.status('gd_run_bytes', N_MAX_VALIDATION);
  return { config, bytes, nParameters: countParameters(config.widths) };
}

/** @param {number[]} widths */
export function countParameters(widths) {
  let n = 0;
  widths.slice(1).forEach((out, layer) => {
    n += out * (Number(widths[layer]) + 1);
  });
  return n;
}

/**
 * @param {string} subject
 * @param {string} expected
 * @param {unknown} value
 */
function notListed(subject, expected, value) {
  const found = String(value);
  const message = `${subject} takes ${expected}; ${found} is none of that.`;
  return new LabError({ code: 'FIELD_NOT_LISTED', message, subject, expected, found });
}
