// SPDX-License-Identifier: MIT
// Layouts, and what the module's functions say of IDs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import vm from 'node:vm';
import fc from 'fast-check';
import { FlakeError, Layout, bounds, compose, decode } from 'flakecore';
import { NOW_MS, refuses } from './shared.mjs';

const NOW = new Date(Number(NOW_MS));
const DISCORD = ((1462015105796n - 1420070400000n) << 22n) | (32n << 12n) | 7n;

test('decode is the inverse of compose', () => {
  const sizes = fc.tuple(
    fc.integer({ min: 30, max: 43 }), fc.integer({ min: 0, max: 16 }),
    fc.integer({ min: 0, max: 16 })).filter(([t, n, s]) => t + n + s <= 63);
  const part = fc.bigInt({ min: 0n, max: 2n ** 64n });
  fc.assert(fc.property(sizes, part, part, part, ([t, n, s], a, b, c) => {
    const layout = new Layout(`${t}/${n}/${s}`);
    const tick = 1n + (a % (2n ** BigInt(t) - 1n));
    const [node, sequence] = [b % 2n ** BigInt(n), c % 2n ** BigInt(s)];
    const ms = layout.epochMs + tick * layout.tickMs;
    const id = layout.compose(ms, node, sequence);
    assert.deepEqual(
      { ...layout.decode(id) },
      { unixMs: ms, tick, node: Number(node), sequence: Number(sequence) });
    assert.ok(id > 0n && id < 2n ** 63n);
    const [low, high] = layout.bounds(ms, ms + 1n);
    assert.ok(low <= id && id <= high);
  }));
});

test('any text is a layout or refused', () => {
  fc.assert(fc.property(fc.string({ maxLength: 40, unit: 'binary' }), (text) => {
    try {
      const layout = new Layout(text);
      assert.ok(new Layout(String(layout)).equals(layout));
    } catch (error) {
      assert.ok(error instanceof FlakeError && error.code === 'bad_layout', error);
      assert.match(error.message, /41\/10\/12/);
    }
  }));
});

test('what is no text is no layout', () => {
  for (const text of [null, 7, ['41/10/12'], {}, Symbol('x')]) {
    refuses('invalid_argument', () => new Layout(text), /layout must be a string/);
    refuses('invalid_argument', () => decode(1n, text), /layout must be a Layout or its text/);
  }
});

test('it is a value that does not change', () => {
  const layout = new Layout('41/10/12');
  assert.ok(layout.equals('snowflake') && layout.equals(new Layout()));
  assert.ok(!layout.equals('twitter'));
  assert.equal(JSON.stringify({ layout }), '{"layout":"t41n10s12@1735689600000"}');
  assert.throws(() => { layout.epochMs = 0n; }, TypeError);
  assert.throws(() => { layout.other = 0n; }, TypeError);
});

test('the presets are layouts', () => {
  const names = Layout.presets();
  assert.equal(names[0], 'snowflake');
  assert.equal(new Set(names).size, 10);
  for (const name of names) assert.ok(new Layout(name).timeBits > 0);
});

test('expiry is a Date unless the calendar of Date ends first', () => {
  assert.equal(new Layout().expiresMs, 3_934_712_855_552n);
  assert.equal(new Layout().expires.toISOString(), '2094-09-07T15:47:35.552Z');
  assert.equal(new Layout('48/0/15').expires.getUTCFullYear(), 10944);
  assert.equal(new Layout('43/0/12*10s').expires, null);
});

test('the time of an ID is a Date, and exact in ms beyond what a number holds', () => {
  const { time, iso, unixMs } = decode(DISCORD, 'discord');
  assert.equal(iso, '2016-04-30T11:18:25.796Z');
  assert.equal(time.toISOString(), iso);
  assert.equal(unixMs, 1462015105796n);
  const last = decode(2n ** 55n - 1n, '43/0/12*10s');
  assert.equal(last.unixMs, 1735689600000n + 10_000n * (2n ** 43n - 1n));
  assert.ok(last.unixMs > 2n ** 53n && last.time === null);
  assert.match(last.iso, /^\+2789[0-9]{3}-[0-9-]+T[0-9:]+\.000Z$/);
});

test('what is decoded goes through JSON', () => {
  assert.equal(
    JSON.stringify(decode(DISCORD, 'discord')),
    '{"iso":"2016-04-30T11:18:25.796Z","unixMs":1462015105796,"node":32,"sequence":7}');
  assert.match(JSON.stringify(decode(2n ** 55n - 1n, '43/0/12*10s')), /"unixMs":"[0-9]{17}"/);
});

test('times may be Dates, also of another context', () => {
  const id = compose(NOW_MS, 1, 2);
  assert.equal(compose(NOW, 1n, 2n), id);
  assert.equal(compose(Number(NOW_MS), 1, 2), id);
  assert.equal(compose(vm.runInNewContext(`new Date(${NOW_MS})`), 1, 2), id);
  const day = new Date(Number(NOW_MS) + 86_400_000);
  assert.deepEqual(bounds(NOW, day), bounds(NOW_MS, NOW_MS + 86_400_000n));
});

test('bounds that cannot be are told with what can', () => {
  const end = new Layout().expiresMs;
  for (const [since, until, code, text] of [
    [NOW, NOW, 'invalid_argument', `starts in ${NOW_MS} <= Unix ms < ${NOW_MS};`],
    [NOW_MS + 1n, NOW, 'invalid_argument', 'give a later until'],
    [0, NOW, 'before_epoch', 'since is 0, before .*; give 1735689600000 or later'],
    [NOW, end + 1n, 'time_used_up', `until is ${end + 1n}, after .*; give ${end} or earlier`],
  ]) refuses(code, () => bounds(since, until), new RegExp(text));
});

test('a time of another type, or none, is refused', () => {
  for (const time of [new Date(NaN), NaN, 1.5, '2025-06-15', null, undefined, { getTime() {} }]) {
    refuses('invalid_argument', () => compose(time, 1, 2));
    refuses('invalid_argument', () => bounds(time, NOW));
    if (time !== undefined) refuses('invalid_argument', () => new Layout().check(time));
  }
});

test('a time beyond every layout is refused', () => { // S30
  for (const [time, code] of [
    [new Date(-8.64e15), 'before_epoch'], [-(2n ** 70n), 'before_epoch'],
    [new Date(8.64e15), 'time_used_up'], [2n ** 70n, 'time_used_up'],
  ]) {
    refuses(code, () => compose(time, 1, 2));
    refuses(code, () => bounds(code === 'before_epoch' ? time : NOW, time > NOW ? time : NOW));
  }
});

test('check says whether it can generate', () => {
  new Layout().check();
  new Layout().check(NOW);
  refuses('not_supported', () => new Layout('instagram').check());
  refuses('before_epoch', () => new Layout('41/10/12@4102444800000').check());
  refuses('time_used_up', () => new Layout().check(3_934_712_855_552n));
  refuses('not_supported', () => new Layout('t48n8s8@0').compose(NOW_MS, 1, 1));
});

test('js53 stays below two to the 53', () => { // S36
  const layout = new Layout('js53');
  const last = layout.compose(
    layout.expiresMs - layout.tickMs, 2 ** layout.nodeBits - 1, 2 ** layout.seqBits - 1);
  assert.equal(last, BigInt(Number.MAX_SAFE_INTEGER));
});
