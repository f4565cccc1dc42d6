// Runs in a worker of a real browser: the same bits as in Node, controls that answer, clients side by side.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openSession } from '../../scripts/lib/node-session.mjs';
import { CLIENT_MODULE, answering, openBlank, openClient, shareBrowser } from './client.mjs';
import { middle } from './harness.mjs';

/** @typedef {import('puppeteer-core').Page} Page */
/** @typedef {import('../../web/types.js').ConfigInput} ConfigInput */

const TINY = Object.freeze({ preset: 'tiny', trainN: 1000, epochs: 2, seed: 11, mask: 9, p: 0.5, batch: 64, lr: 0.03 });

const browser = shareBrowser();

/**
 * Carries a run out with `window.client`.
 * @param {Page} page
 * @param {ConfigInput} config
 */
async function runInPage(page, config) {
  return page.evaluate(async (given) => {
    const { client } = /** @type {any} */ (window);
    const result = await client.startRun(given).finished;
    const { selected } = result.endpoints;
    return {
      status: result.status,
      engine: result.engine,
      provenance: result.provenance,
      ce: selected.ce,
      predictions: [...selected.predictions],
      nWeights: result.weights.selected.values.length,
    };
  }, config);
}

for (const build of ['mul-add', 'fused']) {
  test(`${build}: the same bits as in Node`, async (context) => {
    const { page, faults } = await openBlank(context, browser());
    const engine = await openClient(page, { build });
    assert.equal(engine.build, build);
    const here = await runInPage(page, TINY);
    const session = await openSession({ build });
    const there = await session.run({ config: TINY }, { id: 1, emit: () => {} });
    assert.equal(here.status, 'finished');
    assert.deepEqual(here.provenance, there.provenance);
    assert.equal(here.ce, there.endpoints?.selected.ce);
    assert.deepEqual(here.predictions, [...(there.endpoints?.selected.predictions ?? [])]);
    assert.equal(here.nWeights, 124090);
    assert.deepEqual(faults, []);
  });
}

test('the test images are not fetched before training is over', async (context) => {
  const { page, asked } = await openBlank(context, browser());
  await openClient(page);
  const nBefore = await page.evaluate(async (config) => {
    const { client } = /** @type {any} */ (window);
    let rows = 0;
    const run = client.startRun(config, {
      startPaused: true,
      onEpoch: () => rows++,
    });
    await client.loadSplit('validation');
    run.resume();
    await run.finished;
    return rows;
  }, TINY);
  assert.equal(nBefore, 2);
  const paths = asked.map(({ path }) => path);
  assert.equal(paths.at(-1), '/dataset/test.bin.gz');
  assert.equal(paths.filter((path) => path.includes('test-full')).length, 0);
});

test('progress comes at most 20 times a second, epochs always', async (context) => {
  const { page } = await openBlank(context, browser());
  await openClient(page);
  const { times, epochs, seconds } = await page.evaluate(async (config) => {
    const { client } = /** @type {any} */ (window);
    /** @type {number[]} */
    const heard = [];
    let rows = 0;
    const start = performance.now();
    await client.startRun(config, { onProgress: () => heard.push(performance.now()), onEpoch: () => rows++ }).finished;
    return { times: heard, epochs: rows, seconds: (performance.now() - start) / 1000 };
  }, { ...TINY, preset: 'small', trainN: 4000, epochs: 4 });
  assert.equal(epochs, 4);
  assert.ok(times.length >= 4);
  // Besides the throttled ones, one that was held goes out before each of the 4 epochs and 5 phases, and at the end.
  assert.ok(times.length <= 20 * seconds + 11, `${times.length} in ${seconds} s`);
});

test('stop, pause and prediction answer within 200 ms while a run trains', async (context) => {
  const { page } = await openBlank(context, browser());
  await openClient(page);
  const took = await page.evaluate(async (config) => {
    const { client } = /** @type {any} */ (window);
    const first = await client.startRun({ ...config, trainN: 200, epochs: 1 }).finished;
    const network = await client.openWeights(first.weights.final);
    /** @type {Record<string, number[]>} */
    const answers = { predict: [], firstLayer: [], pause: [], stop: [] };
    /** @param {string} name @param {() => Promise<unknown>} ask */
    const measure = async (name, ask) => {
      const start = performance.now();
      await ask();
      answers[name].push(performance.now() - start);
    };
    for (let attempt = 0; attempt < 3; attempt++) {
      /** @type {() => void} */
      let onTraining = () => {};
      const training = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
        onTraining = resolve;
      });
      const run = client.startRun({ ...config, preset: 'wide', epochs: 100 }, {
        onProgress: (/** @type {any} */ { state }) => state === 'training' && onTraining(),
      });
      await training;
      await measure('predict', () => network.predict(new Uint8Array(784)));
      await measure('firstLayer', () => run.firstLayer(40));
      await measure('pause', () => run.pause());
      await run.resume();
      await measure('stop', () => {
        run.stop();
        return run.finished;
      });
    }
    return answers;
  }, { ...TINY, trainN: 10000, batch: 128 });
  for (const [name, times] of Object.entries(took)) {
    assert.ok(middle(times) < 200, `${name}: ${times} ms`);
  }
});

