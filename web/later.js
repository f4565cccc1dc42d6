// What the first view does without: one file where it is deployed, fetched when something of it is first asked for.

export { resultsFile, weightsFile } from './export.js';
export { readFile } from './import.js';
export { mountContinuation } from './parts/continuation.js';
export { pngOf, svgFileOf } from './parts/figure-files.js';
export { drawLines } from './parts/line-svg.js';
export { checkStart } from './start.js';

/** The places beside Train. */
export * as compare from './parts/compare.js';
export * as inspect from './parts/inspect.js';
export * as draw from './parts/draw.js';
export * as data from './parts/data.js';
