// How many tests passed and failed, read from what the runners leave behind.

/**
 * @typedef {object} Count
 * @property {number} passed
 * @property {number} failed
 */

/**
 * @param {Count[]} counts
 * @returns {Count}
 */
export function sum(counts) {
  return counts.reduce(
    (total, { passed, failed }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
    }),
    { passed: 0, failed: 0 },
  );
}

/**
 * A run that failed has a failed test, whatever its report says.
 * @param {Count} count
 * @param {boolean} isGood  whether the runner ended with status 0
 * @returns {Count}
 */
function checked(count, isGood) {
  const isSilent = count.passed + count.failed === 0;
  return count.failed === 0 && (!isGood || isSilent) ? { ...count, failed: 1 } : count;
}

/**
 * The tests of one program: cmocka's own count where it got as far as printing it.
 * @param {{result: string, stdout?: string, stderr?: string}} program
 * @returns {Count}
 */
function countProgram(program) {
  const output = `${program.stdout ?? ''}\n${program.stderr ?? ''}`;
  /** @param {string} word */
  const tally = (word) => {
    const matches = output.matchAll(new RegExp(`^\\[ *${word} *\\] (\\d+) test\\(s\\)`, 'gm'));
    return [...matches].reduce((total, match) => total + Number(match[1]), 0);
  };
  const isGood = program.result === 'OK';
  // A skipped test has tested nothing.
  const count = { passed: tally('PASSED'), failed: tally('FAILED') + tally('SKIPPED') };
  if (count.passed + count.failed === 0) {
    return isGood ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  }
  return checked(count, isGood);
}

/**
 * @param {string} log      meson's testlog.json: a line of JSON for each program
 * @param {boolean} isGood  whether meson ended with status 0
 * @returns {Count}
 */
export function countMeson(log, isGood) {
  const programs = log.split('\n').filter(Boolean);
  return checked(sum(programs.map((line) => countProgram(JSON.parse(line)))), isGood);
}

/**
 * @param {string} tap      what node's TAP reporter wrote
 * @param {boolean} isGood  whether node ended with status 0
 * @returns {Count}
 */
export function countNode(tap, isGood) {
  /** @param {string} word */
  const tally = (word) => Number(tap.match(new RegExp(`^# ${word} (\\d+)$`, 'm'))?.[1] ?? 0);
  // Cancelled, skipped and postponed tests have tested nothing.
  const failed = tally('fail') + tally('cancelled') + tally('skipped') + tally('todo');
  return checked({ passed: tally('pass'), failed }, isGood);
}
