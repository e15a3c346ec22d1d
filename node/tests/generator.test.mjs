// SPDX-License-Identifier: MIT
// One generator: IDs one by one, opening and closing, sharing, waits, health, stats.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { inspect } from 'node:util';
import vm from 'node:vm';
import { Generator, Layout, decode } from 'flakecore';
import { TestClock } from 'flakecore/testing';
import { NOW_MS, NS_PER_MS, NS_PER_S, freshClock, freshSpace, node, refuses, rises } from
  './shared.mjs';

setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc');

/** Lets finalizers run, which Node calls in turns of the loop. */
async function collected() {
  for (let i = 0; i < 5; i++) {
    collectGarbage();
    await new Promise((resolve) => { setImmediate(resolve); });
  }
}

const times = (n, call) => Array.from({ length: n }, call);

test('IDs rise and say their node', () => {
  const gen = new Generator({ node: 7, space: freshSpace() });
  const ids = times(10_000, () => gen.nextId());
  assert.ok(rises(ids) && ids[0] > 0n && typeof ids[0] === 'bigint');
  assert.deepEqual(new Set(ids.map((id) => decode(id).node)), new Set([7]));
  assert.ok(Math.abs(decode(ids.at(-1)).time - Date.now()) < 10_000);
  gen.close();
});

test('iteration, text and tries draw from the same numbers', async () => {
  const gen = new Generator({ node: 1, space: freshSpace(), clock: freshClock() });
  const ids = [gen.nextId()];
  for (const id of gen) if (ids.push(id) === 3) break;
  ids.push(BigInt(gen.nextIdString()), gen.tryNextId(), await gen.nextIdAsync());
  for await (const id of gen) if (ids.push(id) === 8) break;
  assert.deepEqual(ids, ids.map((_, i) => ids[0] + BigInt(i)));
});

test('tryNextId gives null instead of waiting', () => {
  const clock = freshClock();
  const gen = new Generator({ node: 1, space: freshSpace(), layout: '41/10/2', clock });
  assert.equal(gen.tryNextId(), null); // the first tick has not begun
  const beforeNs = clock.monotonicNs();
  clock.advance(NS_PER_MS);
  assert.deepEqual(
    times(6, () => gen.tryNextId() === null), [false, false, false, false, true, true]);
  assert.equal(clock.monotonicNs() - beforeNs, NS_PER_MS);
  clock.setWall((NOW_MS - 5000n) * NS_PER_MS);
  refuses('clock_rewound', () => gen.tryNextId());
});

test('a thousand generators made, used and dropped repeat nothing', () => { // S4
  const space = freshSpace();
  const ids = times(1000, () => new Generator({ node: 1, space }).nextId());
  assert.equal(new Set(ids).size, 1000);
});

test('two modules that open one node share or are refused', () => { // S5
  const space = freshSpace();
  const open = (options) => new Generator({ node: 1, space, ...options });
  const both = [open(), open()];
  const ids = times(500, () => both.map((gen) => gen.nextId())).flat();
  assert.equal(new Set(ids).size, 1000);
  refuses('node_in_use', () => open({ maxWaitMs: 7 }), /open in this process with other options/);
  refuses('layout_differs', () => open({ node: 2, layout: '40/11/12' }), /layout t41n10s12/);
});

test('each of the equal ones closes for itself, once', async () => {
  const options = { node: 1, space: freshSpace(), clock: freshClock() };
  const [first, second] = [new Generator(options), new Generator(options)];
  first.close();
  first.close();
  assert.deepEqual([first.closed, second.closed], [true, false]);
  for (const call of [
    () => first.nextId(), () => first.nextIdString(), () => first.tryNextId(),
    () => first.nextIds(2), () => first.nextIds(0), () => first.nextRange(1),
    () => first.fill(new BigInt64Array(1)), () => first.fill(new BigInt64Array(0)),
    () => first.health(), () => first.stats(), () => first[Symbol.iterator]().next(),
  ]) {
    refuses('closed', call);
  }
  await assert.rejects(first.nextIdAsync(), { code: 'closed' });
  const last = second.nextId();
  second.close();
  const again = new Generator(options);
  assert.ok(again.nextId() > last);
});

test('a using block closes it', () => {
  const gen = new Generator({ node: 1, space: freshSpace(), clock: freshClock() });
  assert.equal(typeof Symbol.dispose, 'symbol');
  gen[Symbol.dispose]();
  assert.ok(gen.closed);
});

test('a dropped generator gives its node back', async () => {
  const space = freshSpace();
  (() => new Generator({ node: 1, space }).nextId())();
  await collected();
  new Generator({ node: 1, space, maxWaitMs: 7 }).close();
});

