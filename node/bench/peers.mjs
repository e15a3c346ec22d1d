// SPDX-License-Identifier: MIT
// What the package is measured against: a careful generator in JavaScript, and three packages.
import { Snowflake as Sapphire } from '@sapphire/snowflake';
import FlakeIdGen from 'flake-idgen';
import { Snowflake as NodejsSnowflake } from 'nodejs-snowflake';

const EPOCH_MS = 1_735_689_600_000;
const sleeping = new Int32Array(new SharedArrayBuffer(4));

/**
 * As one writes it with care: no repeat, a wait for the next tick that spins as little as it can,
 * no rewind; numbers as far as they go, and BigInt for the rest.
 *
 * wide: 24 bits of sequence instead of 12, so that it is never exhausted.
 */
export class Careful {
  #last = -1;
  #sequence = 0;
  #node;
  #mask;
  #shift;

  constructor(node, wide = false) {
    const bits = wide ? 24 : 12;
    this.#mask = 2 ** bits - 1;
    this.#node = node * 2 ** bits;
    this.#shift = BigInt(bits + (wide ? 2 : 10));
  }

  nextId() {
    let now = Date.now() - EPOCH_MS;
    if (now < this.#last) throw new Error('the clock was set back');
    if (now === this.#last) {
      this.#sequence = (this.#sequence + 1) & this.#mask;
      while (this.#sequence === 0 && now <= this.#last) {
        Atomics.wait(sleeping, 0, 0, 0.1);
        now = Date.now() - EPOCH_MS;
      }
    } else {
      this.#sequence = 0;
    }
    this.#last = now;
    return (BigInt(now) << this.#shift) | BigInt(this.#node + this.#sequence);
  }
}

/** By name, a function that makes a generator of the node: a function that gives an ID. */
export const PEERS = {
  careful(node) {
    const gen = new Careful(node);
    return () => gen.nextId();
  },
  '@sapphire/snowflake'(node) {
    const gen = new Sapphire(EPOCH_MS);
    gen.workerId = node;
    return () => gen.generate();
  },
  'nodejs-snowflake'(node) {
    const gen = new NodejsSnowflake({ custom_epoch: EPOCH_MS, instance_id: node });
    return () => gen.getUniqueID();
  },
  // It throws when a tick is exhausted; the caller has to try again.
  'flake-idgen'(node) {
    const gen = new FlakeIdGen({ epoch: EPOCH_MS, id: node });
    return () => {
      for (;;) {
        try {
          return gen.next().readBigUInt64BE();
        } catch {
          continue;
        }
      }
    };
  },
};
