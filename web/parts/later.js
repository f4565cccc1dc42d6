// The places that are not seen at first: one file where they are deployed, fetched when one of them is opened.

export * as compare from './compare.js';
export * as inspect from './inspect.js';
export * as draw from './draw.js';
export * as data from './data.js';
