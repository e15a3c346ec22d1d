// SPDX-License-Identifier: MIT
// Many IDs at once: an array, a range of one tick, and an array that is filled in place.
import { Generator, bounds, decode } from 'flakecore';

const gen = new Generator({ node: 7, space: 'batch' });

const ids = gen.nextIds(10_000); // a BigUint64Array of exactly so many, or an error
console.log(ids.length, 'IDs, rising:', ids.every((id, i) => i === 0 || ids[i - 1] < id));

const few = gen.nextRange(100); // at most so many, of one tick, in one native call
console.log(few.length, 'IDs from', String(few.first), 'on:', [...few].length);

console.log(gen.fill(new BigInt64Array(1000)), 'IDs in an array that was there');

try {
  gen.nextIds(10_000_000); // more than the layout allows within maxWaitMs
} catch (error) {
  console.log(error.code, error.issued.length > 0, '-', error.message);
}
gen.close();

const { unixMs } = decode(ids[0]);
const [low, high] = bounds(unixMs, unixMs + 1000n); // one second
console.log(`SELECT * FROM orders WHERE id BETWEEN ${low} AND ${high}`);
