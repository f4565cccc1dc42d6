// The plan: which networks Train trains, one after the other or side by side.

import { el } from './dom.js';
import { branches } from './format.js';

/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../state.js').PlanSettings} PlanSettings */
/** @typedef {import('../types.js').Description} Description */
/** @typedef {import('../lab.js').Lab} Lab */

/** @type {{kind: PlanSettings['kind'], label: string, about: string}[]} */
const KINDS = [
  { kind: 'single', label: 'Single', about: 'One network with the settings above.' },
  { kind: 'paired', label: 'Paired', about: 'A baseline that skips no branch, and the same with the branches above.' },
  { kind: 'sweep', label: 'Sweep', about: 'Five networks: none of the branches, then one more at a time in this order.' },
  { kind: 'grid', label: 'Grid', about: 'Each of these branch sets with each of these probabilities, up to 100 runs.' },
];

const N_MASKS = 16;

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 */
export function mountPlan(container, store, lab) {
  store.watch((state) => state.description, (description) => {
    if (description !== null && container.childElementCount === 0) {
      build(container, description, store, lab);
    }
  });
}

/**
 * @param {HTMLElement} container
 * @param {Description} description
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 */
function build(container, description, store, lab) {
  const configure = (/** @type {Partial<PlanSettings>} */ changes) => lab.attempt(() => lab.configurePlan(changes));
  const about = el('p', { class: 'field__hint' });
  const kinds = KINDS.map(({ kind, label }) => ({
    value: kind,
    input: el('input', { type: 'radio', name: 'plan-kind', value: kind, onchange: () => configure({ kind }) }),
    label,
  }));
  const order = el('select', { id: 'plan-order', class: 'field__input' });
  for (const candidate of description.orders) {
    order.append(el('option', { value: candidate.join() }, candidate.map((branch) => branch + 1).join(' → ')));
  }
  order.addEventListener('change', () => configure({ order: order.value.split(',').map(Number) }));
  const orderField = el('div', { class: 'field' }, el('label', { for: order.id }, 'Order of branches'), order);

  const masks = checks(
    Array.from({ length: N_MASKS }, (_, mask) => ({ value: mask, label: branches(mask) })),
    (values) => configure({ masks: values }),
  );
  const masksField = fieldset('Branch sets', masks, 'field field--wide');
  const probabilities = description.fields.find((field) => field.id === 'p')?.values ?? [];
  const ps = checks(
    probabilities.map((p) => ({ value: p, label: String(p) })),
    (values) => configure({ ps: values }),
  );
  const psField = fieldset('Drop probabilities', ps, 'field');

  const seeds = el('input', {
    id: 'plan-seeds', type: 'number', class: 'field__input', inputmode: 'numeric', min: 1, max: 100, step: 1,
    'aria-describedby': 'plan-seeds-hint',
  });
  seeds.addEventListener('input', () => configure({ nSeeds: seeds.valueAsNumber }));
  const seedsField = el(
    'div',
    { class: 'field' },
    el('label', { for: seeds.id }, 'Seeds'),
    seeds,
    el('p', { class: 'field__hint', id: 'plan-seeds-hint' }, 'Repeats with the next seeds'),
  );
  const paused = el('input', { type: 'checkbox', id: 'plan-paused' });
  paused.addEventListener('change', () => configure({ startPaused: paused.checked }));
  const pausedField = fieldset('Start', [{ value: 1, label: 'paused', input: paused }], 'field');

  const kindField = fieldset('Networks', kinds, 'field field--wide');
  kindField.append(about);
  const error = el('p', { class: 'field__error', id: 'plan-error', hidden: true });
  const heading = el('h3', { id: 'settings-group-plan' }, 'Plan');
  const fields = el('div', { class: 'settings__fields' }, kindField, orderField, masksField, psField, seedsField,
    pausedField, error);
  container.append(
    el('div', { class: 'settings__group', role: 'group', 'aria-labelledby': heading.id }, heading, fields),
  );

  store.watch((state) => state.plan, (plan) => {
    about.textContent = KINDS.find(({ kind }) => kind === plan.kind)?.about ?? '';
    orderField.hidden = plan.kind !== 'sweep';
    masksField.hidden = plan.kind !== 'grid';
    psField.hidden = plan.kind !== 'grid';
    order.value = plan.order.join();
    tick(kinds, [plan.kind]);
    tick(masks, plan.masks);
    tick(ps, plan.ps);
    paused.checked = plan.startPaused;
    if (!Object.is(seeds.valueAsNumber, plan.nSeeds)) {
      seeds.value = String(plan.nSeeds);
    }
  });
  store.watch((state) => state.planFault, (fault) => {
    error.hidden = fault === null;
    error.textContent = fault?.message ?? '';
  });
}

/**
 * @template V
 * @typedef {{value: V, label: string, input: HTMLInputElement}} Cell
 */

/**
 * Check boxes of which any may be chosen.
 * @param {{value: number, label: string}[]} choices
 * @param {(values: number[]) => void} change
 * @returns {Cell<number>[]}
 */
function checks(choices, change) {
  /** @type {Cell<number>[]} */
  const cells = choices.map((choice) => ({ ...choice, input: el('input', { type: 'checkbox' }) }));
  for (const { input } of cells) {
    input.addEventListener('change', () => change(cells.filter((cell) => cell.input.checked).map((cell) => cell.value)));
  }
  return cells;
}

/**
 * @template V
 * @param {Cell<V>[]} cells
 * @param {V[]} values
 */
function tick(cells, values) {
  for (const { input, value } of cells) {
    input.checked = values.includes(value);
  }
}

/** @param {string} legend @param {Cell<any>[]} cells @param {string} className */
function fieldset(legend, cells, className) {
  const chips = cells.map(({ input, label }) => el('label', { class: 'chip' }, input, el('span', {}, label)));
  const isMany = cells.length > 4;
  const row = el('div', { class: isMany ? 'chips chips--many' : 'chips' }, ...chips);
  return el('fieldset', { class: className }, el('legend', {}, legend), row);
}
