// SPDX-License-Identifier: MIT
// A web service that gives out IDs, with nothing but Node's own http.
//
//     POST /orders   {"id":"253479419526516736"}   the ID as a string: JavaScript rounds numbers
//     GET /healthz   200, or 503 while the generator refuses
//
// usage: NODE=7 node web.mjs [PORT]
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { FlakeError, Generator } from 'flakecore';

async function answer(gen, { method, url }) {
  if (method === 'GET' && url === '/healthz') {
    const health = gen.health();
    return [health.ok ? 200 : 503, { health: String(health) }];
  }
  if (method !== 'POST' || url !== '/orders') return [404, { error: 'not found' }];
  try {
    const id = await gen.nextIdAsync(); // other requests go on when it has to wait
    return [201, { id: String(id) }];
  } catch (error) {
    if (!(error instanceof FlakeError)) throw error;
    return [503, { error: error.code, text: error.message }];
  }
}

/** A server whose requests all draw from one generator. */
export function serverOf(gen) {
  return createServer(async (request, response) => {
    const [status, body] = await answer(gen, request);
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  });
}

function main(port) {
  const gen = new Generator({ node: 'env:NODE,hostname-ordinal', space: 'orders' });
  const server = serverOf(gen).listen(port, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${server.address().port}`);
  });
  process.once('SIGINT', () => {
    server.close(() => gen.close());
    server.closeIdleConnections?.();
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(Number(process.argv[2] ?? 8080));
