// scripts/experiment's own part: options in, progress on standard error, results as JSON.

import { writeFile } from 'node:fs/promises';

import { LabError } from '../web/fault.js';
import { resultToJson, SCHEMA_VERSION } from '../web/results.js';
import { optionOf, readOptions, readWish, USAGE, UsageError } from './lib/experiment-options.mjs';
import { openSession } from './lib/node-session.mjs';

/** @typedef {import('../web/session.js').Session} Session */
/** @typedef {import('../web/types.js').ConfigInput} ConfigInput */
/** @typedef {import('../web/types.js').EpochRow} EpochRow */
/** @typedef {import('../web/types.js').RunResult} RunResult */

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

/** Faults of a setting, as C names them. */
const SETTING_FAULTS = ['FIELD_OUT_OF_RANGE', 'FIELD_NOT_INTEGER', 'FIELD_NOT_LISTED', 'WRONG_SHAPE'];

/** @param {string} line */
function say(line) {
  process.stderr.write(`${line}\n`);
}

/** @param {number} value   0..1 */
function percent(value) {
  return `${(100 * value).toFixed(2)} %`;
}

/**
 * Carries one run of a plan out.
 * @param {Session} session
 * @param {ConfigInput} config
 * @param {number} id
 * @returns {Promise<RunResult>}
 */
async function carryOut(session, config, id) {
  /** @param {string} event @param {any} data */
  const emit = (event, data) => {
    if (event === 'epoch') {
      /** @type {EpochRow} */
      const { epoch, trainingLoss, validationAccuracy, validationCrossEntropy, seconds } = data;
      say(
        `epoch ${epoch}: training loss ${trainingLoss.toFixed(4)}, validation ${percent(validationAccuracy)}, ` +
          `cross-entropy ${validationCrossEntropy.toFixed(4)}, ${seconds.toFixed(2)} s`,
      );
    }
  };
  const onInterrupt = () => session.control({ run: id, action: 'stop' });
  process.once('SIGINT', onInterrupt);
  const result = await session.run({ config }, { id, emit }).finally(() => process.off('SIGINT', onInterrupt));
  if (result.endpoints !== null) {
    const { selected, final } = result.endpoints;
    say(`test: selected (epoch ${selected.epoch}) ${percent(selected.accuracy)}, final ${percent(final.accuracy)}`);
  } else {
    say(`the run is ${result.status}${result.fault === null ? '' : `: ${result.fault.message}`}`);
  }
  return result;
}

/**
 * @param {Session} session
 * @param {import('./lib/experiment-options.mjs').Wish} wish
 * @returns {Promise<{results: RunResult[], json: object}>}
 */
async function carryOutPlan(session, { config, plan, order }) {
  const { fault } = session.checkConfig({ config });
  if (fault !== null) {
    throw new LabError(fault);
  }
  const masks = session.plan({ kind: plan, order, mask: config.mask ?? 0 });
  const { build, numerics, threads } = session.engine.info;
  say(`engine ${build}: ${numerics}, ${threads} thread${threads === 1 ? '' : 's'}`);
  const results = [];
  for (const [at, mask] of masks.entries()) {
    if (masks.length > 1) {
      say(`run ${at + 1} of ${masks.length}: mask ${mask}`);
    }
    const result = await carryOut(session, { ...config, mask }, at + 1);
    results.push(result);
    if (result.status === 'stopped') {
      break;
    }
  }
  const runs = results.map(resultToJson);
  const [only] = runs;
  const json = plan === 'single' ? only : { schemaVersion: SCHEMA_VERSION, plan: { kind: plan, order, masks }, runs };
  return { results, json };
}

/**
 * @param {string[]} args
 * @returns {Promise<number>} the exit status
 */
async function main(args) {
  if (args.includes('--help')) {
    process.stdout.write(USAGE);
    return 0;
  }
  const given = readOptions(args);
  const session = await openSession({ dataset: given.get('--dataset'), build: given.get('--build') });
  const { results, json } = await carryOutPlan(session, readWish(given, session.engine.description));
  const text = `${JSON.stringify(json)}\n`;
  const file = given.get('--json');
  if (file === undefined) {
    process.stdout.write(text);
  } else {
    await writeFile(file, text);
  }
  if (results.some(({ status }) => status === 'stopped')) {
    return EXIT_INTERRUPTED;
  }
  return results.every(({ status }) => status === 'finished') ? 0 : EXIT_FAILED;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof LabError && SETTING_FAULTS.includes(error.code)) {
    say(`${optionOf(error.subject)} takes ${error.expected}; ${error.found} is none of that.`);
    process.exitCode = EXIT_USAGE;
  } else if (error instanceof UsageError) {
    say(error.message);
    process.exitCode = EXIT_USAGE;
  } else {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = EXIT_FAILED;
  }
}
