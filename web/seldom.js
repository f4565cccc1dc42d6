// What few visits need: one file where it is deployed, fetched when it is first asked for.

export { resultsFile, weightsFile } from './export.js';
export { readFile } from './import.js';
export { mountContinuation } from './parts/continuation.js';
export { pngOf, svgFileOf } from './parts/figure-files.js';
export { drawLines } from './parts/line-svg.js';
export { checkStart } from './start.js';
