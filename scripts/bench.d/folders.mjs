// Where things are. scripts/bench has built and installed what is named here.

import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = path.join(HERE, '../..');
const BUILD = path.join(ROOT, 'build/bench');

export const FOLDERS = {
  page: path.join(HERE, 'page'),
  packages: path.join(HERE, 'node_modules'),
  lab: path.join(ROOT, 'dist'),
  web: path.join(ROOT, 'web'),
  modules: path.join(ROOT, 'web'),
  wasm: path.join(BUILD, 'wasm'),
  report: path.join(BUILD, 'report'),
};

export const FILES = {
  native: path.join(BUILD, 'openblas'),
  trainingImages: path.join(BUILD, 'train.bin'),
};
