// SPDX-License-Identifier: MIT
// A service of many processes, by Node's own cluster: each worker takes the first free node of
// NODES, which no other host may have. A worker that dies frees its node, so its successor finds
// one: give a host twice as many nodes as workers. PM2 in cluster mode is alike.
//
//     POST /orders   {"id":"253479419526516736"}
//
// usage: NODES=16-31 node prefork.mjs [WORKERS [PORT]]
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { Generator } from 'flakecore';

function openGenerator(nodes) {
  const [first, last] = nodes.split('-').map(Number);
  for (let node = first; node <= last; node++) {
    try {
      return new Generator({ node, space: 'orders' });
    } catch (error) {
      if (error.code !== 'node_in_use') throw error;
    }
  }
  throw new Error(`nodes ${nodes} are all in use: give this host more of them`);
}

function lead(workers) {
  const started = new Set();
  for (let i = 0; i < workers; i++) cluster.fork();
  cluster.on('listening', (worker, { port }) => {
    started.add(worker.id);
    console.log(`worker ${worker.process.pid} at http://127.0.0.1:${port}`);
  });
  cluster.on('exit', ({ id, exitedAfterDisconnect }) => {
    if (!started.has(id)) process.exit(1); // it has said why
    if (!exitedAfterDisconnect) cluster.fork();
  });
  process.once('SIGINT', () => cluster.disconnect());
}

function work(port) {
  const gen = openGenerator(process.env.NODES);
  process.on('SIGINT', () => {}); // of a terminal: the primary ends the workers
  createServer(async ({ method, url }, response) => {
    if (method !== 'POST' || url !== '/orders') return response.writeHead(404).end();
    response.setHeader('Content-Type', 'application/json');
    try {
      const id = await gen.nextIdAsync();
      response.writeHead(201).end(JSON.stringify({ id: String(id) }));
    } catch (error) {
      response.writeHead(503).end(JSON.stringify({ error: error.code, text: error.message }));
    }
  }).listen(port, '127.0.0.1');
}

const [workers = 4, port = 8080] = process.argv.slice(2).map(Number);
if (cluster.isPrimary) lead(workers);
else work(port);
