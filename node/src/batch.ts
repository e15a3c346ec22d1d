// SPDX-License-Identifier: MIT
// Arrays for IDs. To make the memory of one costs several times what its IDs cost, so small ones
// are cut out of a larger piece, one after the other, as Buffer does it.
import { markAsUntransferable } from 'node:worker_threads';
import { refused } from './errors.js';

/** Where IDs are filled in. */
export type IdBuffer = BigInt64Array | BigUint64Array;

const ID_BYTES = BigUint64Array.BYTES_PER_ELEMENT;
const POOL_BYTES = 262_144;
const POOLED_MAX_BYTES = POOL_BYTES / 16;

let pool = new ArrayBuffer(0);
let used = 0;

/** Memory as it comes: to clear what is filled at once would cost as much as filling it. */
function newPool(): ArrayBuffer {
  const memory = Buffer.allocUnsafeSlow(POOL_BYTES).buffer;
  markAsUntransferable(memory); // moved to another thread, it would take other arrays with it
  return memory as ArrayBuffer;
}

function newLarge(n: number): BigUint64Array {
  try {
    return new BigUint64Array(n);
  } catch { // more than the system, or the language, can give
    throw refused(
      'out_of_memory', `n is ${n}; there is no memory for an array of so many IDs: draw fewer`);
  }
}

/** An array for n IDs, which the caller fills. */
export function newBatch(n: number): BigUint64Array {
  const bytes = n * ID_BYTES;
  if (bytes > POOLED_MAX_BYTES) return newLarge(n);
  if (used + bytes > pool.byteLength) {
    pool = newPool();
    used = 0;
  }
  const ids = new BigUint64Array(pool, used, n);
  used += bytes;
  return ids;
}
