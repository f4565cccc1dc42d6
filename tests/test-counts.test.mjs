import assert from 'node:assert/strict';
import { test } from 'node:test';

import { countMeson, countNode, sum } from '../scripts/test-counts.mjs';

/** @param {object[]} programs */
const log = (...programs) => programs.map((program) => `${JSON.stringify(program)}\n`).join('');

const GOOD = {
  result: 'OK',
  stdout: '[==========] Running 3 test(s).\n',
  stderr: '[  PASSED  ] 3 test(s).\n',
};
const BAD = {
  result: 'FAIL',
  stdout: '[==========] Running 3 test(s).\n[  FAILED  ] takes_a_number\n',
  stderr: '[  PASSED  ] 2 test(s).\n[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] it\n',
};

test('counts the tests that cmocka counted', () => {
  assert.deepEqual(countMeson(log(GOOD, BAD), false), { passed: 5, failed: 1 });
});

test('counts a program that crashed as a failed test', () => {
  const crashed = { result: 'FAIL', stdout: '[==========] Running 3 test(s).\n' };
  assert.deepEqual(countMeson(log(GOOD, crashed), false), { passed: 3, failed: 1 });
});

test('counts a program that fails after its tests as a failed test', () => {
  const leaking = { ...GOOD, result: 'FAIL' };
  assert.deepEqual(countMeson(log(leaking), false), { passed: 3, failed: 1 });
});

test('counts a program that is no cmocka program as one test', () => {
  assert.deepEqual(countMeson(log({ result: 'OK' }), true), { passed: 1, failed: 0 });
});

test('does not take a skipped test for one that passed', () => {
  const skipping = {
    result: 'OK',
    stderr: '[  PASSED  ] 2 test(s).\n[  SKIPPED ] 1 test(s), listed below:\n',
  };
  assert.deepEqual(countMeson(log(skipping), true), { passed: 2, failed: 1 });
});

test('takes an empty report for a failure', () => {
  assert.deepEqual(countMeson('', true), { passed: 0, failed: 1 });
  assert.deepEqual(countNode('', true), { passed: 0, failed: 1 });
});

test('counts what node reports', () => {
  const tap = '# tests 7\n# suites 1\n# pass 4\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 0\n';
  assert.deepEqual(countNode(tap, false), { passed: 4, failed: 3 });
});

test('believes the exit status before the report', () => {
  assert.deepEqual(countNode('# pass 4\n# fail 0\n', false), { passed: 4, failed: 1 });
});

test('sums', () => {
  assert.deepEqual(sum([{ passed: 1, failed: 2 }, { passed: 3, failed: 4 }]), {
    passed: 4,
    failed: 6,
  });
});
