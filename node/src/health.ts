// SPDX-License-Identifier: MIT
// What a generator says of itself: health for a probe, stats for a graph.
import { json } from './arguments.js';
import { checked, spelled } from './errors.js';
import { NativeGenerator } from './native.js';

export const LEVELS = Object.freeze(['ok', 'warn', 'fail'] as const);

/** The reasons that a Health may give, by bit. */
export const REASONS = Object.freeze([
  'rewound', 'frozen', 'lead', 'guard_off', 'guard_lost', 'expires', 'ceiling_near', 'pid_checked',
] as const);

/** How a generator fares. String(health) is one line, "ok", or "warn: ...; ...". */
export class Health {
  constructor(
    /** "ok", "warn" (it issues, but somebody should look at the reasons) or "fail" (it refuses). */
    readonly level: (typeof LEVELS)[number],
    /** Why; names out of REASONS. */
    readonly reasons: readonly (typeof REASONS)[number][],
    /** The code that nextId would end with now for longer than maxWaitMs, or "ok". */
    readonly status: string,
    /** All of it in one line. */
    readonly text: string,
    /** What the wall clock reads, Unix ms. */
    readonly wallMs: bigint,
    /** How far that is below the highest reading, in ms. */
    readonly rewindMs: bigint,
    /** How far the last ID's tick is ahead of the clock, in ms. */
    readonly leadMs: bigint,
    /** The end of the time field, Unix ms. */
    readonly expiresMs: bigint,
    /** The end of the right to issue, Unix ms. */
    readonly ceilingMs: bigint,
  ) {}

  /** Whether IDs can be had. For a readiness probe: answer 503 when it is false. */
  get ok(): boolean {
    return this.level !== 'fail';
  }

  toString(): string {
    return this.text;
  }

  /** All fields, for JSON; those above 2^53 as strings. */
  toJSON(): object {
    return plain(this);
  }
}

/** Counters since the generator was first opened, and gauges. */
export class Stats {
  constructor(
    /** IDs issued. */
    readonly issued: bigint,
    /** Numbers burnt, one at each re-opening. */
    readonly dropped: bigint,
    /** Waits for the next tick's edge. */
    readonly exhaustionWaits: bigint,
    /** Calls that ended with an error. */
    readonly refusals: bigint,
    /** Rewinds of the clock that were met. */
    readonly rewinds: bigint,
    /** The largest of them, in ms. */
    readonly rewindMaxMs: bigint,
    /** How far the last ID is ahead of the clock, in ms. */
    readonly leadMs: bigint,
    /** The highest wall time seen, Unix ms. */
    readonly wallHighMs: bigint,
  ) {}

  /** All fields, for JSON; those above 2^53 as strings. */
  toJSON(): object {
    return plain(this);
  }
}

function plain(fields: object): object {
  return Object.fromEntries(Object.entries(fields).map(
    ([name, value]) => [name, typeof value === 'bigint' ? json(value) : (value as unknown)]));
}

export function healthOf(generator: NativeGenerator): Health {
  const [level, reasons, status, text, ...times] = checked(generator.health());
  const names = REASONS.filter((_, bit) => reasons & (1 << bit));
  return new Health(
    LEVELS[level] as (typeof LEVELS)[number], names, status, spelled(text), ...times);
}

export function statsOf(generator: NativeGenerator): Stats {
  return new Stats(...(checked(generator.stats()) as ConstructorParameters<typeof Stats>));
}
