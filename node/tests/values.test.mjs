// SPDX-License-Identifier: MIT
// Every value is taken as it is or refused with a typed error; nothing is masked or rounded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { ArgumentTypeError, Generator, Id, Layout, bounds, compose, decode, encode, nodeFrom } from
  'flakecore';
import { TestClock } from 'flakecore/testing';
import { NOW_MS, NS_PER_MS, freshClock, freshSpace, refuses } from './shared.mjs';

const NUMBERS = ['maxWaitMs', 'maxLeadMs', 'startFloorMs', 'ceilingMs', 'seqSpreadBits'];
const TIMES = ['startFloorMs', 'ceilingMs'];
const NO_WHOLE_NUMBERS = [
  7.5, NaN, Infinity, -Infinity, 2 ** 53, 2 ** 53 + 2, 1e300, true, false, null, [7], {},
  Symbol('7'), () => 7, Object(7), Object(7n), new Date(7), new Uint8Array([7]),
  { valueOf: () => 7 },
];
const HUGE = [
  2 ** 31, 2 ** 32, 1221865536, 2 ** 53 - 1, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n,
  2n ** 64n + 7n, 10n ** 400n, -1, -1n, -(2 ** 31), -(2n ** 63n) + 1n, -(2n ** 63n), -(2n ** 64n),
];

function opened(options) {
  return new Generator({ node: 1, space: freshSpace(), clock: freshClock(), ...options });
}

for (const node of [0, -0, 1, 16, 1023, 0n, 5n, 1023n]) {
  test(`node ${inspect(node)} is used as it is`, () => { // S31, S38
    const gen = opened({ node });
    assert.equal(BigInt(decode(gen.nextId()).node), BigInt(node));
    assert.equal(BigInt(gen.node), BigInt(node));
  });
}

test('a node that does not fit is refused', () => { // S3, S31
  for (const node of [1024, 70000, ...HUGE]) {
    refuses('node_out_of_range', () => opened({ node }), /does not fit/);
    refuses('node_out_of_range', () => compose(NOW_MS, node, 0));
  }
});

test('what is no whole number is refused as a node and as any option, by name', () => { // S31
  for (const value of NO_WHOLE_NUMBERS) {
    for (const name of ['node', ...NUMBERS]) {
      if (TIMES.includes(name) && value instanceof Date) continue;
      const error = refuses('invalid_argument', () => opened({ [name]: value }));
      assert.ok(error instanceof ArgumentTypeError && error.message.startsWith(name));
    }
  }
  for (const name of NUMBERS) {
    for (const value of ['7', '', '7.5']) {
      refuses('invalid_argument', () => opened({ [name]: value }), new RegExp(`^${name} `));
    }
  }
});

test('2^53 + 1 as a number is refused, and the message says why', () => { // S31
  const value = 2 ** 53 + 1;
  refuses('invalid_argument', () => opened({ node: value }), /rounded: give a bigint/);
  refuses('invalid_argument', () => Id.fromNumber(value), /rounded: give a bigint/);
  refuses('invalid_argument', () => new Layout().compose(value, 1, 1), /rounded: give a bigint/);
});

test('no node is an error that says what to do', () => { // S7
  refuses('no_node', () => opened({ node: undefined }), /there is no default/);
  refuses('no_node', () => new Generator({}), /there is no default/);
});

test('the options are an object of known names', () => {
  for (const options of [undefined, null, 7, 'node']) {
    refuses('invalid_argument', () => new Generator(options), /options must be an object/);
  }
  refuses('invalid_argument', () => opened({ maxWaitMS: 7 }), /no option 'maxWaitMS'; there are/);
  refuses('invalid_argument', () => opened({ max_wait_ms: 7 }), /no option/);
});

test('a text as node is a chain of sources', () => {
  for (const [chain, node] of [['7', 7], ['0', 0], ['env:NOPE_NOPE,1023', 1023]]) {
    assert.equal(opened({ node: chain }).node, node);
  }
});

