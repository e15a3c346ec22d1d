// SPDX-License-Identifier: MIT
// Many IDs: arrays, ranges, and arrays that are filled in place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import fc from 'fast-check';
import { ArgumentTypeError, Generator, Layout } from 'flakecore';
import { NOW_MS, NS_PER_MS, freshClock, freshSpace, node, refuses, rises } from './shared.mjs';

const LAYOUTS = ['snowflake', '41/10/4', 'sonyflake', '41/10/1', '32/2/24*1s'];

const DRAWS = {
  ids: (gen, n) => [...gen.nextIds(n)],
  one: (gen) => [gen.nextId()],
  fill(gen, n) {
    const ids = new BigInt64Array(n);
    assert.equal(gen.fill(ids), n);
    return [...ids];
  },
  range(gen, n) {
    const range = gen.nextRange(n);
    const ids = [...range];
    assert.ok(range.length >= 1 && range.length <= n && ids.length === range.length);
    assert.ok(range.stride === gen.layout.stride && ids[0] === range.first);
    assert.equal(new Set(ids.map((id) => gen.layout.decode(id).tick)).size, 1);
    return ids;
  },
};

test('all ways to many IDs draw rising ones from the same numbers', () => {
  const draw = fc.tuple(fc.constantFrom(...Object.keys(DRAWS)), fc.integer({ min: 1, max: 70 }));
  const draws = fc.array(draw, { minLength: 1, maxLength: 12 });
  fc.assert(fc.property(fc.constantFrom(...LAYOUTS), draws, (layout, list) => {
    const gen = new Generator({ node: 1, layout, space: freshSpace(), clock: freshClock() });
    const ids = list.flatMap(([way, n]) => DRAWS[way](gen, n));
    assert.ok(rises(ids));
    assert.equal(gen.stats().issued, BigInt(ids.length));
    gen.close();
  }));
});

for (const n of [0, 1, 2, 2048, 2049, 4095, 4096n, 4097, 20_000]) {
  test(`nextIds gives exactly ${n}`, () => {
    const gen = new Generator({ node: 1, space: freshSpace() });
    const ids = gen.nextIds(n);
    assert.ok(ids instanceof BigUint64Array && ids.length === Number(n) && rises([...ids]));
    assert.equal(gen.stats().issued, BigInt(n));
    gen.close();
  });
}

test('no array is touched by what is drawn later', () => {
  const gen = new Generator({ node: 1, space: freshSpace(), layout: '32/2/24*1s' });
  const all = Array.from({ length: 2000 }, (_, i) => gen.nextIds(1 + (i % 300)));
  const ids = all.flatMap((each) => [...each]);
  assert.ok(rises(ids));
  assert.equal(gen.stats().issued, BigInt(ids.length));
  gen.close();
});

test('an array of IDs cannot be moved away with others that share its buffer', () => {
  const gen = new Generator({ node: 1, space: freshSpace(), clock: freshClock() });
  const [first, second] = [gen.nextIds(3), gen.nextIds(3)];
  assert.equal(first.buffer, second.buffer);
  const { port1, port2 } = new MessageChannel();
  try {
    port1.postMessage(first, [first.buffer]);
  } catch (error) {
    assert.equal(error.name, 'DataCloneError');
  }
  port1.close();
  port2.close();
  assert.ok(rises([...first, ...second]) && second.length === 3);
});

test('an error in the middle hands over what was issued', () => {
  const gen = new Generator({ node: 1, space: freshSpace(), clock: freshClock(), maxWaitMs: 3 });
  const { issued } = refuses('exhausted', () => gen.nextIds(100_000));
  assert.equal(gen.stats().issued, BigInt(issued.length));
  assert.ok(rises([...issued]) && issued.length % 4096 === 0);
  assert.ok(issued.length >= 4096 && issued.length <= 4 * 4096);
  assert.ok(gen.nextId() > issued.at(-1));
  const ids = new BigInt64Array(100_000).fill(-1n);
  const filled = gen.fill(ids);
  assert.ok(filled > 0 && filled < 100_000);
  assert.ok(ids.subarray(filled).every((id) => id === -1n) && rises([...ids.subarray(0, filled)]));
});

test('an error before the first ID is thrown by all', () => {
  const clock = freshClock();
  const gen = new Generator({ node: 1, space: freshSpace(), clock });
  gen.nextId();
  clock.setWall((NOW_MS - 10_000n) * NS_PER_MS);
  for (const call of [() => gen.nextIds(5), () => gen.nextRange(5),
    () => gen.fill(new BigUint64Array(1))]) {
    assert.equal(refuses('clock_rewound', call).issued.length, 0);
  }
});

test('a range counts in strides where the sequence is not lowest', () => {
  const layout = new Layout('sonyflake');
  const gen = new Generator({ node: 3, layout, space: freshSpace(), clock: freshClock() });
  const range = gen.nextRange(5);
  assert.ok(layout.stride > 1n && range.stride === layout.stride);
  assert.deepEqual([...range].map((id) => layout.decode(id).sequence), [0, 1, 2, 3, 4]);
  assert.deepEqual([...gen.nextIds(2)].map((id) => layout.decode(id).sequence), [5, 6]);
});

