// A client in a page of its own, for tests of what lies below the page: the served folder with answers bent on purpose.

import { readFileSync } from 'node:fs';
import { after, before } from 'node:test';

import { launchBrowser, openPage, serveLab } from './harness.mjs';

/** @typedef {import('node:http').IncomingMessage} IncomingMessage */
/** @typedef {import('node:http').ServerResponse} ServerResponse */
/** @typedef {import('puppeteer-core').Browser} Browser */
/** @typedef {import('puppeteer-core').Page} Page */
/** @typedef {import('../../scripts/server.mjs').ServerOptions} ServerOptions */
/** @typedef {import('../../web/types.js').OpenOptions} OpenOptions */
/** @typedef {import('../../web/types.js').SplitAudit} SplitAudit */

/**
 * Takes a request over: true says that it has been answered.
 * @typedef {(response: ServerResponse, nth: number, request: IncomingMessage) => boolean} Bend
 */

/** @typedef {{path: string, isFresh: boolean}} Asked */

const BLANK = '/blank.html';

/** web/'s modules are bundled where they are deployed; the page's end of a worker is taken from here. */
const MODULES = '/modules/';
const WEB = new URL('../../web/', import.meta.url);

/** Where a page of openBlank finds Client. */
export const CLIENT_MODULE = `${MODULES}client.js`;

/**
 * One browser for all tests of a file.
 * @returns {() => Browser}   to be called in a test
 */
export function shareBrowser() {
  /** @type {Browser} */
  let browser;
  /** @type {(() => void | Promise<void>)[]} */
  const endings = [];
  before(async () => {
    browser = await launchBrowser({ after: (ending) => endings.push(/** @type {any} */ (ending)) });
  });
  after(async () => {
    for (const ending of endings) {
      await ending();
    }
  });
  return () => browser;
}

/**
 * A page without content, served like the lab's own, in which a client can be opened.
 * @param {import('node:test').TestContext} context
 * @param {Browser} browser
 * @param {object} [options]
 * @param {Record<string, Bend>} [options.bends]   by path, as '/dataset/manifest.json'
 * @param {Partial<ServerOptions>} [options.server]
 * @returns {Promise<{page: Page, faults: string[], asked: Asked[]}>}   asked: requests below /dataset/, in order
 */
export async function openBlank(context, browser, { bends = {}, server = {} } = {}) {
  /** @type {Asked[]} */
  const asked = [];
  const url = await serveLab(context, {
    ...server,
    intercept: (request, response, pathname) => {
      if (pathname === BLANK) {
        response.setHeader('Content-Type', 'text/html');
        response.end('<!doctype html><title>blank</title><link rel="icon" href="data:,">');
        return true;
      }
      if (pathname.startsWith(MODULES)) {
        response.setHeader('Content-Type', 'text/javascript');
        response.end(readFileSync(new URL(pathname.slice(MODULES.length), WEB)));
        return true;
      }
      if (pathname.startsWith('/dataset/')) {
        const isFresh = request.headers['cache-control'] === 'no-cache';
        asked.push({ path: pathname, isFresh });
      }
      const nth = asked.filter((one) => one.path === pathname).length;
      return bends[pathname]?.(response, nth, request) ?? false;
    },
  });
  const { page, faults } = await openPage(browser);
  context.after(() => page.close());
  await page.goto(new URL(BLANK, url).href);
  return { page, faults, asked };
}

/**
 * Answers with these bytes.
 * @param {Uint8Array|string} body
 * @param {{status?: number, type?: string}} [options]
 * @returns {Bend}
 */
export function answering(body, { status = 200, type = 'application/octet-stream' } = {}) {
  return (response) => {
    response.statusCode = status;
    response.setHeader('Content-Type', type);
    response.end(body);
    return true;
  };
}

/**
 * Opens a client in the page as `window.client`.
 * @param {Page} page
 * @param {OpenOptions} [options]
 */
export async function openClient(page, options = {}) {
  return page.evaluate(async (path, given) => {
    const { Client } = await import(path);
    const client = await Client.open(given);
    Object.assign(window, { client });
    return client.engine;
  }, CLIENT_MODULE, options);
}

/**
 * Loads a split with `window.client`.
 * @param {Page} page
 * @param {string} split
 * @returns {Promise<{audit?: SplitAudit, fault?: import('../../web/types.js').LabFault}>}
 */
export async function loadSplit(page, split) {
  return page.evaluate(async (name) => {
    try {
      return { audit: await /** @type {any} */ (window).client.loadSplit(name) };
    } catch (error) {
      return { fault: /** @type {any} */ (error).toFault() };
    }
  }, split);
}

export { launchBrowser };
