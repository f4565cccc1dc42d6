import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { startServer } from '../scripts/server.mjs';

/** @typedef {import('node:test').TestContext} TestContext */
/** @typedef {import('../scripts/server.mjs').ServerOptions} ServerOptions */

const BODY = Buffer.from('GDMNIST1 and more');

/**
 * A server of a folder with one file of each kind; it ends with the test.
 * @param {TestContext} context
 * @param {Partial<ServerOptions>} [options]
 */
async function serveSample(context, options = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'lab-server-'));
  const root = path.join(folder, 'root');
  await mkdir(path.join(root, 'data'), { recursive: true });
  await writeFile(path.join(root, 'index.html'), '<!doctype html>');
  await writeFile(path.join(root, 'engine.mjs'), 'export default 1;');
  await writeFile(path.join(root, 'engine.wasm'), Buffer.of(0, 0x61, 0x73, 0x6d));
  await writeFile(path.join(root, 'data/split.bin.gz'), gzipSync(BODY));
  await writeFile(path.join(root, '.hidden'), 'hidden');
  await writeFile(path.join(folder, 'secret.txt'), 'secret');
  await symlink(path.join(folder, 'secret.txt'), path.join(root, 'link.txt'));
  const server = await startServer({ root, ...options });
  context.after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  return server;
}

/**
 * A request as it stands: fetch would tidy the path and decode the body.
 * @param {number} port
 * @param {string} target
 * @param {http.RequestOptions} [options]
 * @returns {Promise<{status: number, headers: http.IncomingHttpHeaders, body: Buffer}>}
 */
function ask(port, target, options = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request({ port, path: target, agent: false, ...options });
    request.on('error', reject);
    request.on('response', async (response) => {
      const chunks = [];
      for await (const chunk of response) {
        chunks.push(chunk);
      }
      const { statusCode, headers } = response;
      resolve({ status: statusCode ?? 0, headers, body: Buffer.concat(chunks) });
    });
    request.end();
  });
}

test('types the files and isolates the page', async (context) => {
  const { port } = await serveSample(context);
  const types = {
    '/': 'text/html; charset=utf-8',
    '/engine.mjs': 'text/javascript; charset=utf-8',
    '/engine.wasm': 'application/wasm',
    '/data/split.bin.gz': 'application/gzip',
  };
  for (const [target, type] of Object.entries(types)) {
    const { status, headers } = await ask(port, target);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], type);
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['cross-origin-embedder-policy'], 'require-corp');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; script-src/);
  }
});

test('sends a .gz as the file that it is, or decoded if told so', async (context) => {
  const plain = await serveSample(context);
  const file = await ask(plain.port, '/data/split.bin.gz');
  assert.equal(file.headers['content-encoding'], undefined);
  assert.deepEqual(file.body, gzipSync(BODY));
  const decoding = await serveSample(context, { decodesGzip: true });
  const response = await fetch(`${decoding.url}data/split.bin.gz`);
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), BODY);
});

test('says that a file is the same as before', async (context) => {
  const { port } = await serveSample(context);
  const first = await ask(port, '/engine.mjs');
  assert.equal(first.headers['cache-control'], 'no-cache');
  const headers = { 'If-None-Match': String(first.headers.etag) };
  const second = await ask(port, '/engine.mjs', { headers });
  assert.equal(second.status, 304);
  assert.equal(second.body.length, 0);
});

test('answers HEAD without a body and refuses other methods', async (context) => {
  const { port } = await serveSample(context);
  const head = await ask(port, '/engine.wasm', { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(head.headers['content-length'], '4');
  assert.equal(head.body.length, 0);
  const post = await ask(port, '/', { method: 'POST' });
  assert.equal(post.status, 405);
  assert.equal(post.headers.allow, 'GET, HEAD');
});

test('gives nothing from outside the root, and no hidden file', async (context) => {
  const { port } = await serveSample(context);
  const refused = [
    '/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/data/..%5c..%5csecret.txt',
    '/link.txt', '/.hidden', '/data', '/none', '/%00', '/%zz',
  ];
  for (const target of refused) {
    const { status, body } = await ask(port, target);
    assert.ok(status === 404 || status === 400, `${target} gave ${status}`);
    assert.match(body.toString(), /^(There is no file|This is not a path)/);
  }
});

test('lets a test answer for it', async (context) => {
  const { url } = await serveSample(context, {
    intercept: (_request, response, pathname) => {
      if (pathname !== '/engine.wasm') {
        return false;
      }
      response.statusCode = 503;
      response.end();
      return true;
    },
  });
  assert.equal((await fetch(`${url}engine.wasm`)).status, 503);
  assert.equal((await fetch(`${url}engine.mjs`)).status, 200);
});

test('says that a port is in use', async (context) => {
  const { port } = await serveSample(context);
  await assert.rejects(
    startServer({ root: os.tmpdir(), port }),
    new Error(`Port ${port} cannot be opened: it is in use; choose another one with --port.`),
  );
});
