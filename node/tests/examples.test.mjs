// SPDX-License-Identifier: MIT
// The examples, run as people run them.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { Generator, decode } from 'flakecore';
import { serverOf } from '../examples/web.mjs';
import { NODE, NS_PER_S, freshClock, freshSpace, rises } from './shared.mjs';

const example = (name) => join(NODE, 'examples', name);

function lines(name) {
  const done = spawnSync(process.execPath, [example(name)], { encoding: 'utf8', timeout: 60_000 });
  assert.deepEqual([done.status, done.stderr], [0, '']);
  return done.stdout.trimEnd().split('\n');
}

/** [status, body] of a request. */
async function call(method, url, signal) {
  const response = await fetch(url, { method, headers: { Connection: 'close' }, signal });
  return [response.status, await response.json()];
}

test('quickstart', () => {
  const [first, second, third, parts] = lines('quickstart.mjs');
  assert.ok(rises([first, second, third].map(BigInt)));
  const { iso, sequence } = decode(third);
  assert.equal(parts, `${iso}, node 7, sequence ${sequence}`);
});

test('batch', () => {
  const found = lines('batch.mjs');
  assert.equal(found[0], '10000 IDs, rising: true');
  assert.match(found[1], /^([0-9]+) IDs from [0-9]+ on: \1$/);
  assert.equal(found[2], '1000 IDs in an array that was there');
  assert.match(found[3], /^exhausted true - every sequence number that may be used now is spent/);
  assert.match(found[4], / BETWEEN [0-9]+ AND [0-9]+$/);
});

test('web as a program', async () => { // S35
  const program = spawn(
    process.execPath, [example('web.mjs'), '0'], { env: { ...process.env, NODE: '7' } });
  let err = '';
  program.stderr.on('data', (text) => { err += text; });
  const [line] = await once(program.stdout, 'data');
  const url = String(line).trim();
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => call('POST', `${url}/orders`)));
  assert.ok(answers.every(([status]) => status === 201));
  const ids = answers.map(([, body]) => body.id);
  assert.ok(ids.every((id) => typeof id === 'string' && decode(id).node === 7));
  assert.equal(new Set(ids).size, 100);
  assert.equal((await call('GET', `${url}/healthz`))[0], 200);
  assert.equal((await call('GET', url))[0], 404);
  program.kill('SIGINT');
  assert.deepEqual(await once(program, 'exit'), [0, null]);
  assert.equal(err, '');
});

test('web answers 503 while the generator refuses', async () => {
  const clock = freshClock();
  const gen = new Generator({ node: 7, space: freshSpace(), clock });
  const server = serverOf(gen).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  assert.equal((await call('POST', `${url}/orders`))[0], 201);
  clock.setWall(clock.wallNs() - 3600n * NS_PER_S);
  const [status, { health }] = await call('GET', `${url}/healthz`);
  assert.equal(status, 503);
  assert.match(health, /^fail: /);
  const [refused, { error }] = await call('POST', `${url}/orders`);
  assert.deepEqual([refused, error], [503, 'clock_rewound']);
  clock.setWall(clock.wallNs() + 3600n * NS_PER_S);
  assert.deepEqual(await call('GET', `${url}/healthz`), [200, { health: 'ok' }]);
  server.close();
  gen.close();
});

/** The example of cluster on a free port; started(): the process of a worker, and its address. */
function prefork(nodes) {
  const program = spawn(
    process.execPath, [example('prefork.mjs'), '4', '0'],
    { env: { ...process.env, NODES: nodes } });
  const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
  let err = '';
  program.stderr.on('data', (text) => { err += text; });
  const started = async () => /^worker (\d+) at (.*)$/.exec((await lines.next()).value).slice(1);
  return { program, started, err: () => err };
}

/** The ID of one request, which is sent anew when its worker was killed. */
async function drawn(url) {
  for (;;) {
    try {
      const patience = AbortSignal.timeout(5000); // it may have been handed to the dead worker
      const [status, { id }] = await call('POST', `${url}/orders`, patience);
      assert.equal(status, 201);
      return BigInt(id);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
    }
  }
}

test('the workers of a cluster never share an ID, also when one is killed', async () => { // S2
  const { program, started, err } = prefork('16-31');
  const workers = [await started(), await started(), await started(), await started()];
  const [[pid, url]] = workers;
  const draw = (n) => Array.from({ length: n }, () => drawn(url));
  const requests = draw(200);
  process.kill(Number(pid), 'SIGKILL');
  await started();
  requests.push(...draw(200));
  const ids = await Promise.all(requests);
  assert.equal(new Set(ids).size, 400);
  const nodes = new Set(ids.map((id) => decode(id).node));
  assert.ok([...nodes].every((node) => node >= 16 && node < 21) && nodes.size >= 4, [...nodes]);
  program.kill('SIGINT');
  assert.deepEqual(await once(program, 'exit'), [0, null]);
  assert.equal(err(), '');
});

test('more workers than nodes is an error that says so', async () => {
  const { program, err } = prefork('16-18');
  assert.deepEqual(await once(program, 'close'), [1, null]);
  assert.match(err(), /nodes 16-18 are all in use: give this host more of them/);
});
