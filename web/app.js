// Wires the page: one store, one lab, and the parts that draw. Nothing else.

import { Lab } from './lab.js';
import { Store, emptyState, shownRun } from './state.js';
import { faultOf } from './fault.js';
import { Announcer } from './parts/announcer.js';
import { byId } from './parts/dom.js';
import { mountCurves } from './parts/curves.js';
import { mountOutcome } from './parts/outcome.js';
import { mountPreview } from './parts/preview.js';
import { mountProblem } from './parts/problem.js';
import { mountProgress } from './parts/progress.js';
import { mountSettings } from './parts/settings.js';
import { mountStart } from './parts/start.js';

const store = new Store(emptyState());
const lab = new Lab(store);
const announcer = new Announcer(byId('announcer'));

mountStart(store, lab);
mountSettings(byId('settings'), store, lab);
mountProblem(byId('problem'), store, () => void lab.train());
mountProgress(byId('progress'), store, announcer);
mountCurves(byId('curves'), store);
mountOutcome(byId('outcome'), store);
store.watch(shownRun, (run) => {
  byId('live').hidden = run === null;
});

// The twenty digits first; the engine is fetched when they stand.
mountPreview(byId('preview'), 'dataset/preview.json')
  .catch((error) => store.update({ problem: faultOf(error) }))
  .then(() => lab.client())
  .catch((error) => store.update({ problem: faultOf(error) }));
