// Inspect: one run and one of its checkpoints, image by image.

import { mountConfusion } from './confusion.js';
import { el, smallButton } from './dom.js';
import { mountFocus } from './focus.js';
import { countOf, pText, percent, runName } from './format.js';
import { mountGallery } from './gallery.js';
import { mountRemoval } from './removal.js';
import { mountWeights } from './weights.js';
import { LabError } from '../fault.js';
import { Store, epochOf, isInspectable, runById } from '../state.js';

/** @typedef {import('../inspector.js').Images} Images */
/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../state.js').Checkpoint} Checkpoint */
/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../state.js').RunRecord} RunRecord */
/** @typedef {import('../types.js').Comparison} Comparison */
/** @typedef {import('../types.js').Endpoint} Endpoint */

/** @typedef {'all'|'wrong'|'harmed'|'repaired'} Outcome */

/**
 * A run that is chosen, and which of its weights.
 * @typedef {object} Shown
 * @property {RunRecord} run
 * @property {Checkpoint} checkpoint
 * @property {number} nBaselines   tested runs without skipping: with another one there may be another comparison
 */

/**
 * What Inspect shows.
 * @typedef {object} View
 * @property {Shown|null} shown
 * @property {Subject|null} subject  what the test says of it; null where it is not tested, or the images are not here yet
 * @property {number|null} truth    only images of this digit
 * @property {number|null} guess    only images read as this digit
 * @property {Outcome} outcome
 * @property {number} page          from 0
 * @property {number|null} focus    the image that is shown large, by its position in the split
 */

/**
 * @typedef {object} SubjectParts
 * @property {Endpoint} endpoint
 * @property {Images} images
 * @property {RunRecord|null} baseline
 * @property {Comparison|null} comparison   with the baseline
 */

/** @typedef {Shown & SubjectParts} Subject */

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 */
export function mount(container, store, lab) {
  const view = new Store(/** @type {View} */ ({
    shown: null, subject: null, truth: null, guess: null, outcome: 'wrong', page: 0, focus: null,
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
  const test = smallButton('test-now', 'Test it now');
  const testRow = el('div', { class: 'button-row' }, test);
  const tested = el('div', { class: 'inspect__cards' }, ...cards);
  body.append(head, sentence, testRow, weights, tested);
  container.append(el('h1', { class: 'place__title' }, 'Inspect'), empty, body);

  cards[1].classList.add('inspect__focus');
  mountWeights(weights, view, lab);
  mountFocus(cards[1], view, lab); // before the gallery, which chooses another image at once
  mountGallery(cards[0], view);
  mountConfusion(cards[2], view);
  mountRemoval(cards[3], view, lab);

  runs.addEventListener('change', () => lab.inspect(runs.value, store.state.checkpoint));
  test.addEventListener('click', () => void lab.attempt(async () => {
    const { shown } = view.state;
    if (shown !== null) {
      test.disabled = true;
      await lab.test(shown.run).finally(() => {
        test.disabled = false;
      });
    }
  }));
  store.watch((state) => state.runs, (all) => {
    const inspectable = all.filter(isInspectable);
    empty.hidden = inspectable.length > 0;
    body.hidden = inspectable.length === 0;
    runs.replaceChildren(...inspectable.toReversed().map((run) => el('option', { value: run.id }, optionText(run))));
    refresh();
  });
  store.watch((state) => state.inspectedRun, refresh);
  store.watch((state) => state.checkpoint, refresh);
  store.watch((state) => state.problem, (problem) => {
    if (problem === null && view.state.subject === null) {
      view.update({ shown: null }); // what was missing may be there now
      refresh();
    }
  });
  view.watch((state) => state.subject, (subject) => {
    tested.hidden = subject === null;
    if (subject !== null) {
      sentence.textContent = sentenceFor(subject);
    }
  });

  /** Shows the run that is chosen; the latest where none is. */
  function refresh() {
    const { state } = store;
    const run = runById(state, state.inspectedRun) ?? state.runs.filter(isInspectable).at(-1) ?? null;
    const result = run?.result ?? null;
    if (run === null || result === null) {
      view.update({ shown: null, subject: null });
      return;
    }
    const checkpoint = run.only ?? state.checkpoint;
    runs.value = run.id;
    for (const [i, { checkpoint: candidate, input, words }] of checkpoints.entries()) {
      chips[i].hidden = run.only !== null && candidate !== run.only;
      input.checked = candidate === checkpoint;
      words.textContent = `${candidate === 'selected' ? 'Selected' : 'Final'}: epoch ${epochOf(result, candidate)}`;
    }
    const isTested = result.endpoints !== null;
    testRow.hidden = isTested;
    const nBaselines = state.runs.filter((other) => other.config.mask === 0 && other.result?.endpoints).length;
    const shown = { run, checkpoint, nBaselines };
    const before = view.state.shown;
    if (before?.run === run && before.checkpoint === checkpoint && before.nBaselines === nBaselines) {
      return;
    }
    view.update(isTested ? { shown } : { shown, subject: null });
    body.ariaBusy = String(isTested);
    if (isTested) {
      void lab.attempt(() => load(shown));
    } else {
      sentence.textContent = 'It is not tested yet, for its test images could not be fetched. Its weights are here.';
    }
  }

  /** @param {Shown} shown */
  async function load(shown) {
    const isStillShown = () => view.state.shown === shown;
    try {
      const subject = await subjectOf(shown);
      if (isStillShown()) {
        const isNewRun = view.state.subject?.run.id !== shown.run.id;
        view.update({ subject, ...(isNewRun ? { truth: null, guess: null, outcome: 'wrong', page: 0, focus: null } : {}) });
      }
    } catch (error) {
      if (isStillShown()) {
        sentence.textContent = '';
        view.update({ subject: null }); // rather nothing than another run's images
        throw error;
      }
    } finally {
      if (isStillShown()) {
        body.ariaBusy = 'false';
      }
    }
  }

  /** @param {Shown} shown @returns {Promise<Subject>} */
  async function subjectOf(shown) {
    const { run, checkpoint } = shown;
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
    return { ...shown, endpoint, images, baseline, comparison };
  }
}

/** @param {RunRecord} run */
function optionText(run) {
  const endpoint = run.result?.endpoints?.selected;
  return `${runName(run)} · ${endpoint === undefined ? 'not tested' : percent(endpoint.accuracy)}`;
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
    + `(p of McNemar’s exact test: ${pText(pValue)}).`;
}