for (const [chain, code] of [
  ['', 'invalid_argument'], [' 7', 'invalid_argument'], ['7 ', 'invalid_argument'],
  ['0x7', 'invalid_argument'], ['-1', 'invalid_argument'], ['7.5', 'invalid_argument'],
  ['NaN', 'invalid_argument'], ['7\0', 'invalid_argument'], ['\u0667', 'invalid_argument'],
  ['file:\ud800', 'invalid_argument'], ['1024', 'node_out_of_range'],
  ['env:NOPE_NOPE', 'no_node'], ['file:/nope/nope', 'no_node'], ['7\0,8', 'invalid_argument'],
]) {
  test(`the chain ${JSON.stringify(chain)} is refused`, () => {
    assert.equal(refuses(code, () => opened({ node: chain })).kind, 'caller');
    refuses(code, () => nodeFrom(chain));
  });
}

test('a chain that is no text is told so', () => {
  for (const chain of ['7\0', 'env:A\0', 'file:\ud800']) {
    refuses('invalid_argument', () => nodeFrom(chain), /is not a chain of sources; it is no text/);
  }
});

test('a random node is taken only when asked for and says the odds', () => { // S11
  const found = nodeFrom('random:10');
  assert.ok(found.node >= 0 && found.node < 1024);
  assert.match(found.text, /%/);
  refuses('invalid_argument', () => nodeFrom('random'));
});

test('a time among the options is a Date or Unix ms', () => {
  const date = new Date(Number(NOW_MS) + 50);
  const gen = opened({ startFloorMs: date, ceilingMs: new Date(Number(date) + 2) });
  assert.equal(decode(gen.nextId()).unixMs, NOW_MS + 50n);
  assert.equal(gen.health().ceilingMs, NOW_MS + 52n);
  for (const name of TIMES) {
    const error = refuses('invalid_argument', () => opened({ [name]: new Date(NaN) }));
    assert.equal(error.message, `${name} is Invalid Date, no moment`);
    assert.ok(error instanceof ArgumentTypeError);
    refuses('invalid_argument', () => opened({ [name]: new Date(-1) }), /must lie in 0\.\./);
  }
});

test('whatever is out of range, the range is the same', () => {
  const END = 9_223_372_036_854;
  for (const [name, most] of Object.entries({
    maxWaitMs: 86_400_000, maxLeadMs: 86_400_000, startFloorMs: END, ceilingMs: END,
    seqSpreadBits: 12,
  })) {
    for (const value of [-1n, BigInt(most) + 1n, 10n ** 30n, -(10n ** 30n), 2n ** 63n]) {
      assert.equal(
        refuses('invalid_argument', () => opened({ [name]: value })).message,
        `${name} is ${value}; it must lie in 0..${most}`);
    }
  }
  for (const id of [0n, -1n, 2n ** 64n]) {
    for (const call of [decode, Id.from]) {
      assert.equal(
        refuses('invalid_argument', () => call(id)).message,
        `id is ${id}; it must lie in 1..18446744073709551615`);
    }
  }
  for (const id of [0, -1]) {
    assert.equal(
      refuses('invalid_argument', () => Id.fromNumber(id)).message,
      `id is ${id}; it must lie in 1..9007199254740991`);
  }
});

test('what only looks like one of the package is refused', () => {
  const likeId = Object.create(Id.prototype);
  const likeLayout = Object.create(Layout.prototype);
  for (const call of [
    () => decode(likeId), () => encode(likeId), () => Id.from(likeId), () => Id.compare(likeId, 7n),
    () => decode(7n, likeLayout), () => opened({ layout: likeLayout }),
    () => opened({ clock: Object.create(TestClock.prototype) }), () => new Generator(new Map()),
  ]) {
    assert.ok(refuses('invalid_argument', call) instanceof ArgumentTypeError);
  }
});

test('an option out of range is refused by name', () => {
  for (const name of NUMBERS) {
    for (const value of HUGE.filter((n) => n < 0 || n > 2 ** 53)) {
      refuses('invalid_argument', () => opened({ [name]: value }), new RegExp(`^${name} is `));
    }
  }
});

