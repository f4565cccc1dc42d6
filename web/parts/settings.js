// The settings: one control for each of C's fields. C decides what is allowed; what it says stands under its control.

import { el } from './dom.js';
import { count } from './format.js';

/** @typedef {import('../types.js').ConfigInput} ConfigInput */
/** @typedef {import('../types.js').Description} Description */
/** @typedef {import('../types.js').Field} Field */
/** @typedef {import('../types.js').LabFault} LabFault */
/** @typedef {import('../types.js').Preset} Preset */
/** @typedef {import('../state.js').LabState} LabState */

/** @typedef {'trainN'|'testSet'|'epochs'|'batch'|'lr'|'p'|'mask'|'seed'} NumberField   ids of C's fields of one number */

/** Which fields stand together, and in what order; a field that is not named here joins the last group. */
const GROUPS = [
  { title: 'Network', fields: ['widths'] },
  { title: 'Training', fields: ['trainN', 'epochs', 'batch', 'lr', 'seed'] },
  { title: 'Stochastic depth', fields: ['mask', 'p'] },
  { title: 'Test', fields: ['testSet'] },
];

const N_BRANCHES = 4;

/**
 * @param {HTMLElement} fields
 * @param {import('../state.js').Store<LabState>} store
 * @param {import('../lab.js').Lab} lab
 */
export function mountSettings(fields, store, lab) {
  /** @type {Map<string, Control>} */
  const controls = new Map();

  store.watch((state) => state.description, (description) => {
    if (description !== null && controls.size === 0) {
      fields.replaceChildren(...buildGroups(description, controls, (changes) => lab.attempt(() => lab.configure(changes))));
    }
  });
  store.watch((state) => state.config, (config) => {
    for (const control of controls.values()) {
      control.show(config);
    }
  });
  store.watch((state) => state.configFault, (fault) => {
    for (const [id, control] of controls) {
      control.blame(fault?.subject === id ? fault : null);
    }
  });
}

/**
 * @typedef {object} Control
 * @property {HTMLElement} element
 * @property {(config: ConfigInput) => void} show
 * @property {(fault: LabFault|null) => void} blame
 */

/**
 * @param {Description} description
 * @param {Map<string, Control>} controls
 * @param {(changes: ConfigInput) => void} change
 */
function buildGroups(description, controls, change) {
  const known = new Set(GROUPS.flatMap((group) => group.fields));
  return GROUPS.map(({ title, fields }, i) => {
    const ids = [...fields];
    if (i === GROUPS.length - 1) {
      ids.push(...description.fields.map((field) => field.id).filter((id) => !known.has(id)));
    }
    const heading = el('h3', { id: `settings-group-${i}` }, title);
    const body = el('div', { class: 'settings__fields' });
    for (const id of ids) {
      const field = description.fields.find((candidate) => candidate.id === id);
      if (field !== undefined) {
        const control = buildControl(field, description, change);
        controls.set(id, control);
        body.append(control.element);
      }
    }
    return el('div', { class: 'settings__group', role: 'group', 'aria-labelledby': heading.id }, heading, body);
  });
}

/**
 * @param {Field} field
 * @param {Description} description
 * @param {(changes: ConfigInput) => void} change
 * @returns {Control}
 */
function buildControl(field, description, change) {
  if (field.id === 'widths') {
    return presetControl(description.presets, change);
  }
  if (field.id === 'mask') {
    return maskControl(field, change);
  }
  return field.kind === 'choice' ? choiceControl(field, change) : numberControl(field, change);
}

/** @param {string} id @param {HTMLElement} element @returns {(fault: LabFault|null) => void} */
function blamer(id, element) {
  const message = el('p', { class: 'field__error', id: `${id}-error`, hidden: true });
  element.append(message);
  return (fault) => {
    message.textContent = fault?.message ?? '';
    message.hidden = fault === null;
    element.classList.toggle('field--bad', fault !== null);
    for (const input of element.querySelectorAll('input, select')) {
      input.toggleAttribute('aria-invalid', fault !== null);
    }
  };
}

