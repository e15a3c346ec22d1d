// SPDX-License-Identifier: MIT
// A cluster whose three workers draw under nodes of their own, and try the one of the primary. Says
// how many IDs differ, and how often that was refused. The argument is the space.
import cluster from 'node:cluster';
import { Generator } from 'flakecore';

const WORKERS = 3;
const space = process.argv[2];

function lead() {
  const ids = [...new Generator({ node: 0, space }).nextIds(1000)].map(String);
  let [refused, left] = [0, WORKERS];
  cluster.on('message', (_, said) => {
    ids.push(...said.ids);
    if (said.code === 'node_in_use') refused++;
  });
  cluster.on('exit', () => {
    if (--left === 0) console.log(new Set(ids).size, refused);
  });
  for (let i = 1; i <= WORKERS; i++) cluster.fork({ NODE: String(i) });
}

function work() {
  let code = 'none';
  try {
    new Generator({ node: 0, space });
  } catch (error) {
    code = error.code;
  }
  const ids = [...new Generator({ node: 'env:NODE', space }).nextIds(1000)].map(String);
  process.send({ ids, code }, () => process.disconnect());
}

if (cluster.isPrimary) lead();
else work();
