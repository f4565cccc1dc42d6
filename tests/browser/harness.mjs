// What browser tests share: a headless Chromium, and the built lab served to it.

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import puppeteer from 'puppeteer-core';

import { startServer } from '../../scripts/server.mjs';

/** @typedef {import('node:test').TestContext} TestContext */
/** @typedef {import('puppeteer-core').Browser} Browser */
/** @typedef {import('puppeteer-core').Page} Page */
/** @typedef {import('../../scripts/server.mjs').ServerOptions} ServerOptions */

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

function chromiumPath() {
  if (process.env.CHROMIUM) {
    return process.env.CHROMIUM;
  }
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const script = names.map((name) => `command -v ${name}`).join(' || ');
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trim();
}

/**
 * Starts Chromium with a profile of its own. Both are gone after the test (or suite) that the
 * context belongs to.
 * @param {Pick<TestContext, 'after'>} context
 * @param {string[]} [flags]  more command-line flags
 * @returns {Promise<Browser>}
 */
export async function launchBrowser(context, flags = []) {
  const userDataDir = await mkdtemp(path.join(os.tmpdir(), 'lab-chromium-'));
  const isRoot = process.getuid?.() === 0;
  const browser = await puppeteer.launch({
    executablePath: chromiumPath(),
    headless: true,
    userDataDir,
    args: [
      ...(isRoot ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...flags,
    ],
  });
  context.after(async () => {
    await browser.close();
    await rm(userDataDir, { recursive: true, force: true, maxRetries: 20 });
  });
  return browser;
}

/**
 * The middle one of a few times: something else may hold the machine up once.
 * @param {number[]} milliseconds   an odd number of them
 */
export function middle(milliseconds) {
  return milliseconds.toSorted((a, b) => a - b)[(milliseconds.length - 1) / 2];
}

/**
 * Serves dist/ until the test is over.
 * @param {Pick<TestContext, 'after'>} context
 * @param {Partial<ServerOptions>} [options]
 * @returns {Promise<string>}  the address, ending in '/'
 */
export async function serveLab(context, options = {}) {
  const server = await startServer({ root: DIST, ...options });
  context.after(() => server.close());
  return server.url;
}

/**
 * A server's `intercept` that can let some requests wait, or turn them down.
 * @param {RegExp} kept   paths that it may not let through
 */
export function newGate(kept) {
  let isHeld = false;
  let nRefused = 0;
  let arrived = () => {};
  /** @type {(() => void)[]} */
  let waiting = [];
  const letGo = () => {
    isHeld = false;
    waiting.forEach((goOn) => goOn());
    waiting = [];
  };
  return {
    /** What comes from now on waits. @returns {Promise<void>} fulfilled when the first is there */
    hold() {
      isHeld = true;
      return new Promise((resolve) => {
        arrived = resolve;
      });
    },
    open() {
      nRefused = 0;
      letGo();
    },
    /** What waits and what comes is answered with status 503. @param {number} [n]   so many, then the gate is open */
    refuse(n = Infinity) {
      nRefused = n;
      letGo();
    },
    /**
     * @param {import('node:http').IncomingMessage} _request
     * @param {import('node:http').ServerResponse} response
     * @param {string} pathname
     */
    async intercept(_request, response, pathname) {
      if (!kept.test(pathname)) {
        return false;
      }
      if (isHeld) {
        arrived();
        await new Promise((/** @type {(value: void) => void} */ resolve) => waiting.push(resolve));
      }
      if (nRefused === 0) {
        return false;
      }
      nRefused--;
      response.statusCode = 503;
      response.end();
      return true;
    },
  };
}

/**
 * A new page that notes what goes wrong in it. It is not navigated yet.
 * @param {Browser} browser
 * @returns {Promise<{page: Page, faults: string[]}>}  faults: uncaught errors, errors on the
 *   console, requests that failed; a test that expects none asserts that it is empty at its end
 */
export async function openPage(browser) {
  const page = await browser.newPage();
  // A click is aimed once: while the page slides to where it is wanted, the button would slide away from under it.
  await page.evaluateOnNewDocument(() => addEventListener('DOMContentLoaded', () => {
    document.documentElement.style.scrollBehavior = 'auto';
  }));
  /** @type {string[]} */
  const faults = [];
  page.on('pageerror', (error) => faults.push(`uncaught: ${error}`));
  page.on('console', (message) => {
    if (message.type() === 'error') {
      faults.push(`console: ${message.text()} ${message.location().url ?? ''}`);
    }
  });
  page.on('requestfailed', (request) => {
    faults.push(`request: ${request.url()} ${request.failure()?.errorText}`);
  });
  return { page, faults };
}