/** @param {Preset[]} presets @param {(changes: ConfigInput) => void} change @returns {Control} */
function presetControl(presets, change) {
  const id = 'setting-preset';
  const select = el('select', { id, class: 'field__input', 'aria-describedby': `${id}-hint ${id}-error` });
  for (const preset of presets) {
    select.append(el('option', { value: preset.id }, `${preset.label} · ${count(preset.nParameters)} parameters`));
  }
  select.append(el('option', { value: '' }, 'Custom widths'));
  const widths = el('input', { id: 'setting-widths', class: 'field__input', inputmode: 'numeric', 'aria-label': 'Widths' });
  const hint = el('p', { class: 'field__hint', id: `${id}-hint` });
  select.addEventListener('change', () => change(select.value === ''
    ? { preset: '', widths: numbersIn(widths.value) }
    : { preset: select.value, widths: undefined }));
  widths.addEventListener('input', () => change({ preset: '', widths: numbersIn(widths.value) }));
  const element = el('div', { class: 'field field--wide' }, el('label', { for: id }, 'Preset'), select, widths, hint);
  return {
    element,
    show(config) {
      const preset = presets.find((candidate) => candidate.id === config.preset);
      select.value = preset?.id ?? '';
      widths.hidden = preset !== undefined;
      if (document.activeElement !== widths) {
        widths.value = (preset?.widths ?? config.widths ?? []).join(', ');
      }
      hint.textContent = preset === undefined
        ? 'Seven widths: 784, five that do not increase, 10'
        : `Widths ${preset.widths.map(count).join(' → ')}`;
    },
    blame: blamer(id, element),
  };
}

/** @param {string} text @returns {number[]} */
function numbersIn(text) {
  return text.split(/[\s,]+/).filter((part) => part !== '').map(Number);
}

/** @param {Field} field @param {(changes: ConfigInput) => void} change @returns {Control} */
function numberControl(field, change) {
  const id = `setting-${field.id}`;
  const key = /** @type {NumberField} */ (field.id);
  const input = el('input', {
    id,
    type: 'number',
    class: 'field__input',
    inputmode: field.kind === 'integer' ? 'numeric' : 'decimal',
    min: field.min,
    max: field.max,
    step: field.step > 0 ? field.step : 'any',
    'aria-describedby': `${id}-hint ${id}-error`,
  });
  input.addEventListener('input', () => change({ [key]: input.valueAsNumber }));
  const unit = field.unit === '' ? '' : ` ${field.unit}`;
  const hint = `${number(field.min)} to ${number(field.max)}${unit}`;
  const element = el(
    'div',
    { class: 'field' },
    el('label', { for: id }, field.label),
    input,
    el('p', { class: 'field__hint', id: `${id}-hint` }, hint),
  );
  if (field.values.length > 0) {
    const list = el('datalist', { id: `${id}-values` }, ...field.values.map((value) => el('option', { value })));
    input.setAttribute('list', list.id);
    element.append(list);
  }
  return {
    element,
    show(config) {
      if (!Object.is(input.valueAsNumber, config[key])) {
        input.value = String(config[key]);
      }
    },
    blame: blamer(id, element),
  };
}

/** @param {Field} field @param {(changes: ConfigInput) => void} change @returns {Control} */
function choiceControl(field, change) {
  const id = `setting-${field.id}`;
  const key = /** @type {NumberField} */ (field.id);
  const inputs = field.values.map((value) => el('input', {
    type: 'radio',
    name: id,
    value,
    onchange: () => change({ [key]: value }),
  }));
  const chips = inputs.map((input, i) => el('label', { class: 'chip' }, input, el('span', {}, number(field.values[i]))));
  const saysUnit = field.unit === '' || field.label.toLowerCase().includes(field.unit);
  const label = saysUnit ? field.label : `${field.label} (${field.unit})`;
  const element = el('fieldset', { class: 'field' }, el('legend', {}, label), el('div', { class: 'chips' }, ...chips));
  return {
    element,
    show(config) {
      for (const [i, input] of inputs.entries()) {
        input.checked = field.values[i] === config[key];
      }
    },
    blame: blamer(id, element),
  };
}

/** Four check boxes, one a branch. @param {Field} field @param {(changes: ConfigInput) => void} change @returns {Control} */
function maskControl(field, change) {
  const inputs = Array.from({ length: N_BRANCHES }, () => el('input', { type: 'checkbox' }));
  const maskOf = () => inputs.reduce((mask, input, i) => mask | (input.checked ? 1 << i : 0), 0);
  const chips = inputs.map((input, i) => {
    input.addEventListener('change', () => change({ mask: maskOf() }));
    return el('label', { class: 'chip' }, input, el('span', { 'aria-label': `Branch ${i + 1}` }, i + 1));
  });
  const element = el(
    'fieldset',
    { class: 'field' },
    el('legend', {}, field.label),
    el('div', { class: 'chips' }, ...chips),
  );
  return {
    element,
    show(config) {
      for (const [i, input] of inputs.entries()) {
        input.checked = ((config.mask ?? 0) & (1 << i)) !== 0;
      }
    },
    blame: blamer('setting-mask', element),
  };
}

/** @param {number} value */
function number(value) {
  return value.toLocaleString('en', { maximumFractionDigits: 6 });
}