test('a generator whose opening failed leaves nothing behind', async () => {
  const space = freshSpace();
  for (const options of [{}, { node: 1024 }, { node: 1, layout: 3 }, { node: 1, clock: 3 }]) {
    refuses(options.node === 1024 ? 'node_out_of_range' : options.node ? 'invalid_argument' :
      'no_node', () => new Generator({ space, ...options }));
  }
  await collected();
  new Generator({ node: 1, space }).close();
});

test('the test clock lives as long as a generator uses it', async () => {
  const gen = (() => new Generator({ node: 1, space: freshSpace(), clock: freshClock() }))();
  times(100, () => new TestClock(0));
  await collected();
  assert.ok(gen.nextId() > 0n);
});

test('its functions and a call in vain do not outlive it', async () => {
  const { nextId } = new Generator({ node: 1, space: freshSpace() });
  await collected();
  assert.throws(() => nextId(), TypeError);
  assert.throws(() => nextId.call({}), TypeError);
});

test('it says what it is', () => {
  process.env.FLAKE_TEST_NODE = '9';
  const space = freshSpace();
  const chain = 'env:NOT_THERE_AT_ALL,env:FLAKE_TEST_NODE';
  const gen = new Generator({ node: chain, space, clock: freshClock() });
  assert.deepEqual([gen.node, gen.space], [9, space]);
  assert.ok(gen.layout.equals(new Layout()));
  assert.match(gen.nodeText, /FLAKE_TEST_NODE/);
  assert.equal(
    inspect(gen), `<flakecore.Generator node=9 t41n10s12@1735689600000 '${space}', open>`);
});

test('a layout without node field needs no node', () => {
  const gen = new Generator({ layout: '41/0/12', space: freshSpace(), clock: freshClock() });
  assert.ok(gen.node === 0 && gen.nextId() > 0n);
});

test('it works for code of another context', () => {
  const gen = new Generator({ node: 1, space: freshSpace(), clock: freshClock() });
  const context = vm.createContext({ gen, Generator, clock: freshClock(), space: freshSpace() });
  const ids = vm.runInContext('[gen.nextId(), gen.nextId(), ...gen.nextIds(2)]', context);
  assert.ok(rises([...ids]) && ids.length === 4);
  assert.equal(vm.runInContext('gen.fill(new BigUint64Array(5))', context), 5);
  const made = vm.runInContext('new Generator({ node: 3n, space, clock })', context);
  assert.equal(decode(made.nextId()).node, 3);
});

test('10 million IDs leave no memory behind', () => {
  const done = node(`
    import { Generator } from 'flakecore';
    const wide = { node: 1, layout: '32/2/24*1s', maxWaitMs: 5000 };
    const gen = new Generator({ ...wide, space: 'leak' });
    function draw(n) {
      for (let i = 0; i < n; i++) gen.nextId();
      for (let i = 0; i < n / 4; i++) gen.nextIdString();
      for (let i = 0; i < n / 1000; i++) gen.nextIds(250);
      for (let i = 0; i < 200; i++) new Generator({ ...wide, space: 'leak-' + i % 3 }).nextId();
    }
    const settle = async () => {
      for (let i = 0; i < 5; i++) { gc(); await new Promise((done) => setImmediate(done)); }
    };
    draw(1_000_000);
    await settle();
    const before = process.memoryUsage.rss();
    for (let i = 0; i < 7; i++) draw(1_000_000);
    await settle();
    console.log(gen.stats().issued > 10_000_000n, (process.memoryUsage.rss() - before) >> 20);
  `, '--expose-gc');
  assert.equal(done.stderr, '');
  const [enough, grownMiB] = done.stdout.split(' ');
  assert.ok(enough === 'true' && Number(grownMiB) < 48, done.stdout);
});

// ---- clocks -------------------------------------------------------------------------------------

test('a frozen clock gives IDs and then errors, never a repeat', () => { // S27
  const clock = freshClock();
  const gen = new Generator({ node: 1, space: freshSpace(), clock, maxWaitMs: 5 });
  gen.nextId();
  clock.setRate(0);
  const ids = [];
  const codes = [];
  for (let i = 0; i < 5000; i++) {
    try {
      ids.push(gen.nextId());
    } catch (error) {
      codes.push(error.code);
    }
  }
  assert.equal(ids.length, 4095);
  assert.ok(rises(ids) && ids[0] > 0n);
  assert.deepEqual([codes.length, new Set(codes)], [905, new Set(['clock_frozen'])]);
});

