// An address that is an experiment: all settings after the #. Reading one names what is not understood; whether the
// values are allowed is C's to say, as it is for the controls.

import { LabError } from './fault.js';

/** @typedef {import('./state.js').PlanSettings} PlanSettings */
/** @typedef {import('./types.js').ConfigInput} ConfigInput */
/** @typedef {import('./types.js').Description} Description */

/**
 * @typedef {object} Link
 * @property {ConfigInput} config
 * @property {Partial<PlanSettings>} plan
 * @property {boolean} run            it asks for a start
 * @property {string|null} expect     SHA-256 of the weights that should come out
 * @property {string|null} numerics   that they were computed with
 */

/** @type {PlanSettings['kind'][]} */
const KINDS = ['single', 'paired', 'sweep', 'grid'];

/**
 * @param {ConfigInput} config
 * @param {PlanSettings} plan
 * @param {{expect?: string, numerics?: string}} [proof]
 * @returns {string} without the #
 */
export function writeLink(config, plan, { expect, numerics } = {}) {
  const { preset, widths, ...settings } = config;
  const query = new URLSearchParams(preset ? { preset } : { widths: (widths ?? []).join() });
  for (const [id, value] of Object.entries(settings)) {
    query.set(id, String(value));
  }
  query.set('plan', plan.kind);
  query.set('seeds', String(plan.nSeeds));
  if (plan.kind === 'sweep') {
    query.set('order', plan.order.join());
  }
  if (plan.kind === 'grid') {
    query.set('ps', plan.ps.join());
    query.set('masks', plan.masks.join());
  }
  if (expect !== undefined) {
    query.set('expect', expect);
    query.set('numerics', numerics ?? '');
  }
  return query.toString().replaceAll('%2C', ',');
}

/**
 * @param {string} hash   of the address, with or without the #
 * @param {Description} description
 * @returns {Link}
 * @throws {LabError} WRONG_LINK, which names the part that is not understood
 */
export function readLink(hash, description) {
  /** @type {Link} */
  const link = { config: {}, plan: {}, run: false, expect: null, numerics: null };
  for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ''))) {
    if (!readPlan(link, key, value) && !readProof(link, key, value) && !readSetting(link, key, value, description)) {
      throw wrong(key, 'a setting of the lab', key);
    }
  }
  return link;
}

/** @param {Link} link @param {string} key @param {string} value @returns {boolean} whether it was one of these */
function readPlan({ plan }, key, value) {
  switch (key) {
    case 'plan':
      plan.kind = KINDS.find((kind) => kind === value);
      if (plan.kind === undefined) {
        throw wrong(key, KINDS.join(', '), value);
      }
      return true;
    case 'seeds':
      plan.nSeeds = number(key, value);
      return true;
    case 'order':
    case 'ps':
    case 'masks':
      plan[key] = numbers(key, value);
      return true;
    default:
      return false;
  }
}

/** @param {Link} link @param {string} key @param {string} value */
function readProof(link, key, value) {
  if (key === 'run') {
    if (value !== '0' && value !== '1') {
      throw wrong(key, '0 or 1', value);
    }
    link.run = value === '1';
  } else if (key === 'expect') {
    if (!/^[0-9a-f]{64}$/.test(value)) {
      throw wrong(key, '64 hexadecimal digits', value);
    }
    link.expect = value;
  } else if (key === 'numerics') {
    link.numerics = value;
  }
  return key === 'run' || key === 'expect' || key === 'numerics';
}

/** @param {Link} link @param {string} key @param {string} value @param {Description} description */
function readSetting({ config }, key, value, { fields, presets }) {
  if (key === 'preset') {
    if (!presets.some(({ id }) => id === value)) {
      throw wrong(key, presets.map(({ id }) => id).join(', '), value);
    }
    config.preset = value;
    config.widths = undefined;
    return true;
  }
  const field = fields.find(({ id }) => id === key);
  if (field === undefined) {
    return false;
  }
  if (field.id === 'widths') {
    config.preset = '';
    config.widths = numbers(key, value);
  } else {
    Object.assign(config, { [key]: number(key, value) });
  }
  return true;
}

/** @param {string} key @param {string} value */
function numbers(key, value) {
  return value.split(',').map((part) => number(key, part));
}

/** @param {string} key @param {string} value */
function number(key, value) {
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) {
    throw wrong(key, 'a number', value);
  }
  return Number(value);
}

/** @param {string} subject @param {string} expected @param {string} found */
function wrong(subject, expected, found) {
  const message = `The link’s ${subject} should be ${expected}; it is “${found}”.`;
  return new LabError({ code: 'WRONG_LINK', message, subject, expected, found });
}
