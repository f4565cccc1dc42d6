// Plans, comparisons and statistics: numbers in, C's figures out.

import { LabError } from './fault.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./types.js').Comparison} Comparison */
/** @typedef {import('./types.js').Config} Config */
/** @typedef {import('./types.js').Endpoint} Endpoint */
/** @typedef {import('./types.js').Paired} Paired */
/** @typedef {import('./types.js').Summary} Summary */

/**
 * What a comparison needs of a run.
 * @typedef {object} Party
 * @property {Config} config
 * @property {string} numerics
 * @property {string} initializationSHA256
 * @property {Endpoint|undefined} endpoint
 */

const N_MAX_PLAN = 5;
const N_MAX_GRID = 100;

/**
 * @param {Engine} engine
 * @param {{kind: string, order: number[], mask: number}} params
 * @returns {number[]} masks
 */
export function plan(engine, { kind, order, mask }) {
  const { plans } = engine.description;
  const orderIndex = engine.withRoom(order.length, (address) => {
    engine.write(address, order);
    return engine.status('gd_plan_order_index', address);
  });
  return engine.withRoom(4 * N_MAX_PLAN, (address) => {
    const n = engine.status('gd_plan_masks', plans.indexOf(kind), orderIndex, mask, address);
    return [...engine.copyU32(address, n)];
  });
}

/**
 * @param {Engine} engine
 * @param {{p: number[], masks: number[], seeds: number[]}} axes
 * @returns {{p: number, mask: number, seed: number}[]}
 */
export function grid(engine, { p, masks, seeds }) {
  return withF64(engine, [p, masks, seeds], ([pAt = 0, masksAt = 0, seedsAt = 0]) =>
    engine.withRoom(3 * 8 * N_MAX_GRID, (out) => {
      const n = engine.status('gd_plan_grid', pAt, p.length, masksAt, masks.length, seedsAt, seeds.length, out);
      return Array.from({ length: n }, (_, run) => {
        const [runP, mask, seed] = engine.copyF64(out + 24 * run, 3);
        return { p: Number(runP), mask: Number(mask), seed: Number(seed) };
      });
    }),
  );
}

/**
 * @param {Engine} engine
 * @param {number[]} masks
 * @returns {boolean}
 */
export function isNested(engine, masks) {
  return engine.withRoom(4 * masks.length + 4, (address) => {
    engine.writeU32(address, masks);
    return engine.status('gd_plan_is_nested', address, masks.length) === 1;
  });
}

/**
 * @param {Engine} engine
 * @param {Party} baseline
 * @param {Party} treatment
 * @throws {LabError} NOT_COMPARABLE, with the setting that differs
 */
export function checkComparable(engine, baseline, treatment) {
  [baseline, treatment].forEach((party, which) => {
    if (party.endpoint === undefined) {
      throw new LabError({ code: 'NOT_COMPARABLE', message: 'A run without test figures cannot be compared.' });
    }
    writeIdentity(engine, which, party);
  });
  engine.status('gd_compare_identities');
}

/**
 * @param {Engine} engine
 * @param {number} which
 * @param {Party} party
 */
function writeIdentity(engine, which, { config, numerics, initializationSHA256 }) {
  const { fields, identity } = engine.description;
  const address = engine.pointer('gd_identity', which);
  for (const { id, first } of fields) {
    const value = config[/** @type {keyof Config} */ (id)];
    const numbers = Array.isArray(value) ? value : [Number(value)];
    engine.writeF64(address + identity.fields.values.offset + 8 * first, numbers);
  }
  engine.writeU32(address + identity.fields.isFused.offset, [numerics === 'fused' ? 1 : 0]);
  engine.write(address + identity.fields.initializationSHA256.offset, bytesOf(initializationSHA256));
}

/**
 * @param {Engine} engine
 * @param {Party} baseline
 * @param {Party} treatment
 * @param {number} split   handle of the test images of both
 * @returns {Comparison}
 */
