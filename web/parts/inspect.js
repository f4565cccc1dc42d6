// Inspect: one run and one of its checkpoints, image by image.

import { mountConfusion } from './confusion.js';
import { el } from './dom.js';
import { mountFocus } from './focus.js';
import { countOf, percent, runName } from './format.js';
import { mountGallery } from './gallery.js';
import { mountRemoval } from './removal.js';
import { mountWeights } from './weights.js';
import { LabError } from '../fault.js';
import { Store, runById } from '../state.js';

/** @typedef {import('../inspector.js').Images} Images */
/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../state.js').Checkpoint} Checkpoint */
/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../state.js').RunRecord} RunRecord */
/** @typedef {import('../types.js').Comparison} Comparison */
/** @typedef {import('../types.js').Endpoint} Endpoint */

/** @typedef {'all'|'wrong'|'harmed'|'repaired'} Outcome */

/**
 * What Inspect shows.
 * @typedef {object} View
 * @property {Subject|null} subject
 * @property {number|null} truth    only images of this digit
 * @property {number|null} guess    only images read as this digit
 * @property {Outcome} outcome
 * @property {number} page          from 0
 * @property {number|null} focus    the image that is shown large, by its position in the split
 */

/**
 * @typedef {object} Subject
 * @property {RunRecord} run
 * @property {Checkpoint} checkpoint
 * @property {Endpoint} endpoint
 * @property {Images} images
 * @property {RunRecord|null} baseline
 * @property {Comparison|null} comparison   with the baseline
 */

/** @param {RunRecord} run */
function isTested(run) {
  return run.result !== null && run.result.endpoints !== null;
}

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 */
export function mount(container, store, lab) {
  const view = new Store(/** @type {View} */ ({
    subject: null, truth: null, guess: null, outcome: 'wrong', page: 0, focus: null,
  }));
  const runs = el('select', { id: 'inspect-run', class: 'field__input' });
  const checkpoints = /** @type {const} */ (['selected', 'final']).map((checkpoint) => ({
    checkpoint,
    input: el('input', { type: 'radio', name: 'inspect-checkpoint', onchange: () => lab.choose(checkpoint) }),
    words: el('span'),
  }));
  const chips = checkpoints.map(({ input, words }) => el('label', { class: 'chip' }, input, words));
  const sentence = el('p', { class: 'soft', id: 'inspect-sentence' });
  const empty = el('p', { class: 'empty' }, 'When a network is trained, its test images are shown here: '
    + 'which it reads right, which wrong, and how sure it is. Press Train first.');
  const body = el('div', { class: 'inspect' });
  const head = el(
    'div',
    { class: 'inspect__head' },
    el('div', { class: 'field' }, el('label', { for: runs.id }, 'Run'), runs),
    el('fieldset', { class: 'field' }, el('legend', {}, 'Weights'), el('div', { class: 'chips' }, ...chips)),
  );
  const cards = Array.from({ length: 4 }, () => el('section', { class: 'card' }));
  const weights = el('div', { class: 'inspect__weights' });
  body.append(head, sentence, weights, el('div', { class: 'inspect__cards' }, ...cards));
  container.append(el('h1', { class: 'place__title' }, 'Inspect'), empty, body);

  cards[1].classList.add('inspect__focus');
  mountWeights(weights, view, lab);
  mountGallery(cards[0], view);
  mountFocus(cards[1], view, lab);
  mountConfusion(cards[2], view);
  mountRemoval(cards[3], view, lab);

  runs.addEventListener('change', () => lab.inspect(runs.value, store.state.checkpoint));
  store.watch((state) => state.runs, (all) => {
    const tested = all.filter(isTested);
    empty.hidden = tested.length > 0;
    body.hidden = tested.length === 0;
    runs.replaceChildren(...tested.toReversed().map((run) => el('option', { value: run.id }, optionText(run))));
    refresh();
  });
  store.watch((state) => state.inspectedRun, refresh);
  store.watch((state) => state.checkpoint, refresh);
  view.watch((state) => state.subject, (subject) => {
    sentence.textContent = subject === null ? '' : sentenceFor(subject);
  });

  /** Shows the run that is chosen; the latest where none is. */
  function refresh() {
    const { state } = store;
    const run = runById(state, state.inspectedRun) ?? state.runs.filter(isTested).at(-1) ?? null;
    if (run === null || run.result === null || run.result.endpoints === null) {
      view.update({ subject: null });
      return;
    }
    const { endpoints } = run.result;
    const shown = run.only ?? state.checkpoint;
    runs.value = run.id;
    for (const [i, { checkpoint, input, words }] of checkpoints.entries()) {
      chips[i].hidden = checkpoint !== (run.only ?? checkpoint);
      input.checked = checkpoint === shown;
      words.textContent = `${checkpoint === 'selected' ? 'Selected' : 'Final'}: epoch ${endpoints[checkpoint].epoch}`;
    }
    const { subject } = view.state;
    if (subject?.run !== run || subject.checkpoint !== shown) {
      void lab.attempt(() => load(run, shown));
    }
  }

  /** @param {RunRecord} run @param {Checkpoint} checkpoint */
  async function load(run, checkpoint) {
    const { endpoints, provenance } = /** @type {import('../types.js').RunResult} */ (run.result);
    const endpoint = /** @type {{selected: Endpoint, final: Endpoint}} */ (endpoints)[checkpoint];
    const images = await lab.inspector.images(endpoint.split);
    if (images.sha256 !== provenance.testSHA256) {
      throw new LabError({
        code: 'OTHER_TEST_SET',
        message: 'This run was tested on other images than those at hand, so they cannot be shown.',
        subject: endpoint.split,
        expected: provenance.testSHA256 ?? '',
        found: images.sha256,
      });
    }
    const match = await lab.inspector.baselineOf(run, store.state.runs, checkpoint);
    const { baseline = null, comparison = null } = match ?? {};
    const isNewRun = view.state.subject?.run.id !== run.id;
    view.update({
      subject: { run, checkpoint, endpoint, images, baseline, comparison },
      ...(isNewRun ? { truth: null, guess: null, outcome: 'wrong', page: 0, focus: null } : {}),
    });
  }
}

/** @param {RunRecord} run */
function optionText(run) {
  const accuracy = run.result?.endpoints?.selected.accuracy ?? NaN;
  return `${runName(run)} · ${percent(accuracy)}`;
}

/** @param {Subject} subject */
function sentenceFor({ endpoint, comparison }) {
  const own = `${percent(endpoint.accuracy, 2)} of ${countOf(endpoint.n, 'test image')} read right, `
    + `${countOf(endpoint.errors, 'mistake')}, loss ${endpoint.ce.toFixed(4)}.`;
  if (comparison === null) {
    return own;
  }
  const { harmed, repaired, pValue } = comparison;
  return `${own} Against its baseline: ${harmed.length} newly wrong, ${repaired.length} repaired `
    + `(McNemar's exact test: p = ${pValue.toFixed(3)}).`;
}
