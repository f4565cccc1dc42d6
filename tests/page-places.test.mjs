// The page's five places stand side by side: each takes the lab's state and draws, and none knows another.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const WEB = fileURLToPath(new URL('../web', import.meta.url));
const PLACES = ['parts/compare.js', 'parts/inspect.js', 'parts/draw.js', 'parts/data.js'];

test('no place imports another, and what draws is imported by nothing that computes', async () => {
  const { metafile } = await build({
    absWorkingDir: WEB, entryPoints: ['app.js', 'worker.js'], outdir: 'none', bundle: true, format: 'esm', write: false,
    external: ['*.svg'], metafile: true, logLevel: 'silent',
  });
  const importsOf = (/** @type {string} */ file) => (metafile.inputs[file]?.imports ?? [])
    .filter(({ kind }) => kind === 'import-statement').map((imported) => imported.path);
  /** @param {string} file @param {Set<string>} [seen] @returns {Set<string>} all that a file needs to start */
  const reach = (file, seen = new Set()) => {
    for (const path of importsOf(file)) {
      if (!seen.has(path)) {
        seen.add(path);
        reach(path, seen);
      }
    }
    return seen;
  };
  for (const place of PLACES) {
    const reached = reach(place);
    assert.ok(reached.has('parts/dom.js'), `${place} is read`);
    assert.deepEqual([...PLACES, 'app.js'].filter((other) => reached.has(other)), [], place);
  }
  for (const file of ['lab.js', 'worker.js']) {
    assert.deepEqual([...reach(file)].filter((path) => path.startsWith('parts/')), [], file);
  }
});
