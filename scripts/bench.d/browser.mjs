// One headless Chromium, and tabs in it that answer calls.

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

import puppeteer from 'puppeteer-core';

/** @typedef {import('puppeteer-core').Browser} Browser */
/** @typedef {import('puppeteer-core').Page} Page */

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A tab that is measured is not always the one in front.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
];
const LONGEST_CALL_MS = 30 * 60 * 1000;

/** A browser is calm when its processes have used hardly any time of the processor, several looks in a row. */
const LOOK_MS = 100;
const CALM_SECONDS = 0.02;
const CALM_LOOKS = 3;
const MOST_LOOKS = 100;

/**
 * Starts a browser with a profile of its own, and ends it when the work is done.
 * @template T
 * @param {(browser: Browser) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withBrowser(work) {
  const profile = await mkdtemp(path.join(os.tmpdir(), 'lab-bench-'));
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ARGUMENTS,
    userDataDir: profile,
    protocolTimeout: LONGEST_CALL_MS,
  });
  try {
    return await work(browser);
  } finally {
    await browser.close();
    await rm(profile, { recursive: true, force: true });
  }
}

/**
 * Opens a page whose window.bench promises an object with methods.
 * @param {Browser|Page} where   a page that is there already, or a browser for a new one
 * @param {string} url
 */
export async function openTab(where, url) {
  const page = 'newPage' in where ? await where.newPage() : where;
  /** @type {string[]} */
  const faults = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(url);
  return {
    page,
    /**
     * Calls a method there, or reads what is not one.
     * @param {string} name
     * @param {...unknown} parameters
     * @returns {Promise<any>}
     */
    async call(name, ...parameters) {
      try {
        return await page.evaluate(callBench, name, parameters);
      } catch (error) {
        throw new Error(`${url}: ${[error, ...faults].join('\n')}`, { cause: error });
      }
    },
    close: () => page.close(),
  };
}

/**
 * Runs in the page.
 * @param {string} name
 * @param {unknown[]} parameters
 */
async function callBench(name, parameters) {
  const bench = await /** @type {any} */ (globalThis).bench;
  return typeof bench[name] === 'function' ? bench[name](...parameters) : bench[name];
}

/**
 * Waits until a browser has done what it does by itself: for a new window it starts several processes.
 * @param {Browser} browser
 */
export async function untilCalm(browser) {
  const session = await browser.target().createCDPSession();
  let [before, nCalm] = [Infinity, 0];
  for (let look = 0; look < MOST_LOOKS && nCalm < CALM_LOOKS; look++) {
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_MS);
    });
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const seconds = processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
    nCalm = seconds - before < CALM_SECONDS ? nCalm + 1 : 0;
    before = seconds;
  }
  await session.detach();
}
