// SPDX-License-Identifier: MIT
// npx flakecore: the same options, output and exit status as the command `flake`, to which it is
// compared word for word.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compose, decode } from 'flakecore';
import { NODE, ROOT, freshSpace, rises } from './shared.mjs';

const FLAKE = join(ROOT, 'build', 'release', 'flake');
const PROGRAM = 'npx flakecore';
const MAIN = join(NODE, 'dist', 'command', 'main.js');
const DISCORD = '175928847299117063';
const NUMBERS = [
  '7.5', 'NaN', '', ' 7', '7 ', '0x10', 'true', '1e3', '+7', '007', '--7', '-', '-0', '7\n', '1_0',
  '\u0661', '\x1b', '9'.repeat(50), '-1', '1024', '2147483648', '1221865536',
  '9223372036854775807', '9223372036854775808', '-9223372036854775807',
];

function run(program, args, input = '') {
  const done = spawnSync(program[0], [...program.slice(1), ...args], { input, timeout: 60_000 });
  return { status: done.status, out: done.stdout.toString('latin1'),
    err: done.stderr.toString('latin1') };
}

function packaged(args, input) {
  return run([process.execPath, MAIN], args, input);
}

/** What both print, when it is the same. */
function same(args, input) {
  assert.ok(existsSync(FLAKE), 'build the release preset first: ci/test does');
  const expected = run([FLAKE], args, input);
  const { status, out, err } = packaged(args, input);
  assert.deepEqual({ status, out, err: err.replaceAll(PROGRAM, 'flake') }, expected);
  return expected;
}

const ONE = ['next', '--node', '1'];
const WRONG = [
  [], [''], ['nxt'], ['Next'], ['--frob'], ['help', 'nxt'], ['next', '--frob'],
  ['next', '--node'], [...ONE, '-n'], ['next', '--help=yes'], ['next', '-x'],
  ['next', '--max', '5'], [...ONE, '5'], ['decode', '--json=yes', '1'],
  ['decode', '--json', '-yx'], ['decode', '-1'], ['decode', '-\x1b[31m'], ['next'],
  [...ONE, '--mode', 'loose'], [...ONE, '--mode', 'monotonic'], [...ONE, '--format', 'HEX'],
  [...ONE, '--layout', 'frob'], [...ONE, '--layout', 'discord'], [...ONE, '--space', 'a/b'],
  [...ONE, '--space', ''], [...ONE, '--space', 'x'.repeat(64)], [...ONE, '-n', '-1'],
  [...ONE, '--seq-spread-bits', '13'], [...ONE, '--max-wait-ms', '86400001'],
  ['next', '--node=70000'], [...ONE, '--layout', '41/10/12@4102444800000'],
];

test('wrong usage is answered alike', () => {
  for (const args of WRONG) {
    const { status, out, err } = same(args);
    assert.ok(status === 1 || status === 2, args.join(' '));
    assert.equal(out, '');
    assert.equal(err.split('\n').length, 2);
  }
});

test('chains of sources are refused alike', () => {
  for (const chain of ['env:NOPE_NOPE', 'frob', '8x,7', '1024,', 'file:/nope', 'env:', 'ipv4:99',
    'random:0', 'random:x', '\u00e9']) {
    const { status, out, err } = same(['next', '--node', chain]);
    assert.ok(status === 2 && out === '' && err !== '', chain);
  }
});

test('a random node says the odds', () => {
  const { status, out, err } = packaged(
    ['next', '--node', 'random:10', '--space', freshSpace()]);
  assert.equal(status, 0);
  assert.ok(BigInt(out.trim()) > 0n);
  assert.match(err, / %/);
});

test('numbers are read alike', () => {
  for (const option of ['--node', '--count', '--max-wait-ms']) {
    for (const value of NUMBERS) {
      if (option !== '--node' && /^(1024|9223372036854775807|2147483648|1221865536)$/.test(value)) {
        continue; // fits there
      }
      assert.equal(same(['next', '--node', '2000', option, value]).status, 2);
    }
  }
});

