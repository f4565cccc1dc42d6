// The set-up's decisions, with the machine's commands replaced by shell functions.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Runs a piece of bash that has the set-up's functions.
 * @param {string} script
 */
function bash(script) {
  const parts = 'for part in machine sources emscripten; do . "scripts/lib/$part.sh"; done';
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', `set -euo pipefail\n${parts}\n${script}`],
    { cwd: ROOT, encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

test('compares versions by their numbers', () => {
  for (const [version, minimum, expected] of [
    ['3.1.69', '3.1.69', 0], ['3.1.70', '3.1.69', 0], ['4.0.2', '3.1.69', 0], ['6.0.10', '6.0.9', 0],
    ['3.1.6', '3.1.69', 1], ['2.9.99', '3.1.69', 1], ['18.20.4', '20.0.0', 1],
  ]) {
    assert.equal(bash(`at_least ${version} ${minimum}`).status, expected, `${version} ${minimum}`);
  }
});

test('without root, says the command that installs what is missing', () => {
  const { status, stderr } = bash(`
    is_debian() { true; }
    id() { echo 1000; }
    apt-get() { echo "called apt-get" >&2; }
    need_command no-such-command some-package
    need_command bash bash
    need_command no-other-command other-package
    install_missing`);
  assert.equal(status, 1);
  assert.match(stderr, /sudo apt-get install .*--no-install-recommends some-package other-package\n/);
  assert.doesNotMatch(stderr, /called apt-get/);
});

test('without apt, names what is missing', () => {
  const { status, stderr } = bash(`
    is_debian() { false; }
    need_command no-such-command some-package
    install_missing`);
  assert.equal(status, 1);
  assert.match(stderr, /missing.*: some-package\n/);
});

test('as root, installs; and downloads the lists only if that fails', () => {
  const { status, stdout } = bash(`
    is_debian() { true; }
    id() { echo 0; }
    exec 3>&1
    updated=
    apt-get() { echo "apt-get $1" >&3; [ "$1" = update ] && updated=1; [ -n "$updated" ]; }
    need_command no-such-command some-package
    install_missing
    install_missing`);
  assert.equal(status, 0);
  assert.equal(stdout, 'apt-get install\napt-get update\napt-get install\n');
});

test('does not take a Node that is too old', () => {
  const { status, stderr } = bash('node() { echo v18.20.4; }\nneed_node');
  assert.equal(status, 1);
  assert.match(stderr, /Node\.js 20 or newer is needed .*v18\.20\.4/);
});

test("takes Debian's own archive, whatever else apt is configured for", () => {
  const lists = bash(`
    apt-get() {
      echo "http://one.example/tools/ Tools bookworm"
      echo "http://two.example/debian-security/ Debian bookworm-security"
      echo "http://two.example/debian/ Debian bookworm"
    }
    debian_archive`);
  assert.equal(lists.stdout, 'http://two.example/debian/\n');
  const noLists = bash(`
    apt-get() {
      [ "$1" = update ] || return 0
      echo "'http://two.example/debian-security/dists/bookworm-security/InRelease' a 0"
      echo "'http://two.example/debian/dists/stable/InRelease' b 0"
    }
    debian_archive`);
  assert.equal(noLists.stdout, 'http://two.example/debian/\n');
  assert.equal(bash('apt-get() { :; }\ndebian_archive').status, 1);
});

test('takes an emcc on PATH that is new enough, and no older one', () => {
  const version = (/** @type {string} */ number) => `
    emcc() { echo "emcc (Emscripten gcc/clang-like replacement + linker emulating GNU ld) ${number} ()"; }
    command() { [ "$*" = "-v emcc" ] && echo /opt/sdk/emcc || builtin command "$@"; }
    is_debian() { false; }
    find_emscripten
    echo "$emscripten_bin"`;
  assert.equal(bash(version('3.1.69')).stdout, '/opt/sdk\n');
  assert.equal(bash(version('4.0.10-git')).stdout, '/opt/sdk\n');
  const old = bash(version('3.1.6'));
  assert.equal(old.status, 1);
  assert.match(old.stderr, /is 3\.1\.6, older than 3\.1\.69/);
});
