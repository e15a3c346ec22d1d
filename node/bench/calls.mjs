// SPDX-License-Identifier: MIT
// Times the calls with mitata; node/bench/run does it once a round. Prints JSON: ns by name.
//
// Batches are drawn in monotonic mode, so that no layout caps them. "per call" is in the name of
// what is not counted for each ID. The argument seeds the order.
import { do_not_optimize as keep, measure } from 'mitata';
import { Generator } from 'flakecore';
import { Careful, PEERS } from './peers.mjs';

const N = 1000;

/** Strict, 16,777,216 IDs a second. */
const wide = new Generator({ node: 1, layout: '32/2/24*1s', space: 'bench', maxWaitMs: 5000 });
const many = new Generator({
  node: 1, layout: '30/1/32*1s', space: 'bench-batches', mode: 'monotonic', maxLeadMs: 86_400_000,
});
const careful = new Careful(1, true);
const ids = new BigUint64Array(N);
const peers = Object.fromEntries(
  Object.entries(PEERS).slice(1).map(([name, make]) => [name, make(1)]));

const timed = {
  'nextId': [1, () => keep(wide.nextId())],
  'nextIdString': [1, () => keep(wide.nextIdString())],
  'tryNextId': [1, () => keep(wide.tryNextId())],
  'careful': [1, () => keep(careful.nextId())],
  'careful, toString': [1, () => keep(careful.nextId().toString())],
  'nextIds(1000)': [N, () => keep(many.nextIds(N))],
  'fill 1000': [N, () => keep(many.fill(ids))],
  'nextRange(1000), per call': [1, () => keep(many.nextRange(N))],
  'nextIdAsync': [1, async () => keep(await wide.nextIdAsync())],
  ...Object.fromEntries(
    Object.entries(peers).map(([name, next]) => [name, [1, () => keep(next())]])),
};

/** The names in an order that the seed decides. */
function shuffled(names, seed) {
  const key = (name) => [...`${seed}${name}`].reduce(
    (sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 0x01000193) >>> 0, 0x811c9dc5);
  return names.sort((a, b) => key(a) - key(b));
}

wide.nextId();
many.nextId();
const found = {};
for (const name of shuffled(Object.keys(timed), process.argv[2] ?? '')) {
  const [count, call] = timed[name];
  const { p50 } = await measure(call, { min_cpu_time: 150e6, inner_gc: false });
  found[name] = p50 / count;
}
console.log(JSON.stringify(found));