for (const [options, message] of [
  [{ maxWaitMs: 86_400_001 }, 'maxWaitMs is 86400001; it must lie in 0..86400000'],
  [{ seqSpreadBits: 13 }, 'seqSpreadBits is 13; it must lie in 0..12'],
  [{ mode: 'Strict' }, "mode is 'Strict'; it must be one of strict, monotonic"],
  [{ mode: 0 }, 'mode is 0'],
  [{ clockSource: null }, 'clockSource is null'],
  [{ hostGuard: 'off' }, "hostGuard is 'off'; it must be one of on, unsafe_off"],
  [{ layout: null }, 'layout must be a Layout or its text'],
  [{ clock: 7 }, 'clock must be a TestClock'],
  [{ clock: null }, 'clock must be a TestClock'],
]) {
  test(`refused and explained: ${message}`, () => {
    const error = refuses('invalid_argument', () => opened(options));
    assert.ok(error.message.startsWith(message), error.message);
  });
}

test('a space that is no name is refused', () => {
  const names = ['', ' ', '.x', 'a/b', 'a\0b', 'ab\0', '\u00e9', '\ud800', 'x'.repeat(64), 'a\nb'];
  for (const space of [...names, 'x'.repeat(10_000)]) {
    refuses('invalid_argument', () => opened({ space }), /space .* is not a name/s);
  }
  for (const space of [null, 7, ['default'], new Uint8Array(3)]) {
    refuses('invalid_argument', () => opened({ space }), /space must be a string/);
  }
});

test('the longest space is a space of its own', () => {
  const space = `${freshSpace()}-`.padEnd(63, 'x');
  assert.equal(opened({ space }).space, space);
});

test('any whole number as a node is used or refused', () => {
  fc.assert(fc.property(fc.oneof(fc.integer(), fc.bigInt(), fc.maxSafeInteger()), (node) => {
    if (node >= 0 && node < 1024) {
      assert.equal(decode(compose(NOW_MS, node, 1)).node, Number(node));
    } else {
      refuses('node_out_of_range', () => compose(NOW_MS, node, 1));
    }
  }));
});

test('whatever is no whole number is refused everywhere', () => {
  const layout = new Layout();
  const calls = [
    (v) => layout.compose(NOW_MS, v, 0), (v) => layout.compose(NOW_MS, 0, v),
    (v) => layout.compose(v, 0, 0), (v) => bounds(v, NOW_MS), (v) => new TestClock(v),
  ];
  const others = fc.oneof(
    fc.double().filter((x) => !Number.isSafeInteger(x)), fc.string(), fc.boolean(), fc.object(),
    fc.constant(null), fc.constant(undefined));
  fc.assert(fc.property(others, (value) => {
    for (const call of calls) {
      assert.ok(refuses('invalid_argument', () => call(value)) instanceof ArgumentTypeError);
    }
  }));
});

test('a number is no ID, whatever it is', () => {
  const gen = opened({});
  const id = Id.from(gen.nextId());
  for (const value of [0, 7, 2 ** 53, NaN, null, undefined, true, {}, [7n], new Date()]) {
    for (const call of [decode, encode, Id.from, (v) => Id.compare(v, 7n), (v) => id.equals(v)]) {
      const error = refuses('invalid_argument', () => call(value), /must be a bigint, its text/);
      assert.ok(error instanceof ArgumentTypeError);
    }
  }
  refuses('invalid_argument', () => decode(7), /Id\.fromNumber/);
});

test('what is no ID does not decode', () => {
  for (const id of [0n, -1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 64n + 5n, -(10n ** 40n)]) {
    refuses('invalid_argument', () => decode(id));
  }
});

test('the test clock refuses what it cannot hold', () => {
  for (const ns of [-1, 2n ** 63n, 2n ** 64n]) {
    refuses('invalid_argument', () => new TestClock(ns));
    const clock = new TestClock(NOW_MS * NS_PER_MS);
    for (const call of [clock.setWall, clock.advance, (v) => clock.script(v, 0)]) {
      refuses('invalid_argument', () => call.call(clock, ns));
    }
    refuses('invalid_argument', () => clock.setRate(1_000_001));
    refuses('invalid_argument', () => clock.stopSleeps(1), /stopped must be true or false/);
  }
});
