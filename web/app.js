// Wires the page: one store, one lab, and the parts that draw. Nothing else.

import { faultOf } from './fault.js';
import { Lab } from './lab.js';
import { later } from './part.js';
import { Store, emptyState, shownRun } from './state.js';
import { Vault } from './vault.js';
import { Announcer } from './parts/announcer.js';
import { mountControls } from './parts/controls.js';
import { mountCurves } from './parts/curves.js';
import { byId } from './parts/dom.js';
import { engineWords } from './parts/format.js';
import { mountFilters } from './parts/filters.js';
import { mountLink } from './parts/link.js';
import { mountMistakes } from './parts/mistakes.js';
import { mountNetwork } from './parts/network.js';
import { mountOffline } from './parts/offline.js';
import { mountOutcome } from './parts/outcome.js';
import { mountPlaces } from './parts/places.js';
import { mountPlan } from './parts/plan.js';
import { mountPreview } from './parts/preview.js';
import { mountProblem } from './parts/problem.js';
import { mountProgress } from './parts/progress.js';
import { mountProof } from './parts/proof.js';
import { mountQueue } from './parts/queue.js';
import { mountSettings } from './parts/settings.js';
import { mountStart } from './parts/start.js';

const store = new Store(emptyState());
const vault = new Vault((problem) => store.update({ problem }));
// The twenty digits first; the engine's worker next, which starts while the page is put together.
const preview = mountPreview(byId('preview'), 'dataset/preview.json').catch((error) => store.update({ problem: faultOf(error) }));
const lab = new Lab(store, vault, location.hash);
const started = lab.start();
addEventListener('unhandledrejection', ({ reason }) => store.update({ problem: faultOf(reason) }));
const announcer = new Announcer(byId('announcer'));

store.watch((state) => state.said, (sentence) => announcer.say(sentence));
mountPlaces(store, lab);
mountStart(store, lab);
mountLink(byId('question'), store, lab);
mountSettings(byId('settings-fields'), store, lab);
mountPlan(byId('settings-plan'), store, lab);
mountProblem(byId('problem'), store, () => void lab.retry());
mountProgress(byId('progress'), store, lab);
mountControls(byId('controls'), store, lab);
mountQueue(byId('queue'), store, lab);
mountCurves(byId('curves'), store);
mountNetwork(byId('network'), store);
mountOutcome(byId('outcome'), store);
mountProof(byId('outcome'), store);
mountFilters(byId('filters'), store, lab);
mountMistakes(byId('mistakes'), store, lab);
store.watch((state) => state.engine, (engine) => {
  byId('engine-line').textContent = engine === null ? '' : `Engine: ${engineWords(engine)}.`;
});
store.watch((state) => state.start !== null, (isContinuing) => {
  if (isContinuing) {
    void later().then(({ mountContinuation }) => mountContinuation(byId('continuation'), store, lab));
  }
});
store.watch(shownRun, (run) => {
  byId('live').hidden = run === null;
  byId('live').classList.toggle('live--tested', run?.result?.endpoints !== undefined && run.result.endpoints !== null);
});

// Nothing here may wait: what is fetched later takes from this module, and has it only when it has come to its end.
void started.then(() => {
  void preview.then(() => mountOffline(byId('update'), store, lab));
  return lab.resume();
});
