// SPDX-License-Identifier: MIT
// Worker threads, other processes of the host, and how they end.
import assert from 'node:assert/strict';
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Generator } from 'flakecore';
import { NODE, NOW_MS, NS_PER_MS, freshSpace, node, refuses, rises } from './shared.mjs';

const DRAWN = 30_000;
const CHILD = new URL('child.mjs', import.meta.url);

/** A worker thread that runs a task of child.mjs. */
function worker(task, options) {
  return new Worker(CHILD, { workerData: { task, options } });
}

/** What the worker thread says; it has ended then. */
async function answer(task, options) {
  const thread = worker(task, options);
  const [[said]] = await Promise.all([once(thread, 'message'), once(thread, 'exit')]);
  return said;
}

/** A process of child_process.fork; what it says, and its exit status. */
async function forked(task, options) {
  const child = fork(CHILD, [JSON.stringify({ task, options })], { serialization: 'advanced' });
  const [[said], [status]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
  assert.equal(status, 0);
  return said;
}

// ---- worker threads -----------------------------------------------------------------------------

test('the main thread and its workers draw from the same numbers at once', async () => {
  const options = { node: 1, space: freshSpace(), maxWaitMs: 60_000 };
  const gen = new Generator(options);
  const others = Array.from({ length: 4 }, () => answer('draw', { options, n: DRAWN }));
  const ids = [];
  while (ids.length < DRAWN) ids.push(...gen.nextIds(100), gen.nextId(), await gen.nextIdAsync());
  const lists = await Promise.all(others);
  assert.ok([ids, ...lists.map((list) => [...list])].every(rises));
  assert.equal(new Set([...ids, ...lists.flatMap((list) => [...list])]).size,
    4 * DRAWN + ids.length);
  gen.close();
});

for (const [ending, task] of [
  ['returns', 'return'], ['exits', 'exit'], ['throws', 'throw'], ['is terminated', 'wait'],
  ['is terminated while it draws', 'busy'], ['is terminated while a call waits', 'async'],
]) {
  test(`a worker that ${ending} gives its node back`, async () => {
    const space = freshSpace();
    const thread = worker(task, { node: 1, space });
    thread.on('error', () => {}); // it may come before the message, which once would not wait for
    const ended = new Promise((resolve) => { thread.on('exit', resolve); });
    await new Promise((resolve) => { thread.on('message', resolve); });
    if (ending.includes('terminated')) await thread.terminate();
    await ended;
    new Generator({ node: 1, space, maxWaitMs: 7 }).close();
  });
}

test('a worker that closed its generator, or ends, leaves the equal ones open', async () => {
  const options = { node: 1, space: freshSpace() };
  const gen = new Generator(options);
  await answer('close', options);
  await answer('return', options);
  assert.ok(gen.nextId() > 0n && gen.health().ok);
  refuses('node_in_use', () => new Generator({ ...options, maxWaitMs: 7 }));
  gen.close();
});

test('a generator cannot be handed to a worker', () => {
  const gen = new Generator({ node: 1, space: freshSpace() });
  const copy = structuredClone(gen);
  assert.throws(() => copy.nextId(), TypeError);
  gen.close();
});

/** What a process says whose main thread does not load the package: its workers do, in turn. */
function workersInTurn(...bodies) {
  return node(`
    import { once } from 'node:events';
    import { Worker } from 'node:worker_threads';
    const seen = new Set();
    let count = 0;
    for (const body of ${JSON.stringify(bodies)}) {
      const worker = new Worker(
        "(async () => { const { Generator } = require('flakecore');" +
        "const { TestClock } = require('flakecore/testing');" +
        "const say = (ids) => require('worker_threads').parentPort.postMessage(ids);" +
        body + "})()", { eval: true, execArgv: [] });
      const [[ids]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
      for (const id of ids) seen.add(id);
      count += ids.length;
    }
    console.log(count, count - seen.size);
  `);
}

test('workers one after the other repeat nothing, also ahead of the clock', () => {
  const draw = `
    const gen = new Generator({ node: 1, space: '${freshSpace()}', layout: '41/10/6',
      mode: 'monotonic', maxLeadMs: 5000 });
    const ids = [];
    for (let i = 0; i < 50_000; i++) ids.push(gen.tryNextId() ?? gen.nextId());
    say(ids);`;
  const done = workersInTurn(draw, draw);
  assert.deepEqual([done.stderr, done.stdout], ['', '100000 0\n']);
});

test('a worker after another repeats nothing when the clock was set back', () => {
  const space = freshSpace();
  const draw = (wallNs) => `
    const clock = new TestClock(${wallNs}n);
    const gen = new Generator({ node: 1, space: '${space}', maxWaitMs: 86_400_000, clock });
    say([...gen.nextIds(20_000)]);`;
  const done = workersInTurn(
    draw(NOW_MS * NS_PER_MS), draw((NOW_MS - 2n) * NS_PER_MS), draw(NOW_MS * NS_PER_MS));
  assert.deepEqual([done.stderr, done.stdout], ['', '60000 0\n']);
});

// ---- processes ----------------------------------------------------------------------------------

test('a forked process cannot open the node of its living parent', async () => {
  const space = freshSpace();
  const gen = new Generator({ node: 1, space });
  const { code, message } = await forked('open', { node: 1, space });
  assert.equal(code, 'node_in_use');
  assert.match(message, new RegExp(`process ${process.pid}`));
  assert.ok(gen.nextId() > 0n);
  gen.close();
  assert.ok((await forked('open', { node: 1, space })).id > 0n);
});

test('forked processes with nodes of their own never overlap', async () => {
  const space = freshSpace();
  const lists = await Promise.all([1, 2, 3].map(
    (number) => forked('draw', { options: { node: number, space }, n: DRAWN })));
  assert.equal(new Set(lists.flatMap((list) => [...list])).size, 3 * DRAWN);
});

test('workers of a cluster: each with a node of its own, and one node only once', () => {
  const done = spawnSync(
    process.execPath, [fileURLToPath(new URL('cluster.mjs', import.meta.url)), freshSpace()],
    { encoding: 'utf8', timeout: 120_000 });
  assert.deepEqual([done.stderr, done.stdout], ['', '4000 3\n']);
});

test('stopped and started again the IDs go on', async () => { // S6
  const options = { node: 1, space: freshSpace() };
  const ids = [];
  for (let i = 0; i < 4; i++) ids.push((await forked('open', options)).id);
  assert.ok(rises(ids));
});

test('a kill frees the node', async () => {
  const space = freshSpace();
  const program = `
    import { Generator } from 'flakecore';
    const gen = new Generator({ node: 1, space: '${space}' });
    console.log(String(gen.nextId()));
    setInterval(() => {}, 1000);
  `;
  const child = spawn(
    process.execPath, ['--input-type=module', '--eval', program], { cwd: NODE });
  const [first] = await once(child.stdout, 'data');
  refuses('node_in_use', () => new Generator({ node: 1, space }));
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.ok(new Generator({ node: 1, space }).nextId() > BigInt(String(first).trim()));
});

for (const ending of [
  '', 'process.exit(0)', "process.on('exit', () => gen.nextId())", 'globalThis.kept = gen',
  'gen.close()',
  'process.kill(process.pid, "SIGTERM"); await new Promise((f) => setTimeout(f, 9e3))',
]) {
  test(`a process ends quietly: ${ending || 'by itself'}`, () => {
    const done = node(`
      import { Generator } from 'flakecore';
      import { TestClock } from 'flakecore/testing';
      const gen = new Generator({ node: 1, space: '${freshSpace()}' });
      const clock = new TestClock(1_750_000_000_000_000_000n);
      new Generator({ node: 2, space: '${freshSpace()}', clock }).nextId();
      gen.nextId();
      ${ending}
    `);
    assert.deepEqual([done.stderr, done.stdout], ['', '']);
    assert.equal(done.status, ending.includes('SIGTERM') ? null : 0);
  });
}

test('opening is quick and looks nothing up', () => { // S9
  const started = performance.now();
  new Generator({ node: 1, space: freshSpace() }).close();
  assert.ok(performance.now() - started < 500);
});

test('a run directory that is not there is an error that says what to do', () => {
  const before = process.env.FLAKECORE_RUN_DIR;
  process.env.FLAKECORE_RUN_DIR = '/nope/nope';
  refuses('no_run_dir', () => new Generator({ node: 1, space: freshSpace() }),
    /set FLAKECORE_RUN_DIR/);
  process.env.FLAKECORE_RUN_DIR = before;
});
