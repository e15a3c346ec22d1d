// SPDX-License-Identifier: MIT
// What processes.test.mjs runs in a worker thread or in a process of child_process.fork.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { Generator } from 'flakecore';

const { task, options } = isMainThread ? JSON.parse(process.argv[2]) : workerData;

function say(what) {
  if (isMainThread) process.send(what, () => process.disconnect());
  else parentPort.postMessage(what);
}

/** Opens, says that it is open, and gives the generator. */
function opened() {
  const gen = new Generator(options);
  gen.nextId();
  say('open');
  return gen;
}

const TASKS = {
  draw() {
    const gen = new Generator(options.options);
    const ids = new BigUint64Array(options.n);
    for (let i = 0; i < ids.length; i += 3) {
      ids[i] = gen.nextId();
      ids.set(gen.nextIds(Math.min(2, ids.length - i - 1)), i + 1);
    }
    say(ids);
  },
  open() {
    try {
      say({ id: new Generator(options).nextId() });
    } catch ({ code, message }) {
      say({ code, message });
    }
  },
  close() {
    opened().close();
  },
  return() {
    globalThis.kept = opened();
  },
  exit() {
    opened();
    process.exit(0);
  },
  throw() {
    opened();
    throw new Error('on purpose');
  },
  wait() {
    opened();
    setInterval(() => {}, 1000);
  },
  busy() {
    const gen = opened();
    for (;;) gen.nextIds(10);
  },
  async async() {
    const gen = opened();
    const slow = { ...options, space: `${options.space}-slow`, layout: '32/10/1*10s' };
    const other = new Generator({ ...slow, maxWaitMs: 60_000 });
    await Promise.all(Array.from({ length: 9 }, () => other.nextIdAsync()));
    gen.nextId();
  },
};

await TASKS[task]();
