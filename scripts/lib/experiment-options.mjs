// The options of scripts/experiment: from the command line to settings. What C checks is left to C.

import { BUILD_NAMES } from '../../web/builds.js';

/** @typedef {import('../../web/types.js').ConfigInput} ConfigInput */
/** @typedef {import('../../web/types.js').Description} Description */

export const USAGE = `usage: scripts/experiment [options]

  --preset NAME      the network: tiny, small, uniform, wide, full
  --widths LIST      instead of a preset: seven widths, as 784,256,192,128,96,64,10
  --train N          training images
  --epochs N
  --seed N
  --mask N           branches that may be skipped, as the bits of 0 to 15
  --drop P           chance that such a branch is skipped
  --batch N          images of a minibatch
  --lr RATE
  --test N           2000 (balanced) or full (all 10,000)
  --plan KIND        single, paired (with the baseline), sweep (none to all branches)
  --order LIST       in which a sweep adds the branches, as 0,1,2,3
  --json FILE        write the results there instead of to standard output
  --dataset DIR      the folder with manifest.json; default dist/dataset
  --build NAME       the engine: fused-threads, fused, mul-add-threads, mul-add; default: the fastest that runs here
`;

/** Options that set a field of the configuration. */
const FIELD_OPTIONS = new Map([
  ['--train', 'trainN'],
  ['--epochs', 'epochs'],
  ['--seed', 'seed'],
  ['--mask', 'mask'],
  ['--drop', 'p'],
  ['--batch', 'batch'],
  ['--lr', 'lr'],
]);

const OTHER_OPTIONS = ['--preset', '--widths', '--test', '--plan', '--order', '--json', '--dataset', '--build'];

const PLANS = ['single', 'paired', 'sweep'];

/**
 * What the options ask for, beside where things are.
 * @typedef {object} Wish
 * @property {ConfigInput} config
 * @property {string} plan
 * @property {number[]} order
 */

/** A mistake on the command line: a sentence that names the option. */
export class UsageError extends Error {}

/**
 * Options and their values, as `--name value` or `--name=value`.
 * @param {string[]} args
 * @returns {Map<string, string>}
 * @throws {UsageError}
 */
export function readOptions(args) {
  const known = [...FIELD_OPTIONS.keys(), ...OTHER_OPTIONS];
  const given = new Map();
  const rest = [...args];
  for (let option = rest.shift(); option !== undefined; option = rest.shift()) {
    const [name = '', inline] = option.split(/=(.*)/s);
    if (!known.includes(name)) {
      throw new UsageError(`${name} is no option; there are ${known.join(' ')}.`);
    }
    const value = inline ?? rest.shift();
    if (value === undefined) {
      throw new UsageError(`${name} needs a value.`);
    }
    if (given.has(name)) {
      throw new UsageError(`${name} is given twice.`);
    }
    given.set(name, value);
  }
  oneOf('--build', given.get('--build') ?? 'mul-add', BUILD_NAMES);
  return given;
}

/**
 * @param {Map<string, string>} given
 * @param {Description} description   of the engine: its fields have the ranges
 * @returns {Wish}
 * @throws {UsageError}
 */
export function readWish(given, description) {
  /** @type {ConfigInput & Record<string, unknown>} */
  const config = {};
  for (const [option, id] of FIELD_OPTIONS) {
    const text = given.get(option);
    if (text !== undefined) {
      config[id] = numberOf(option, text, rangeOf(description, id));
    }
  }
  const preset = given.get('--preset');
  const widths = given.get('--widths');
  if (preset !== undefined && widths !== undefined) {
    throw new UsageError('--preset and --widths exclude each other: a preset has its own widths.');
  }
  if (preset !== undefined) {
    config.preset = oneOf('--preset', preset, description.presets.map(({ id }) => id));
  }
  if (widths !== undefined) {
    config.widths = numbersOf('--widths', widths, 7, rangeOf(description, 'widths'));
  }
  const test = given.get('--test');
  if (test !== undefined) {
    const nTest = test === 'full' ? '10000' : test;
    config.testSet = Number(oneOf('--test', nTest, ['2000', '10000'], '2000 or full (10000)'));
  }
  const order = given.get('--order');
  return {
    config,
    plan: oneOf('--plan', given.get('--plan') ?? 'single', PLANS),
    order: order === undefined ? [0, 1, 2, 3] : numbersOf('--order', order, 4, 'the branches 0 to 3, each once'),
  };
}

/**
 * @param {string} subject   of a fault: a field's id, for widths with the place as in "widths[2]"
 * @returns {string} the option that sets it
 */
export function optionOf(subject) {
  const [id = ''] = subject.split('[');
  const [option] = [...FIELD_OPTIONS].find(([, field]) => field === id) ?? [id === 'testSet' ? '--test' : `--${id}`];
  return option + subject.slice(id.length);
}

/**
 * @param {Description} description
 * @param {string} id
 * @returns {string} what the field takes, in words
 */
function rangeOf(description, id) {
  const field = description.fields.find((candidate) => candidate.id === id);
  if (field === undefined) {
    return 'a number';
  }
  return field.kind === 'choice' ? field.values.join(', ') : `${field.min} to ${field.max}`;
}

/**
 * @param {string} option
 * @param {string} text
 * @param {string} range
 */
function numberOf(option, text, range) {
  if (text.trim() === '' || Number.isNaN(Number(text))) {
    throw new UsageError(`${option} takes ${range}; "${text}" is not a number.`);
  }
  return Number(text);
}

/**
 * @param {string} option
 * @param {string} text
 * @param {number} n
 * @param {string} range
 */
function numbersOf(option, text, n, range) {
  const parts = text.split(',');
  if (parts.length !== n) {
    throw new UsageError(`${option} takes ${n} numbers with commas between (${range}); "${text}" has ${parts.length}.`);
  }
  return parts.map((part) => numberOf(option, part, range));
}

/**
 * @param {string} option
 * @param {string} text
 * @param {string[]} values
 * @param {string} [range]
 */
function oneOf(option, text, values, range = values.join(', ')) {
  if (!values.includes(text)) {
    throw new UsageError(`${option} takes ${range}; "${text}" is none of that.`);
  }
  return text;
}