test('two clients train side by side', async (context) => {
  const { page } = await openBlank(context, browser());
  await openClient(page);
  const results = await page.evaluate(async (path, config) => {
    const { Client } = await import(path);
    const other = await Client.open();
    const runs = [/** @type {any} */ (window).client, other].map((client) => client.startRun(config).finished);
    const done = await Promise.all(runs);
    other.close();
    return done.map((result) => result.provenance.weightsSHA256.final);
  }, CLIENT_MODULE, TINY);
  assert.equal(results.length, 2);
  assert.equal(results[0], results[1]);
});

test('a client that is closed rejects what is under way', async (context) => {
  const { page } = await openBlank(context, browser());
  await openClient(page);
  const code = await page.evaluate(async (config) => {
    const { client } = /** @type {any} */ (window);
    const { finished } = client.startRun(config);
    client.close();
    return finished.then(() => 'finished', (/** @type {any} */ error) => error.code);
  }, TINY);
  assert.equal(code, 'STOPPED');
});

test('a run whose test images cannot be had keeps its training', async (context) => {
  const { page } = await openBlank(context, browser(), {
    bends: { '/dataset/test.bin.gz': (response) => Boolean(response.destroy()) },
  });
  await openClient(page);
  const { status, code, nWeights, endpoints } = await page.evaluate(async (config) => {
    const result = await /** @type {any} */ (window).client.startRun(config).finished;
    return {
      status: result.status,
      code: result.fault.code,
      nWeights: result.weights.final.values.length,
      endpoints: result.endpoints,
    };
  }, TINY);
  assert.equal(status, 'untested');
  assert.equal(code, 'NETWORK');
  assert.equal(nWeights, 124090);
  assert.equal(endpoints, null);
});

test('a worker that cannot be fetched is the network\'s fault', async (context) => {
  const { page } = await openBlank(context, browser(), {
    bends: { '/worker.js': (response) => Boolean(response.destroy()) },
  });
  const code = await openClient(page).then(
    () => '',
    (error) => error.message,
  );
  assert.match(code, /The engine's worker could not be fetched\./);
});

/**
 * Opens an engine that cannot be had.
 * @param {import('node:test').TestContext} context
 * @param {Record<string, import('./client.mjs').Bend>} bends
 * @returns {Promise<import('../../web/types.js').LabFault>} what is told
 */
async function faultOfEngine(context, bends) {
  const { page } = await openBlank(context, browser(), { bends });
  return page.evaluate(async (path) => {
    const { Client } = await import(path);
    return Client.open({ threads: 1 }).then(
      () => null,
      (/** @type {any} */ error) => error.toFault(),
    );
  }, CLIENT_MODULE);
}

test('an engine whose file cannot be fetched is told at once: another one may compute other bits', async (context) => {
  const refused = await faultOfEngine(context, { '/wasm/engine-fused.wasm': answering('Not now.', { status: 503 }) });
  assert.deepEqual([refused.code, refused.subject, refused.found], ['HTTP_STATUS', 'engine-fused.wasm', '503']);
  const lost = await faultOfEngine(context, { '/wasm/engine-fused.wasm': (response) => Boolean(response.destroy()) });
  assert.deepEqual([lost.code, lost.subject], ['NETWORK', 'engine-fused.wasm']);
  const cut = await faultOfEngine(context, {
    '/wasm/engine-fused.wasm': (response) => {
      response.writeHead(200, { 'Content-Type': 'application/wasm', 'Content-Length': 100_000 });
      response.write('\0asm');
      setTimeout(() => response.destroy(), 0);
      return true;
    },
  });
  assert.deepEqual([cut.code, cut.subject], ['NETWORK', 'engine-fused.wasm']);
});

test('a file that is no engine is passed over for the next build; where none is left, all are told', async (context) => {
  const isNone = answering('This is no WebAssembly.', { type: 'application/wasm' });
  const { page } = await openBlank(context, browser(), { bends: { '/wasm/engine-fused.wasm': isNone } });
  const { build, reasons } = await openClient(page, { threads: 1 });
  assert.equal(build, 'mul-add');
  assert.ok(reasons.some((/** @type {string} */ reason) => reason.startsWith('fused: ')), reasons.join(' '));

  const builds = ['fused', 'mul-add'];
  const { code, message } = await faultOfEngine(context,
    Object.fromEntries(builds.map((name) => [`/wasm/engine-${name}.wasm`, isNone])));
  assert.equal(code, 'NO_ENGINE');
  for (const name of [...builds, 'fused-threads', 'mul-add-threads']) {
    assert.ok(message.includes(`${name}: `), message);
  }
});
