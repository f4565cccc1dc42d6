// The lab's own modules, as they are before they are bundled; its engines and data as they are deployed.

const LAB = new URL('/lab/', location.href).href;
const MODULES = new URL('/lab-modules/', location.href).href;

/** Where its files are. */
export const LAB_URLS = { wasm: `${LAB}wasm/`, dataset: `${LAB}dataset/` };

/**
 * @type {[typeof import('../../../web/builds.js'), typeof import('../../../web/dataset.js'),
 *   typeof import('../../../web/source.js'), typeof import('../../../web/config.js')]}
 */
const [{ openEngine }, { Dataset }, { httpSource }, { applyConfig }] = await Promise.all([
  import(`${MODULES}builds.js`),
  import(`${MODULES}dataset.js`),
  import(`${MODULES}source.js`),
  import(`${MODULES}config.js`),
]);

export { applyConfig, Dataset, httpSource, openEngine };
