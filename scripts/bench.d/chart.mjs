// The chart: drawn as SVG in the same browser, taken as a picture.

import { openTab } from './browser.mjs';
import { figuresOf } from './figures.mjs';

/** @typedef {import('./main.mjs').Report} Report */

/**
 * @param {{browser: import('puppeteer-core').Browser, url: string}} place
 * @param {Report} report
 * @param {`${string}.png`} file
 */
export async function drawChart({ browser, url }, { machine, engines }, file) {
  if (engines === undefined || engines.length === 0) {
    return;
  }
  const panels = engines.map(({ preset, baseline, others }) => ({
    preset,
    bars: [baseline, ...others]
      .map((result) => ({ ...result.entrant, ...figuresOf(preset, result) }))
      .map(({ label, kind, nThreads, secondsPerEpoch, timesBaseline }) => ({
        label: nThreads > 1 ? `${label}, ${nThreads} threads` : label,
        kind,
        secondsPerEpoch,
        timesBaseline,
      })),
  }));
  const tab = await openTab(browser, `${url}chart.html`);
  try {
    await tab.page.setViewport({ width: 1280, height: 800, deviceScaleFactor: 2 });
    await tab.call('draw', { panels, caption: `${machine.cpu}; ${machine.browser}; ${machine.date}` });
    const chart = await tab.page.$('svg');
    await chart?.screenshot({ path: file });
  } finally {
    await tab.close();
  }
}