for (const args of [
  [DISCORD], ['--layout', 'discord', DISCORD], ['--layout', 'discord', '--json', DISCORD],
  ['--format', 'hex', '0271063330800007', '0x0271063330800007', '0271063330800007x', '1'],
  ['0', '', '-', '1', '18446744073709551615', '18446744073709551616', '0x0271063330800007', '07',
    '7 ', '\x1b', 'x'.repeat(100), '9'.repeat(1000)],
  ['--layout', 't48n8s8@4102444800000', '18446744073709551615'], ['--', '-1'],
  ['--layout', '43/0/12*10s', '9223372036854775807', '4194304000000000'],
  ['--json', '--layout', '43/0/12*10s', '9223372036854775807'],
  Array.from({ length: 24 }, (_, i) => String(i + 1)),
  ...['dec', 'hex', 'base32', 'base58', 'base62', 'base64'].map((format) => [
    '--format', format, '0271063330800007', '0000000000007', '11111111112', '00000000007', '', 'x',
  ]),
]) {
  test(`decoded alike: ${JSON.stringify(args).slice(0, 60)}`, () => {
    same(['decode', ...args]);
  });
}

test('input is read alike', () => {
  for (const input of ['', '\n', '1\n2\n', '1\r\n2', '1\n\nx\n0\n', '1', Buffer.from([255, 10]),
    '1\0\n', 'y\n'.repeat(30), `${'1'.repeat(70_000)}\n1\n`, '400000000000000000\n'.repeat(20)]) {
    same(['decode'], input);
  }
});

test('help says the same in its own name', () => {
  for (const args of [['next', '--help'], ['help', 'decode'], ['decode', '-h']]) {
    const own = run([FLAKE], args).out.replace(/\bflake (?=next|decode)/g, `${PROGRAM} `);
    const { status, out, err } = packaged(args);
    assert.deepEqual([status, out.split(/\s+/), err], [0, own.split(/\s+/), '']);
  }
  assert.equal(packaged(['next', '-h', '--frob']).status, 0);
  assert.deepEqual(packaged(['--help']), packaged(['help']));
  assert.deepEqual(packaged(['--help']), packaged(['-h']));
  assert.deepEqual(run([FLAKE], ['--version']), packaged(['--version']));
  assert.match(packaged(['build', '--help']).out, /It needs a C compiler, make and Python 3/);
});

test('next prints IDs that rise and decode reads them', () => {
  const space = ['--space', freshSpace()];
  const { status, out, err } = packaged(['next', '--node', '7', '-n', '10000', ...space]);
  const ids = out.trim().split('\n').map(BigInt);
  assert.deepEqual([status, err, ids.length], [0, '', 10_000]);
  assert.ok(rises(ids) && ids.every((id) => decode(id).node === 7));
  const decoded = packaged(['decode'], out);
  assert.deepEqual([decoded.status, decoded.err], [0, '']);
  assert.equal(decoded.out.split('  node 7  sequence ').length, 10_001);
  const hex = packaged(['next', '--node', '7', '--format=hex', ...space]);
  assert.match(hex.out, /^[0-9a-f]{16}\n$/);
});

test('a time in the future is printed with a warning', () => {
  const id = String(compose(Date.now() + 3_600_000, 1, 0));
  const { status, out, err } = same(['decode', id]);
  assert.ok(status === 0 && out.startsWith(id));
  assert.match(err, /lies in the future/);
});

test('what cannot be written is reported, and a closed pipe is not', () => {
  const full = openSync('/dev/full', 'w');
  const done = spawnSync(process.execPath, [MAIN, 'decode', '1'], {
    stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
  closeSync(full);
  assert.equal(done.status, 1);
  assert.match(done.stderr, /cannot write to standard output: no space left on device/);
  const piped = spawnSync('bash', ['-c', '"$0" "$1" --help | true; echo "${PIPESTATUS[0]}"',
    process.execPath, MAIN], { encoding: 'utf8' });
  assert.equal(piped.stderr, '');
  assert.match(piped.stdout, /^[01]\n$/);
});
