// SPDX-License-Identifier: MIT
// The callers of nextIdAsync. A step that gives an ID at once settles at once; whoever has to wait
// stands in line behind one timer, and so does who comes while others wait: first come, first
// served. The event loop always gets its turn: after BATCH steps without one, the rest go on in the
// next.
import * as timers from 'node:timers';
import { FlakeError, statusOf } from './errors.js';
import { FlakeId } from './id.js';
import { NativeGenerator } from './native.js';
import { TestClock } from './testing.js';

// As they are when the package is loaded: fake timers, which tests put in their place, never fire.
const { clearImmediate, clearTimeout, setImmediate, setTimeout } = timers;

const AGAIN = statusOf('again');
const CLOSED = statusOf('closed');
const BATCH = 256;
const NS_PER_MS = 1_000_000n;

/** Where the native step keeps a call's waiting; two of its numbers are read here. */
export const newAttempt = (): BigInt64Array => new BigInt64Array(5);
const WAIT_NS = 0;
const WAKE_NS = 2;

/** A call that waits: the promise's two ends, and where its steps keep the waiting. */
class Waiter {
  /** Whether it is still to be settled: it may be aborted while it stands in line. */
  waits = true;
  /** Null before the first step. */
  attempt: BigInt64Array | null = null;

  constructor(
    readonly resolve: (id: FlakeId) => void,
    readonly reject: (reason: unknown) => void,
    readonly signal: AbortSignal | undefined,
  ) {}
}

/** First in, first out. */
class Line {
  #waiters: Waiter[] = [];
  #gone = 0;

  push(waiter: Waiter): void {
    this.#waiters.push(waiter);
  }

  /** The first that still waits. */
  first(): Waiter | undefined {
    for (;;) {
      const waiter = this.#waiters[this.#gone];
      if (!waiter || waiter.waits) return waiter;
      this.shift();
    }
  }

  /** Takes the first one out; in pieces, since an array's own shift moves all the others. */
  shift(): void {
    if (++this.#gone < 1024 && this.#gone < this.#waiters.length) return;
    this.#waiters.splice(0, this.#gone);
    this.#gone = 0;
  }
}

export class Waiters {
  readonly #generator: NativeGenerator;
  readonly #clock: TestClock | null;
  /** Those whose step said "again"; the first of them is the first to time out. */
  readonly #waiting = new Line();
  /** Those behind them that are not stepped yet, as the loop was due its turn. */
  readonly #fresh = new Line();
  /** Who waits under a signal. It has one listener for all: Node warns of more than ten. */
  readonly #signals = new Map<AbortSignal, Set<Waiter>>();
  /** All zero, for the next first step; and those that are done with. */
  #spare = newAttempt();
  readonly #used: BigInt64Array[] = [];
  /** Steps since the loop had its turn. */
  #steps = 0;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  constructor(generator: NativeGenerator, clock: TestClock | null) {
    this.#generator = generator;
    this.#clock = clock;
  }

