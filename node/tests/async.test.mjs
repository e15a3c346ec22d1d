// SPDX-License-Identifier: MIT
// nextIdAsync: the same IDs, without blocking the event loop.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { ArgumentTypeError, Generator } from 'flakecore';
import { NS_PER_MS, freshClock, freshSpace, node, rejects, rises } from './shared.mjs';

const SLOW = { node: 1, layout: '32/10/1*10s', maxWaitMs: 20_000 };

test('callers at the same time get IDs that differ, each its own in order', async () => {
  const gen = new Generator({ node: 1, space: freshSpace(), maxWaitMs: 60_000 });
  const lists = await Promise.all(Array.from({ length: 50 }, async () => {
    const ids = [];
    for (let i = 0; i < 500; i++) ids.push(await gen.nextIdAsync());
    return ids;
  }));
  assert.ok(lists.every(rises));
  assert.equal(new Set(lists.flat()).size, 25_000);
  gen.close();
});

test('many that wait at once are served in turn and differ', async () => {
  const gen = new Generator({ node: 1, space: freshSpace(), maxWaitMs: 60_000 });
  const ids = await Promise.all(Array.from({ length: 20_000 }, () => gen.nextIdAsync()));
  assert.equal(new Set(ids).size, 20_000);
  gen.close();
});

for (const layout of ['41/10/12', '32/2/24*1s']) {
  test(`timers go on while IDs of ${layout} are drawn without end`, async () => {
    const gen = new Generator({ node: 1, space: freshSpace(), layout, maxWaitMs: 60_000 });
    let drawing = true;
    const drawn = Promise.all(Array.from({ length: 10 }, async () => {
      while (drawing) await gen.nextIdAsync();
    }));
    for (let turns = 0; turns < 20; turns++) await sleep(1);
    drawing = false;
    await drawn;
    gen.close();
  });
}

test('the loop goes on while a call waits', async () => {
  const options = { node: 1, space: freshSpace(), layout: '32/10/1*1s', maxWaitMs: 10_000 };
  const gen = new Generator(options);
  let turns = 0;
  const ticker = setInterval(() => turns++, 5);
  const ids = [await gen.nextIdAsync(), await gen.nextIdAsync(), await gen.nextIdAsync()];
  clearInterval(ticker);
  assert.ok(rises(ids) && turns >= 10, `${turns} turns`);
  gen.close();
});

test('an aborted call ends with the reason, loses no ID and keeps nothing alive', async () => {
  const gen = new Generator({ ...SLOW, space: freshSpace() });
  const reason = new Error('enough');
  await assert.rejects(gen.nextIdAsync({ signal: AbortSignal.abort(reason) }), reason);
  const abort = new AbortController();
  const waiting = Array.from({ length: 3 }, () => gen.nextIdAsync({ signal: abort.signal }));
  const other = gen.nextIdAsync();
  await sleep(5);
  abort.abort(reason);
  for (const each of waiting) await assert.rejects(each, reason);
  assert.equal(gen.stats().issued, 0n);
  gen.close();
  await rejects('closed', other);
});

test('first come, first served, whenever the clock and the loop move', async () => {
  const moves = fc.constantFrom('call', 'call', 'call', 'advance', 'turn', 'many');
  await fc.assert(fc.asyncProperty(fc.array(moves, { maxLength: 40 }), async (list) => {
    const clock = freshClock();
    const options = { node: 1, space: freshSpace(), layout: '41/10/2', maxWaitMs: 1000, clock };
    const gen = new Generator(options);
    const calls = [];
    const call = (n) => { for (let i = 0; i < n; i++) calls.push(gen.nextIdAsync()); };
    for (const move of list) {
      if (move === 'call') call(3);
      else if (move === 'many') call(300);
      else if (move === 'advance') clock.advance(NS_PER_MS);
      else await new Promise((resolve) => { setImmediate(resolve); });
    }
    assert.ok(rises(await Promise.all(calls)));
    gen.close();
  }), { numRuns: 50 });
});

test('a call that comes when IDs are there again leaves them to those who wait', async () => {
  const clock = freshClock();
  const gen = new Generator({ node: 1, space: freshSpace(), layout: '41/10/2', clock });
  const calls = Array.from({ length: 3 }, () => gen.nextIdAsync());
  clock.advance(NS_PER_MS);
  calls.push(gen.nextIdAsync());
  assert.ok(rises(await Promise.all(calls)));
  gen.close();
});

test('it does not wait on fake timers', () => {
  const done = node(`
    import { mock } from 'node:test';
    import { Generator } from 'flakecore';
    const options = { node: 1, layout: '41/10/1', space: 'fake', maxWaitMs: 60_000 };
    const gen = new Generator(options);
    mock.timers.enable();
    const ids = await Promise.all(Array.from({ length: 300 }, () => gen.nextIdAsync()));
    console.log(new Set(ids).size);
  `, '--no-warnings');
  assert.deepEqual([done.stderr, done.stdout], ['', '300\n']);
});

