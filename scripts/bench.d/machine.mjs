// What the figures were taken on.

import { readFile } from 'node:fs/promises';
import os from 'node:os';

/** @typedef {{date: string, cpu: string, nCores: number, system: string, browser: string}} Machine */

/** @param {string} browser   its name and version @returns {Promise<Machine>} */
export async function describeMachine(browser) {
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: await describeCpu(),
    nCores: os.availableParallelism(),
    system: `${os.type()} ${os.release()}`,
    browser,
  };
}

/** Virtual machines often give no more than a family's name; the numbers tell which one it is. */
async function describeCpu() {
  const name = os.cpus()[0]?.model.replace(/\s+/g, ' ').trim() ?? 'unknown';
  const info = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  const [family, model] = ['cpu family', 'model'].map((key) => new RegExp(`^${key}\\s*: (\\d+)`, 'm').exec(info)?.[1]);
  return family && model ? `${name} (family ${family}, model ${model})` : name;
}

/** How busy others keep the machine. @returns {number} processes that want to run, lately, a core */
export function load() {
  return os.loadavg()[0] / os.availableParallelism();
}
