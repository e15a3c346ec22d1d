// SPDX-License-Identifier: MIT
// Never run: what the types allow, and on lines marked so, what they must not.
import {
  FlakeError, FlakeErrorCode, FlakeId, FlakeIdString, Generator, Id, Layout, bounds, compose,
  decode, decodeText, encode, nodeFrom,
} from 'flakecore';
import { TestClock } from 'flakecore/testing';

const clock = new TestClock(0n);
using gen = new Generator({
  node: 7, layout: new Layout(), space: 's', mode: 'monotonic', maxWaitMs: 5n, maxLeadMs: 10,
  startFloorMs: 1, ceilingMs: 2n, seqSpreadBits: 1, clockSource: 'coarse', hostGuard: 'on', clock,
});
new Generator({ node: 'env:NODE', layout: '41/10/12' });

const id: FlakeId = gen.nextId();
const text: FlakeIdString = gen.nextIdString();
const maybe: FlakeId | null = gen.tryNextId();
const later: Promise<FlakeId> = gen.nextIdAsync({ signal: new AbortController().signal });
const many: BigUint64Array = gen.nextIds(10);
const filled: number = gen.fill(new BigInt64Array(3)) + gen.fill(many);
for (const each of gen.nextRange(5)) decode(each).time?.toISOString();
for (const each of gen) decode(each);
for await (const each of gen) decode(each);

// An ID is a bigint, its text or an Id, and calculates as a bigint.
const tick: bigint = id >> 22n;
for (const each of [decode(id), decode(text), decode(Id.from(text)), decode(5n, 'discord')]) {
  const ms: bigint = each.unixMs;
  const node: number = each.node;
}
encode(Id.fromNumber(7), 'hex').length;
const parsed: FlakeId = decodeText('7', 'dec');
const value: FlakeId = Id.from(5n).value;
const composed: FlakeId = compose(new Date(), 1, 2n);
const range: [FlakeId, FlakeId] = bounds(0, new Date(), 'twitter');
const found: { node: number; text: string } = nodeFrom('env:NODE');

// A number is no ID.
// @ts-expect-error
decode(7);
// @ts-expect-error
encode(7);
// @ts-expect-error
Id.from(7);
// @ts-expect-error
Id.compare(7, id);
// @ts-expect-error
const number: number = gen.nextId();

// Nor is just any bigint or string an ID for those who ask for one.
function load(order: FlakeId, label: FlakeIdString): void {}
load(id, text);
load(Id.from(5n).value, Id.from('5').toString());
// @ts-expect-error
load(5n, text);
// @ts-expect-error
load(id, '5');
// @ts-expect-error
load(7, text);
// @ts-expect-error
load(text, text);

// Options and codes are known words.
// @ts-expect-error
new Generator();
// @ts-expect-error
new Generator({ node: 1, mode: 'Strict' });
// @ts-expect-error
new Generator({ node: 1, maxWaitMS: 5 });
// @ts-expect-error
new Generator({ node: 1, maxWaitMs: '5' });
// @ts-expect-error
new Generator({ node: null });
// @ts-expect-error
encode(id, 'base64');
// @ts-expect-error
new Layout().timeBits = 3;
// @ts-expect-error
gen.fill(new Float64Array(3));
// @ts-expect-error
new Id(5n);
const code: FlakeErrorCode = 'clock_rewound';
// @ts-expect-error
const wrong: FlakeErrorCode = 'clock_rewind';
try {
  gen.nextId();
} catch (error) {
  if (error instanceof FlakeError && error.code === 'closed') console.log(error.issued.length);
}