test('what are no options is refused by the promise', async () => {
  const gen = new Generator({ node: 1, space: freshSpace(), clock: freshClock() });
  const { signal } = new AbortController();
  for (const options of [null, 7, 'signal', true, [], signal, new Map()]) {
    const error = await rejects(
      'invalid_argument', gen.nextIdAsync(options), /options must be an object with signal, not /);
    assert.ok(error instanceof ArgumentTypeError);
  }
  await rejects('invalid_argument', gen.nextIdAsync({ timeout: 5 }), /no option 'timeout'/);
  assert.equal(gen.stats().issued, 0n);
  for (const options of [undefined, {}, { signal }, { signal: undefined }]) {
    assert.ok(await gen.nextIdAsync(options) > 0n);
  }
});

test('one signal for many calls has one listener, and none afterwards', () => {
  const done = node(`
    import { getEventListeners } from 'node:events';
    import { Generator } from 'flakecore';
    const gen = new Generator({ node: 1, layout: '32/10/1*10s', space: 'one', maxWaitMs: 60_000 });
    const [one, other] = [new AbortController(), new AbortController()];
    const calls = [...Array(30)].map(() => gen.nextIdAsync({ signal: one.signal }));
    const last = gen.nextIdAsync({ signal: other.signal });
    const listeners = ({ signal }) => getEventListeners(signal, 'abort').length;
    const before = [one, other].map(listeners);
    one.abort();
    const ends = (await Promise.allSettled(calls)).map(({ reason }) => reason.name);
    gen.close();
    const [{ reason }] = await Promise.allSettled([last]);
    console.log(...before, ...new Set(ends), reason.code, ...[one, other].map(listeners));
  `);
  assert.deepEqual([done.stderr, done.stdout], ['', '1 1 AbortError closed 0 0\n']);
});

test('what is no signal is refused', async () => {
  const gen = new Generator({ node: 1, space: freshSpace(), clock: freshClock() });
  for (const signal of [null, 7, true, {}, 'abort', new AbortController()]) {
    await rejects('invalid_argument', gen.nextIdAsync({ signal }), /must be an AbortSignal/);
  }
  assert.equal(gen.stats().issued, 0n);
});

test('a signal that stays does not gather listeners', async () => {
  const done = node(`
    import { Generator } from 'flakecore';
    const gen = new Generator({ node: 1, space: 'signal', layout: '41/10/4', maxWaitMs: 60_000 });
    const { signal } = new AbortController();
    for (let i = 0; i < 500; i++) await gen.nextIdAsync({ signal });
    const { getEventListeners } = await import('node:events');
    console.log(getEventListeners(signal, 'abort').length);
  `);
  assert.deepEqual([done.stderr, done.stdout], ['', '0\n']);
});

test('closing ends the calls that wait, and the others go on', async () => {
  const space = freshSpace();
  const [gen, twin] = [new Generator({ ...SLOW, space }), new Generator({ ...SLOW, space })];
  const waiting = [gen.nextIdAsync(), gen.nextIdAsync()];
  const others = twin.nextIdAsync();
  gen.close();
  for (const each of waiting) await rejects('closed', each);
  await rejects('closed', gen.nextIdAsync());
  twin.close();
  await rejects('closed', others);
});

test('it waits on the test clock and fails as nextId does', async () => {
  const clock = freshClock();
  const options = { node: 1, space: freshSpace(), layout: '41/10/2', maxWaitMs: 5 };
  const gen = new Generator({ ...options, clock });
  const ids = [];
  for (let i = 0; i < 9; i++) ids.push(await gen.nextIdAsync());
  clock.setRate(0);
  const rest = await Promise.allSettled(Array.from({ length: 9 }, () => gen.nextIdAsync()));
  const codes = rest.filter(({ status }) => status === 'rejected').map(({ reason }) => reason.code);
  ids.push(...rest.filter(({ value }) => value).map(({ value }) => value));
  assert.deepEqual(codes, Array(6).fill('clock_frozen'));
  assert.ok(rises(ids) && ids.length === 12);
  gen.close();
});

test('a deadline bounds each call, however many wait', async () => {
  const gen = new Generator({ node: 1, space: freshSpace(), layout: '32/10/1*10s', maxWaitMs: 50 });
  const started = performance.now();
  const rest = await Promise.allSettled(Array.from({ length: 2000 }, () => gen.nextIdAsync()));
  const codes = new Set(rest.map(({ reason }) => reason?.code));
  codes.delete(undefined); // a tick of 10 s may have begun just then
  for (const code of codes) assert.ok(['deadline_passed', 'exhausted'].includes(code), code);
  assert.ok(rest.filter(({ status }) => status === 'fulfilled').length <= 4);
  assert.ok(performance.now() - started < 10_000);
  gen.close();
});

test('a process ends when nobody waits any more', () => {
  const done = node(`
    import { Generator } from 'flakecore';
    const options = { node: 1, layout: '32/10/1*10s', maxWaitMs: 60_000 };
    const gen = new Generator({ ...options, space: 'ends-a' });
    const abort = new AbortController();
    gen.nextIdAsync({ signal: abort.signal }).catch(() => console.log('aborted'));
    abort.abort();
    const other = new Generator({ ...options, space: 'ends-b' });
    other.nextIdAsync().catch((error) => console.log(error.code));
    other.close();
  `);
  assert.deepEqual([done.stderr, done.stdout.split('\n').sort()], ['', ['', 'aborted', 'closed']]);
  assert.equal(done.status, 0);
});
