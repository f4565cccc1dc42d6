// A session in a worker, or a rebuild: answers the page's messages (README.md lists them).

import { openEngine } from './builds.js';
import { faultOf, LabError } from './fault.js';
import { throttled } from './pace.js';
import { carryOutRebuild } from './rebuilding.js';
import { Session } from './session.js';
import { httpSource } from './source.js';
import { Splits } from './splits.js';

/** @typedef {import('./session.js').Context} Context */
/** @typedef {import('./types.js').OpenOptions} OpenOptions */
/** @typedef {{id: number, method: string, params: any} | {abort: number}} Message */

/** Events of these kinds are news each time; of all others only the latest counts. */
const ALWAYS = ['phase', 'epoch', 'step'];

/** @type {Session|undefined} */
let session;

/** Of the session, and there before its engine is. @type {Splits|undefined} */
let splits;

/** Requests under way. @type {Map<number, AbortController>} */
const requests = new Map();

/** Methods of the session that the page may call. */
const METHODS = ['loadSplit', 'run', 'control', 'runWeights', 'firstLayer', 'openWeights', 'closeWeights', 'evaluate',
  'predict', 'activations', 'images', 'checkConfig', 'cells', 'isNested', 'compare', 'summarize', 'pair'];

/** Those that look at weights which a run may be changing. */
const SETTLED = ['runWeights', 'firstLayer'];

/** @param {Required<Pick<OpenOptions, 'datasetUrl'|'wasmUrl'>> & OpenOptions} options */
async function open({ datasetUrl, inflate, ...options }) {
  const opening = openEngine(options);
  splits = new Splits(opening, httpSource(datasetUrl), { inflate });
  const engine = await opening;
  session = new Session(engine, splits);
  return { engine: engine.info, description: engine.description };
}

/**
 * @param {string} method
 * @param {any} params
 * @param {Context} context
 */
async function carryOut(method, params, context) {
  if (method === 'open') {
    return open(params);
  }
  if (method === 'expect') {
    if (session === undefined || params.splits.length === 0) {
      splits?.expect(params.splits); // once the engine is there, the run itself comes at once
    }
    return null;
  }
  if (method === 'rebuild') {
    await carryOutRebuild(params, context.emit);
    return null;
  }
  if (session === undefined || !METHODS.includes(method)) {
    throw new LabError({ code: 'UNKNOWN', message: `The worker cannot do ${method}.` });
  }
  if (SETTLED.includes(method)) {
    await session.settled(params);
  }
  return /** @type {any} */ (session)[method](params, context);
}

/**
 * Events to the page, few enough for it to draw.
 * @param {number} id
 */
function eventSender(id) {
  /** @type {Map<string, ReturnType<typeof throttled<any>>>} */
  const throttles = new Map();
  /** @param {string} event @param {any} data */
  const send = (event, data) => self.postMessage({ id, event, data });
  const flush = () => {
    throttles.forEach((throttle) => throttle.flush());
  };
  return {
    flush,
    /** @param {string} event @param {any} data */
    emit(event, data) {
      if (ALWAYS.includes(event)) {
        flush(); // so that what the page hears stays in order
        send(event, data);
        return;
      }
      // Downloads of two splits go side by side: each has its own latest news.
      const key = `${event} ${data.split ?? ''}`;
      const throttle = throttles.get(key) ?? throttled((latest) => send(event, latest));
      throttles.set(key, throttle);
      throttle.offer(data);
    },
  };
}

/**
 * The buffers of a result's own arrays, to be moved instead of copied.
 * @param {any} value
 * @param {Set<ArrayBuffer>} found
 */
function buffersIn(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) {
      found.add(value.buffer);
    }
  } else if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach((member) => buffersIn(member, found));
  }
  return found;
}

/** @param {{id: number, method: string, params: any}} message */
async function answer({ id, method, params }) {
  const controller = new AbortController();
  requests.set(id, controller);
  const { emit, flush } = eventSender(id);
  try {
    const result = await carryOut(method, params, { id, signal: controller.signal, emit });
    flush();
    self.postMessage({ id, result }, { transfer: [...buffersIn(result)] });
  } catch (error) {
    self.postMessage({ id, error: faultOf(error) });
  } finally {
    requests.delete(id);
  }
}

self.addEventListener('message', (/** @type {MessageEvent<Message>} */ { data }) => {
  if ('abort' in data) {
    requests.get(data.abort)?.abort();
  } else {
    answer(data);
  }
});
