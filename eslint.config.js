import js from '@eslint/js';
import globals from 'globals';

export default [
  { ignores: ['build/', 'dist/', 'node_modules/', 'subprojects/'] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: 'module' },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'array-callback-return': 'error',
      'consistent-return': 'error',
      curly: 'error',
      'default-case-last': 'error',
      eqeqeq: 'error',
      'no-constructor-return': 'error',
      'no-else-return': 'error',
      'no-implied-eval': 'error',
      'no-inner-declarations': 'error',
      'no-lonely-if': 'error',
      'no-new-func': 'error',
      'no-param-reassign': 'error',
      'no-self-compare': 'error',
      'no-shadow': 'error',
      'no-template-curly-in-string': 'error',
      'no-throw-literal': 'error',
      'no-unmodified-loop-condition': 'error',
      'no-unneeded-ternary': 'error',
      'no-unreachable-loop': 'error',
      'no-unused-expressions': 'error',
      'no-use-before-define': ['error', { functions: false, classes: false }],
      'no-useless-rename': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'prefer-promise-reject-errors': 'error',
      'prefer-template': 'error',
      'max-len': ['error', { code: 132, ignoreComments: true, ignoreUrls: true }],
      'max-lines': ['error', 450],
      'max-statements-per-line': ['error', { max: 1 }],
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'Build elements, or set textContent.' },
        { property: 'outerHTML', message: 'Build elements, or set textContent.' },
        { property: 'insertAdjacentHTML', message: 'Build elements, or set textContent.' },
      ],
    },
  },
  // What runs in the page, in workers and in Node alike, or in some of them.
  {
    files: ['web/**/*.js'],
    languageOptions: {
      globals: {
        ...globals.browser,
        ...globals.worker,
        process: 'readonly',
        setImmediate: 'readonly',
      },
    },
  },
  {
    files: ['scripts/**', 'tests/**', '*.js'],
    languageOptions: { globals: globals.nodeBuiltin },
  },
  {
    files: ['scripts/bench.d/page/**'],
    languageOptions: { globals: { ...globals.browser, ...globals.worker } },
  },
  // Functions given to page.evaluate run in the page.
  { files: ['tests/browser/**', 'scripts/screenshots.mjs'], languageOptions: { globals: globals.browser } },
];
