// Compare: every run in a table, chosen ones as curves, accuracy by depth, and what several seeds say.

import { mountDepth } from './depth.js';
import { el } from './dom.js';
import { mountFiles } from './files.js';
import { mountOverlay } from './overlay.js';
import { mountResults } from './results.js';
import { mountSeeds } from './seeds.js';
import { Store } from '../state.js';

/** @typedef {import('../lab.js').Lab} Lab */
/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../state.js').RunRecord} RunRecord */

const N_CURVES = 6;

/**
 * What Compare shows.
 * @typedef {object} Choice
 * @property {string[]} chosen   runs whose curves are drawn
 */

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {Lab} lab
 */
export function mount(container, store, lab) {
  const choice = new Store(/** @type {Choice} */ ({ chosen: [] }));
  const empty = el('p', { class: 'empty' }, 'Runs are listed here, with their curves and what may be concluded from them. '
    + 'Train one; for a comparison choose the plan “Paired” or “Sweep” in the settings, and more than one seed.');
  const cards = Array.from({ length: 5 }, () => el('section', { class: 'card' }));
  const [results, overlay, depth, seeds, files] = cards;
  const charts = el('div', { class: 'compare__charts' }, overlay, depth);
  const body = el('div', { class: 'place' }, results, charts, seeds);
  container.append(el('h1', {}, 'Compare'), empty, body, files);

  mountResults(results, store, lab, choice);
  mountOverlay(overlay, store, choice);
  mountDepth(depth, store, lab);
  mountSeeds(seeds, store, lab);
  mountFiles(files, store, lab);

  let newestPlan = '';
  store.watch((state) => state.runs, (runs) => {
    empty.hidden = runs.length > 0;
    body.hidden = runs.length === 0;
    const drawable = runs.filter((run) => !run.only); // a network from a file has no curves
    const plan = drawable.at(-1)?.plan ?? '';
    const chosen = plan === newestPlan
      ? choice.state.chosen.filter((id) => drawable.some((run) => run.id === id))
      : firstOf(drawable.filter((run) => run.plan === plan)).map((run) => run.id);
    newestPlan = plan;
    choice.update({ chosen });
  });
}

/** The runs of a plan's first seed: they are the ones to be compared. @param {RunRecord[]} runs */
function firstOf(runs) {
  return runs.filter((run) => run.config.seed === runs[0].config.seed).slice(0, N_CURVES);
}
