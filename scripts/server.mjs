// A small static server for the lab: node scripts/server.mjs [--root DIR] [--port N]
//
// Sends the headers that the page needs (isolation, policy, types) and nothing from outside its
// root. Tests start it with startServer and can bend single answers.

import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

/** @typedef {import('node:http').IncomingMessage} IncomingMessage */
/** @typedef {import('node:http').ServerResponse} ServerResponse */

/**
 * @typedef {object} ServerOptions
 * @property {string} root      folder that is served
 * @property {number} [port]    0 (the default) takes any free one
 * @property {string} [host]    127.0.0.1 unless given
 * @property {boolean} [decodesGzip]  .gz goes out with Content-Encoding: gzip, so that the client
 *   sees decompressed bytes: what some hosts do
 * @property {boolean} [isolated]  false leaves out the headers of cross-origin isolation
 * @property {(request: IncomingMessage, response: ServerResponse, pathname: string) =>
 *   boolean | Promise<boolean>} [intercept]  may answer a request itself: true says that it has
 */

/**
 * @typedef {object} RunningServer
 * @property {string} url                 'http://127.0.0.1:8770/'
 * @property {number} port
 * @property {() => Promise<void>} close  ends open connections too
 */

const CONTENT_TYPES = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.gz', 'application/gzip'],
  ['.html', 'text/html; charset=utf-8'],
  ['.ico', 'image/x-icon'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.md', 'text/markdown; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.wasm', 'application/wasm'],
  ['.webmanifest', 'application/manifest+json'],
]);

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

const ISOLATION_HEADERS = {
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/**
 * Answers with a status and a line of text.
 * @param {ServerResponse} response
 * @param {number} status
 * @param {string} text
 */
function answerText(response, status, text) {
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  response.end(response.req.method === 'HEAD' ? undefined : `${text}\n`);
}

/**
 * The path that a request asks for, decoded; null for one that no file can have.
 * @param {string} target  the request line's target
 * @returns {string | null}
 */
function decodePathname(target) {
  const raw = target.split(/[?#]/, 1)[0];
  try {
    const pathname = decodeURIComponent(raw);
    const parts = pathname.split('/');
    const isPlain = pathname.startsWith('/') && !/[\0\\]/.test(pathname);
    return isPlain && !parts.some((part) => part.startsWith('.')) ? pathname : null;
  } catch {
    return null;
  }
}

/**
 * The file that a path names, if it is one inside the root.
 * @param {string} root      a real path
 * @param {string} pathname
 * @returns {Promise<{file: string, bytes: number, modified: Date} | null>}
 */
async function findFile(root, pathname) {
  const name = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
  try {
    const file = await realpath(path.join(root, name));
    const status = await stat(file);
    const isInside = file.startsWith(root + path.sep);
    return isInside && status.isFile()
      ? { file, bytes: status.size, modified: status.mtime }
      : null;
  } catch {
    return null;
  }
}

/**
 * @param {ServerOptions & {root: string}} options
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 */
async function answer(options, request, response) {
  for (const [name, value] of Object.entries(HEADERS)) {
    response.setHeader(name, value);
  }
  if (options.isolated !== false) {
    for (const [name, value] of Object.entries(ISOLATION_HEADERS)) {
      response.setHeader(name, value);
    }
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    answerText(response, 405, 'Only GET and HEAD are answered here.');
    return;
  }
  const pathname = decodePathname(request.url ?? '/');
  if (pathname === null) {
    answerText(response, 400, 'This is not a path that this server knows.');
    return;
  }
  if (options.intercept && (await options.intercept(request, response, pathname))) {
    return;
  }
  const found = await findFile(options.root, pathname);
  if (!found) {
    answerText(response, 404, `There is no file ${pathname} here.`);
    return;
  }
  // Files change when the lab is built again: kept by the browser, but asked for each time.
  const etag = `"${found.bytes.toString(36)}-${found.modified.getTime().toString(36)}"`;
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('ETag', etag);
  const extension = path.extname(found.file);
  response.setHeader('Content-Type', CONTENT_TYPES.get(extension) ?? 'application/octet-stream');
  if (options.decodesGzip && extension === '.gz') {
    response.setHeader('Content-Encoding', 'gzip');
  }
  if (request.headers['if-none-match'] === etag) {
    response.statusCode = 304;
    response.end();
    return;
  }
  response.setHeader('Content-Length', found.bytes);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const stream = createReadStream(found.file);
  stream.on('error', () => response.destroy());
  response.on('close', () => stream.destroy());
  stream.pipe(response);
}

/**
 * Starts a server; it answers when the promise is fulfilled.
 * @param {ServerOptions} options
 * @returns {Promise<RunningServer>}  rejected with a sentence when the port cannot be had
 */
export async function startServer(options) {
  const { port = 0, host = '127.0.0.1' } = options;
  const settled = { ...options, root: await realpath(options.root) };
  const server = http.createServer((request, response) => {
    answer(settled, request, response).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      const reason = {
        EADDRINUSE: 'it is in use; choose another one with --port',
        EACCES: 'this user may not; choose one above 1023 with --port',
      }[error.code ?? ''];
      reject(new Error(`Port ${port} cannot be opened: ${reason ?? error.message}.`));
    });
    server.listen(port, host, () => resolve(undefined));
  });
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://${host}:${address.port}/`,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function main() {
  const { values } = parseArgs({
    options: {
      root: { type: 'string', default: 'dist' },
      port: { type: 'string', default: '8770' },
    },
  });
  const server = await startServer({ root: values.root, port: Number(values.port) });
  console.log(`The lab is at ${server.url}  (Ctrl-C ends it)`);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, async () => {
      await server.close();
      process.exit(0);
    });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
}