  /** An ID, as soon as there is one. */
  next(signal: AbortSignal | undefined): Promise<FlakeId> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    if (this.#steps >= BATCH || this.#waiting.first() || this.#fresh.first()) {
      return this.#join(this.#fresh, null, signal);
    }
    this.#steps++;
    const result = this.#generator.step(this.#spare);
    if (typeof result === 'bigint') return Promise.resolve(result as FlakeId);
    if (result !== AGAIN) return Promise.reject(new FlakeError(result));
    return this.#join(this.#waiting, this.#takeSpare(), signal);
  }

  /** Ends all calls that wait; the generator is closed. */
  close(): void {
    for (const line of [this.#waiting, this.#fresh]) {
      for (let waiter = line.first(); waiter; waiter = line.first()) this.#settle(waiter, CLOSED);
    }
    this.#schedule();
  }

  #join(
    line: Line, attempt: BigInt64Array | null, signal: AbortSignal | undefined,
  ): Promise<FlakeId> {
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(resolve, reject, signal);
      waiter.attempt = attempt;
      if (signal) this.#listen(waiter, signal);
      line.push(waiter);
      if (this.#steps < BATCH) this.#stepFresh();
      this.#schedule();
    });
  }

  #listen(waiter: Waiter, signal: AbortSignal): void {
    const others = this.#signals.get(signal);
    if (others) {
      others.add(waiter);
      return;
    }
    this.#signals.set(signal, new Set([waiter]));
    signal.addEventListener('abort', this.#abort);
  }

  #forget(waiter: Waiter, signal: AbortSignal): void {
    const others = this.#signals.get(signal);
    others?.delete(waiter);
    if (others?.size !== 0) return;
    this.#signals.delete(signal);
    signal.removeEventListener('abort', this.#abort);
  }

  readonly #abort = ({ target }: Event): void => {
    const signal = target as AbortSignal;
    for (const waiter of this.#signals.get(signal) ?? []) {
      this.#end(waiter);
      waiter.reject(signal.reason);
    }
    this.#schedule();
  };

  /** Takes it out of all but the line, which passes over it. */
  #end(waiter: Waiter): void {
    waiter.waits = false;
    if (waiter.signal) this.#forget(waiter, waiter.signal);
    if (waiter.attempt && this.#used.length < BATCH) this.#used.push(waiter.attempt);
  }

  /** Ends a call, with an ID or a status. */
  #settle(waiter: Waiter, result: bigint | number): void {
    this.#end(waiter);
    if (typeof result === 'bigint') waiter.resolve(result as FlakeId);
    else waiter.reject(new FlakeError(result));
  }

  /** The attempt of the step just made, which is to go on. */
  #takeSpare(): BigInt64Array {
    const attempt = this.#spare;
    this.#spare = this.#used.pop()?.fill(0n) ?? newAttempt();
    return attempt;
  }

  /** Sees to it that whoever is in line gets a turn, and that nothing else keeps the process. */
  #schedule(): void {
    const first = this.#waiting.first();
    if (!first) this.#stopTimer();
    if (this.#immediate) return;
    if (this.#fresh.first()) this.#immediate = setImmediate(() => this.#turn());
    else if (first?.attempt && !this.#timer) this.#sleep(first.attempt);
  }

  #sleep(attempt: BigInt64Array): void {
    const wakeNs = attempt[WAKE_NS] as bigint;
    if (this.#clock) {
      TestClock.sleepUntil(this.#clock, wakeNs);
      this.#immediate = setImmediate(() => this.#turn());
      return;
    }
    const waitMs = ((attempt[WAIT_NS] as bigint) + NS_PER_MS - 1n) / NS_PER_MS;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#turn();
    }, Number(waitMs));
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** A turn of the loop: steps those who wait, if it is time, and those who came meanwhile. */
  #turn(): void {
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
    this.#steps = 0;
    const mayGoOn = !this.#timer && this.#stepWaiting();
    this.#stepFresh();
    if (mayGoOn && this.#waiting.first()) this.#immediate = setImmediate(() => this.#turn());
    this.#schedule();
  }

  /** Whether it was BATCH that ended it, not that there is nothing to be had. */
  #stepWaiting(): boolean {
    for (let waiter = this.#waiting.first(); waiter; waiter = this.#waiting.first()) {
      if (this.#steps >= BATCH) return true;
      this.#steps++;
      const result = this.#generator.step(waiter.attempt as BigInt64Array);
      if (result === AGAIN) return false;
      this.#settle(waiter, result);
    }
    return false;
  }

  /** The first step of each begins its time to wait; an ID that it gives is the first one's. */
  #stepFresh(): void {
    for (let waiter = this.#fresh.first(); waiter; waiter = this.#fresh.first()) {
      if (this.#steps >= BATCH) return;
      this.#steps++;
      const result = this.#generator.step(this.#spare);
      if (result === AGAIN) {
        this.#fresh.shift();
        waiter.attempt = this.#takeSpare();
        this.#waiting.push(waiter);
      } else {
        const first = typeof result === 'bigint' ? this.#waiting.first() : undefined;
        this.#settle(first ?? waiter, result);
      }
    }
  }
}