test('arrays of 64 bits are filled in place, wherever they lie', () => {
  const gen = new Generator({ node: 1, space: freshSpace() });
  const memory = new ArrayBuffer(160);
  for (const ids of [
    new BigInt64Array(10), new BigUint64Array(10), new BigInt64Array(memory, 40, 10),
    new BigUint64Array(new SharedArrayBuffer(80)), new BigInt64Array(20).subarray(5, 15),
  ]) {
    assert.equal(gen.fill(ids), 10);
    assert.ok(rises([...ids]) && ids[0] > 0n && gen.nextId() > ids[9]);
  }
  assert.deepEqual([...new BigInt64Array(memory, 0, 5), new BigInt64Array(memory, 120)[0]],
    Array(6).fill(0n));
  gen.close();
});

test('other arrays are refused and untouched', () => {
  const gen = new Generator({ node: 1, space: freshSpace() });
  for (const ids of [undefined, null, 7, 'text', [0n, 0n], new Float64Array(2), Buffer.alloc(16),
    new ArrayBuffer(16), new DataView(new ArrayBuffer(16)), { length: 2 }]) {
    refuses('invalid_argument', () => gen.fill(ids), /is no BigInt64Array or BigUint64Array/);
  }
  assert.equal(gen.stats().issued, 0n);
  gen.close();
});

test('nothing is drawn into an array that is empty', () => {
  const gen = new Generator({ node: 1, space: freshSpace() });
  assert.deepEqual([gen.fill(new BigUint64Array(0)), gen.nextIds(0).length], [0, 0]);
  assert.equal(gen.stats().issued, 0n);
  gen.close();
});

test('an array whose memory was moved away or shrunk is refused', () => {
  const gen = new Generator({ node: 1, space: freshSpace() });
  const moved = [new BigInt64Array(3), new BigUint64Array(3)];
  for (const ids of moved) structuredClone(ids, { transfer: [ids.buffer] });
  const memory = new ArrayBuffer(24, { maxByteLength: 24 });
  const shrunk = [new BigInt64Array(memory, 0, 3), new BigInt64Array(memory, 16)];
  memory.resize?.(8); // Node 18 has none
  for (const ids of memory.resize ? [...moved, ...shrunk] : moved) {
    const error = refuses('invalid_argument', () => gen.fill(ids), /moved away, or shrunk/);
    assert.ok(error instanceof ArgumentTypeError);
  }
  assert.equal(gen.stats().issued, 0n);
  gen.close();
});

test('fill says how many there are, whatever the array says of its length', () => {
  const gen = new Generator({ node: 1, space: freshSpace() });
  class Liar extends BigInt64Array {
    get length() {
      return 1000;
    }
  }
  const own = Object.defineProperty(new BigUint64Array(3), 'length', { value: 7 });
  assert.deepEqual([gen.fill(new Liar(2)), gen.fill(own)], [2, 3]);
  assert.equal(gen.stats().issued, 5n);
  gen.close();
});

test('ranges and errors go into JSON, and the IDs of an error stay out of it', () => {
  const options = { node: 1, space: freshSpace(), clock: freshClock(), maxWaitMs: 3 };
  const gen = new Generator(options);
  const range = gen.nextRange(3);
  assert.equal(JSON.stringify({ range }), JSON.stringify({ range: [...range].map(String) }));
  const error = refuses('exhausted', () => gen.nextIds(100_000));
  assert.ok(error.issued.length > 0);
  const { message } = error;
  const parsed = JSON.parse(JSON.stringify(error));
  assert.deepEqual(parsed, { code: 'exhausted', kind: 'retry', message });
  assert.deepEqual(Object.keys(error).sort(), ['code', 'status']);
});

test('counts that are none are refused', () => {
  const gen = new Generator({ node: 1, space: freshSpace() });
  const calls = [(n) => gen.nextIds(n), (n) => gen.nextRange(n)];
  for (const call of calls) {
    for (const n of [-1, -1n, 2n ** 53n, 2n ** 63n]) {
      refuses('invalid_argument', () => call(n), /n is .*; it must lie in [01]\.\.90071992547409/);
    }
    for (const n of [1.5, 2 ** 53, NaN, true, null, undefined, '7', [1]]) {
      refuses('invalid_argument', () => call(n), /^n /);
    }
  }
  refuses('invalid_argument', () => gen.nextRange(0));
  for (const n of [2 ** 40, 2n ** 45n, Number.MAX_SAFE_INTEGER]) {
    refuses('out_of_memory', () => gen.nextIds(n), new RegExp(`^n is ${n}; .*draw fewer`));
  }
  assert.ok(gen.nextRange(Number.MAX_SAFE_INTEGER).length <= 4096);
  gen.close();
});

test('an array of none can be had first, and where a piece of memory is spent', () => {
  const done = node(`
    import { Generator } from 'flakecore';
    const gen = new Generator({ node: 1, space: '${freshSpace()}', layout: '32/2/24*1s' });
    const none = gen.nextIds(0).length;
    for (let left = 1; left > 0;) {
      const ids = gen.nextIds(1024);
      left = ids.buffer.byteLength - ids.byteOffset - ids.byteLength;
    }
    console.log(none, gen.nextIds(0).length, gen.nextIds(1).length);
  `);
  assert.deepEqual([done.stderr, done.stdout], ['', '0 0 1\n']);
});