test('a rewind is waited out within the limit and refused beyond', () => {
  const clock = freshClock();
  const gen = new Generator({ node: 1, space: freshSpace(), clock, maxWaitMs: 1100 });
  const first = gen.nextId();
  clock.setWall(clock.wallNs() - NS_PER_S);
  const beforeNs = clock.monotonicNs();
  assert.equal(gen.nextId(), first + 1n);
  assert.equal(clock.monotonicNs() - beforeNs, NS_PER_S);
  clock.setWall(clock.wallNs() - 3600n * NS_PER_S);
  for (let i = 0; i < 5; i++) refuses('clock_rewound', () => gen.nextId(), /docs\/clock\.md/);
  const health = gen.health();
  assert.deepEqual([health.level, health.ok, health.status], ['fail', false, 'clock_rewound']);
  assert.deepEqual([health.reasons, health.rewindMs], [['rewound'], 3_600_000n]);
  assert.match(`${health}`, /^fail: /);
  assert.equal(JSON.parse(JSON.stringify(health)).rewindMs, 3_600_000);
  clock.setWall(clock.wallNs() + 3600n * NS_PER_S);
  assert.equal(gen.nextId(), first + 2n);
  const stats = gen.stats();
  assert.deepEqual([stats.issued, stats.refusals, stats.rewindMaxMs], [3n, 5n, 3_600_000n]);
  assert.ok(stats.rewinds > 0n && gen.health().ok);
  assert.equal(JSON.parse(JSON.stringify(stats)).issued, 3);
});

test('exhaustion is counted once for each wait', () => {
  const options = { node: 1, space: freshSpace(), layout: '41/10/4', clock: freshClock() };
  const gen = new Generator(options);
  assert.equal(new Set(times(80, () => gen.nextId())).size, 80);
  assert.deepEqual([gen.stats().exhaustionWaits, gen.stats().issued], [4n, 80n]);
});

test('monotonic mode goes on ahead of the clock', () => {
  const clock = freshClock();
  const options = { node: 1, space: freshSpace(), clock, mode: 'monotonic' };
  refuses('invalid_argument', () => new Generator(options), /monotonic mode needs maxLeadMs/);
  const gen = new Generator({ ...options, maxLeadMs: 10 });
  const beforeNs = clock.monotonicNs();
  assert.equal(new Set(gen.nextIds(4096 * 5)).size, 4096 * 5);
  assert.equal(clock.monotonicNs(), beforeNs);
  assert.ok([4n, 5n].includes(gen.stats().leadMs));
});

test('health and errors call the options alike', () => {
  const clock = freshClock();
  const options = { node: 1, space: freshSpace(), clock, mode: 'monotonic', maxLeadMs: 5 };
  const gen = new Generator({ ...options, ceilingMs: NOW_MS + 1000n });
  gen.nextIds(4096 * 5);
  const { text } = gen.health();
  assert.match(text, /half of maxLeadMs.*below ceilingMs/);
  assert.equal(String(gen.health()), text);
});

test('floor and ceiling', () => {
  const clock = freshClock();
  const gen = new Generator({
    node: 1, space: freshSpace(), clock, startFloorMs: NOW_MS + 50n,
    ceilingMs: Number(NOW_MS) + 52,
  });
  assert.equal(decode(gen.nextId()).unixMs, NOW_MS + 50n);
  clock.advance(60n * NS_PER_MS);
  refuses('ceiling_reached', () => gen.nextId());
});

test('random starts spread the low digits', () => {
  const clock = freshClock();
  const gen = new Generator({ node: 1, space: freshSpace(), clock, seqSpreadBits: 8 });
  const starts = times(200, () => {
    clock.advance(NS_PER_MS);
    return decode(gen.nextId()).sequence;
  });
  assert.ok(new Set(starts).size > 80 && Math.max(...starts) < 256);
});

test('the coarse clock gives IDs, and with the guard off health warns', () => {
  const coarse = new Generator({ node: 1, space: freshSpace(), clockSource: 'coarse' });
  assert.ok(coarse.nextId() < coarse.nextId());
  const open = new Generator({ node: 1, space: freshSpace(), hostGuard: 'unsafe_off' });
  const { level, ok, reasons } = open.health();
  assert.deepEqual([level, ok, reasons.includes('guard_off')], ['warn', true, true]);
});

test('a wait in C ends at the one deadline', () => {
  const gen = new Generator({ node: 1, space: freshSpace(), layout: '32/10/2*10s', maxWaitMs: 50 });
  const started = performance.now();
  assert.throws(
    () => gen.nextIds(9), ({ code }) => ['deadline_passed', 'exhausted'].includes(code));
  const elapsed = performance.now() - started;
  assert.ok(elapsed > 40 && elapsed < 5000, `${elapsed} ms`);
});