export function compare(engine, baseline, treatment, split) {
  const { outcomes: names } = engine.description;
  const before = baseline.endpoint?.predictions ?? new Uint8Array();
  const after = treatment.endpoint?.predictions ?? new Uint8Array();
  const n = engine.number('gd_split_n_images', split);
  if (before.length !== n || after.length !== n) {
    const message = `Two predictions for each of ${n} test images are needed.`;
    throw new LabError({ code: 'NOT_COMPARABLE', message, subject: 'predictions' });
  }
  return engine.withRoom(3 * n + 4 + 16, (address) => {
    const outcomesAt = address + 2 * n;
    const countsAt = (address + 3 * n + 3) & ~3;
    engine.write(address, before);
    engine.write(address + n, after);
    const labels = engine.pointer('gd_split_labels', split);
    engine.status('gd_compare_predictions', labels, address, address + n, n, outcomesAt, countsAt);
    const counts = engine.copyU32(countsAt, 4);
    const outcomes = engine.copyU8(outcomesAt, n);
    /** @param {string} name */
    const count = (name) => Number(counts[names.indexOf(name)]);
    /** @param {string} name */
    const imagesOf = (name) => {
      const outcome = names.indexOf(name);
      return Uint32Array.from([...outcomes.keys()].filter((image) => outcomes[image] === outcome));
    };
    return {
      n,
      nBothRight: count('bothRight'),
      nBothWrong: count('bothWrong'),
      harmed: imagesOf('harmed'),
      repaired: imagesOf('repaired'),
      pValue: engine.number('gd_compare_mcnemar', count('harmed'), count('repaired')),
    };
  });
}

/**
 * @param {Engine} engine
 * @param {number[]} values
 * @returns {Summary}
 */
export function summarize(engine, values) {
  const ids = engine.description.statistics.summary;
  return withF64(engine, [values, new Array(ids.length).fill(0)], ([valuesAt = 0, out = 0]) => {
    engine.status('gd_statistics_summarize', valuesAt, values.length, out);
    return /** @type {Summary} */ (named(ids, engine.copyF64(out, ids.length)));
  });
}

/**
 * @param {Engine} engine
 * @param {number[]} baseline
 * @param {number[]} treatment
 * @returns {Paired}
 */
export function pair(engine, baseline, treatment) {
  if (baseline.length !== treatment.length) {
    throw new LabError({ code: 'NOT_COMPARABLE', message: 'Pairs need as many values on both sides.' });
  }
  const { summary, paired } = engine.description.statistics;
  const n = baseline.length;
  const room = new Array(n + paired.length).fill(0);
  return withF64(engine, [baseline, treatment, room], ([baselineAt = 0, treatmentAt = 0, differencesAt = 0]) => {
    const out = differencesAt + 8 * n;
    engine.status('gd_statistics_pair', baselineAt, treatmentAt, n, differencesAt, out);
    const figures = engine.copyF64(out, paired.length);
    const difference = named(summary, figures); // C's row starts with it
    return { ...named(paired.slice(summary.length), figures.subarray(summary.length)), difference };
  });
}

/**
 * @param {string[]} ids
 * @param {Float64Array} values
 */
function named(ids, values) {
  return /** @type {any} */ (Object.fromEntries(ids.map((id, at) => [id, Number(values[at])])));
}

/**
 * Lays rows of doubles out in the engine's memory for the time of one call.
 * @template T
 * @param {Engine} engine
 * @param {number[][]} rows
 * @param {(addresses: number[]) => T} use
 * @returns {T}
 */
function withF64(engine, rows, use) {
  const n = rows.reduce((sum, row) => sum + row.length, 0);
  return engine.withRoom(8 * (n + 1), (address) => {
    let at = address;
    const addresses = rows.map((row) => {
      engine.writeF64(at, row);
      const start = at;
      at += 8 * row.length;
      return start;
    });
    return use(addresses);
  });
}

/** @param {string} hex */
function bytesOf(hex) {
  return (hex.match(/../g) ?? []).map((byte) => parseInt(byte, 16));
}
