// What goes on right now: one bar, first the bytes of the download, then the epochs.

import { el } from './dom.js';
import { count, duration, loss, percent, rate, size } from './format.js';
import { shownRun } from '../state.js';

/** @typedef {import('../state.js').LabState} LabState */
/** @typedef {import('../state.js').Live} Live */
/** @typedef {import('../state.js').RunRecord} RunRecord */
/** @typedef {{phase: string, detail: string, share: number|null}} Words   share null: not known how far */

const SPLIT_NAMES = new Map([
  ['train', 'training images'],
  ['validation', 'validation images'],
  ['test', 'test images'],
  ['test-full', 'all test images'],
]);

/**
 * @param {HTMLElement} container
 * @param {import('../state.js').Store<LabState>} store
 * @param {import('../lab.js').Lab} lab
 */
export function mountProgress(container, store, lab) {
  const phase = el('span', { class: 'progress__phase', id: 'progress-phase' });
  const detail = el('span', { class: 'soft', id: 'progress-detail' });
  const bar = el('progress', { max: 1, 'aria-labelledby': phase.id });
  container.append(el('p', { class: 'progress__words' }, phase, detail), bar);

  let broughtIntoView = '';
  const draw = (/** @type {LabState} */ state) => {
    const run = shownRun(state);
    container.hidden = run === null;
    if (run === null) {
      return;
    }
    const words = wordsFor(run, state.live[run.id] ?? null, state.isPaused);
    phase.textContent = words.phase;
    detail.textContent = words.detail;
    if (words.share === null) {
      bar.removeAttribute('value');
    } else {
      bar.value = words.share;
    }
  };
  store.watch((state) => state.live, (_, state) => draw(state));
  store.watch(shownRun, (run, state) => {
    draw(state);
    if (run !== null) {
      lab.say(spoken(run));
    }
    // Once for a plan: whoever has scrolled away while its runs follow each other stays where they are.
    const asked = state.isFollowing ? run?.plan : run?.id;
    if (asked !== undefined && asked !== broughtIntoView) {
      broughtIntoView = asked;
      container.scrollIntoView({ block: 'nearest' });
    }
  });
}

/** @param {RunRecord} run @param {Live|null} live @param {boolean} isPaused @returns {Words} */
function wordsFor(run, live, isPaused) {
  const fetched = live?.download;
  if (fetched && fetched.receivedBytes < fetched.totalBytes) {
    return download(fetched); // of the validation images too, which come while the first epoch is trained
  }
  switch (run.status) {
    case 'waiting':
      return { phase: 'Starting the engine', detail: '', share: null };
    case 'loading':
      return { phase: 'Fetching the images', detail: '', share: null };
    case 'testing':
      return { phase: 'Testing', detail: 'on images that no choice has seen', share: 1 };
    case 'training':
      return training(live?.progress ?? null, isPaused);
    case 'finished':
      return { phase: 'Finished', detail: `${tested(run)}${summary(run)}`, share: 1 };
    case 'stopped':
      return { phase: 'Stopped', detail: `${summary(run)} No test figures for a stopped run.`, share: reached(run) };
    case 'untested':
      return { phase: 'Trained, not tested', detail: 'The test images could not be fetched.', share: 1 };
    case 'diverged':
      return { phase: 'Diverged', detail: 'The loss is no longer a finite number.', share: reached(run) };
    default:
      return { phase: 'Failed', detail: '', share: 0 };
  }
}

/** @param {import('../types.js').DownloadProgress} progress @returns {Words} */
function download({ split, receivedBytes, totalBytes, retrying }) {
  return {
    phase: `${retrying ? 'Fetching again' : 'Fetching'}: ${SPLIT_NAMES.get(split) ?? split}`,
    detail: `${size(receivedBytes)} of ${size(totalBytes)}`,
    share: totalBytes > 0 ? receivedBytes / totalBytes : null,
  };
}

/** @param {import('../types.js').RunProgress|null} progress @param {boolean} isPaused @returns {Words} */
function training(progress, isPaused) {
  if (progress === null) {
    return { phase: isPaused ? 'Paused before the first minibatch' : 'Training', detail: '', share: 0 };
  }
  const { epoch, nEpochs, minibatch, nMinibatches, imagesPerSecond, gflops } = progress;
  const share = Math.min(1, (epoch - 1 + minibatch / nMinibatches) / nEpochs);
  if (progress.paused) {
    const where = `Paused in epoch ${epoch} of ${nEpochs}: ${minibatch} of ${nMinibatches} minibatches`;
    return { phase: where, detail: minibatch > 0 ? `loss of the last ${loss(progress.loss)}` : '', share };
  }
  const speed = imagesPerSecond > 0 ? `${rate(imagesPerSecond)} · ${gflops.toFixed(1)} GFLOP/s` : '';
  return { phase: `Epoch ${epoch} of ${nEpochs}`, detail: speed, share };
}

/** @param {RunRecord} run */
function reached(run) {
  return run.history.length / (run.config.epochs || 1);
}

/** @param {RunRecord} run */
function tested(run) {
  const endpoint = run.result?.endpoints?.selected;
  return endpoint === undefined ? '' : `${percent(endpoint.accuracy)} of the test images read right · `;
}

/** @param {RunRecord} run */
function summary(run) {
  const result = run.result;
  if (result === null) {
    return '';
  }
  const epochs = `${count(result.history.length)} ${result.history.length === 1 ? 'epoch' : 'epochs'}`;
  return `${epochs} in ${duration(result.timing.trainingSeconds)}, ${rate(result.timing.imagesPerSecond)}.`;
}

/** @param {RunRecord} run @returns {string} */
function spoken(run) {
  const last = run.history.at(-1);
  switch (run.status) {
    case 'waiting':
      return 'Starting.';
    case 'loading':
      return 'Fetching the images.';
    case 'training':
      return last === undefined
        ? 'Training.'
        : `Epoch ${last.epoch} of ${run.config.epochs}: validation accuracy ${percent(last.validationAccuracy)}.`;
    case 'testing':
      return 'Testing.';
    case 'finished':
      return `Finished. Test accuracy ${percent(run.result?.endpoints?.selected.accuracy ?? NaN)}.`;
    case 'stopped':
      return 'Stopped.';
    default:
      return run.fault?.message ?? 'The run failed.';
  }
}
