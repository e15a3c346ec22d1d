// SPDX-License-Identifier: MIT
// Draws three IDs as node 7 and takes the last one apart.
import { Generator, decode } from 'flakecore';

const gen = new Generator({ node: 7 }); // each live generator needs a number of its own
let id;
for (let i = 0; i < 3; i++) {
  id = gen.nextId(); // a bigint, or a FlakeError whose message says what to do
  console.log(String(id));
}
gen.close();

const { iso, node, sequence } = decode(id);
console.log(`${iso}, node ${node}, sequence ${sequence}`);
