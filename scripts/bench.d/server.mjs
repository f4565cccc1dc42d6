// Serves the tabs of the benchmark: its own pages, the lab as it is deployed and its modules one by one, the peers'
// packages. Without the lab's content security policy, since the peers start workers from blobs.

import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import process from 'node:process';

import { FOLDERS } from './folders.mjs';

const CONTENT_TYPES = new Map([
  ['.css', 'text/css'],
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript'],
  ['.json', 'application/json'],
  ['.mjs', 'text/javascript'],
  ['.svg', 'image/svg+xml'],
  ['.wasm', 'application/wasm'],
]);

/** First part of a path, and the folder that it stands for. The longest comes first. */
const ROUTES = [
  ['/lab/', FOLDERS.lab],
  ['/lab-modules/', FOLDERS.modules],
  ['/web/', FOLDERS.web],
  ['/npm/', FOLDERS.packages],
  ['/wasm/', FOLDERS.wasm],
  ['/', FOLDERS.page],
];

/** @param {string} pathname @returns {Promise<string|null>} the file, if there is one inside the folder */
async function findFile(pathname) {
  const [prefix, folder] = ROUTES.find(([start]) => pathname.startsWith(String(start))) ?? [];
  if (prefix === undefined || folder === undefined) {
    return null;
  }
  try {
    const root = await realpath(folder);
    const file = await realpath(path.join(root, decodeURIComponent(pathname.slice(prefix.length))));
    return file.startsWith(root + path.sep) && (await stat(file)).isFile() ? file : null;
  } catch {
    return null;
  }
}

/** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
async function answer(request, response) {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const file = await findFile(url.pathname);
  if (file === null) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader('Content-Type', CONTENT_TYPES.get(path.extname(file)) ?? 'application/octet-stream');
  response.setHeader('Content-Length', (await stat(file)).size);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  if (url.searchParams.get('isolated') !== 'no') {
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
  }
  createReadStream(file).pipe(response);
}

/** @returns {Promise<{url: string, close: () => void}>} on a free port of 127.0.0.1 */
export async function startServer() {
  const server = http.createServer((request, response) => {
    answer(request, response).catch((error) => {
      process.stderr.write(`bench: ${error}\n`);
      response.destroy();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
