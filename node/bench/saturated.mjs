// SPDX-License-Identifier: MIT
// Draws IDs of the default layout as fast as they can be had, looks for repeats, and at the event
// loop while nextIdAsync is asked without end.
//
// usage: node saturated.mjs [SECONDS]    prints JSON: for each generator the share of 4,096 IDs per
// ms that it gave and its CPU time for each ID in ns (those above 4,096 a ms can only be repeats,
// and do not count); for each way of use the IDs that were there twice; and how late a timer of
// 1 ms was, in ms, while so many callers draw
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Generator } from 'flakecore';
import { PEERS } from './peers.mjs';

const MOST_PER_MS = 4096;
const DRAWN = 40_000;

const makers = {
  flakecore(node) {
    const gen = new Generator({ node, space: 'bench-saturated' });
    return () => gen.nextId();
  },
  ...PEERS,
};

/** Calls draw(), which says how many it drew, for so long. */
function saturated(draw, seconds) {
  let count = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const end = start + 1000 * seconds;
  while (performance.now() < end) count += draw();
  const elapsed = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  const most = elapsed * MOST_PER_MS;
  return { rate: (100 * count) / most, cpu: (1000 * (user + system)) / Math.min(count, most) };
}

function thousand(next) {
  return () => {
    for (let i = 0; i < 1000; i++) next();
    return 1000;
  };
}

// ---- repeats ------------------------------------------------------------------------------------

const repeats = (ids) => ids.length - new Set(ids).size;
const drawn = (n, next) => Array.from({ length: n }, () => next());

const ways = {
  'as fast as it can': (make) => repeats(drawn(DRAWN, make(1))),
  'a new one for each ID': (make) => repeats(drawn(1000, () => make(1)())),
  'two of one node'(make) {
    const [first, second] = [make(1), make(1)];
    return repeats(drawn(1000, () => [first(), second()]).flat());
  },
};

// ---- the event loop -----------------------------------------------------------------------------

async function asynchronous(callers, seconds) {
  const gen = new Generator({ node: 1, space: 'bench-async', maxWaitMs: 10_000 });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let count = 0;
  const start = performance.now();
  const end = start + 1000 * seconds;
  delay.enable();
  await Promise.all(Array.from({ length: callers }, async () => {
    for (; performance.now() < end; count++) await gen.nextIdAsync();
  }));
  delay.disable();
  const rate = (100 * count) / (performance.now() - start) / MOST_PER_MS;
  gen.close();
  return { rate, p99: delay.percentile(99) / 1e6, most: delay.max / 1e6 };
}

const seconds = Number(process.argv[2] ?? 1);
const result = { saturated: {}, repeats: {}, loop: {} };
for (const [name, make] of Object.entries(makers)) {
  result.saturated[name] = saturated(thousand(make(1)), seconds);
  result.repeats[name] = Object.fromEntries(
    Object.entries(ways).map(([way, count]) => [way, count(make)]));
}
const many = new Generator({ node: 1, space: 'bench-saturated-many' });
result.saturated['flakecore, nextIds'] = saturated(() => many.nextIds(1000).length, seconds);
for (const callers of [1, 100, 1000]) result.loop[callers] = await asynchronous(callers, seconds);
console.log(JSON.stringify(result));
