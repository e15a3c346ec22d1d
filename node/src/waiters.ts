// SPDX-License-Identifier: MIT
// The callers of nextIdAsync. A step that gives an ID at once settles at once; whoever has to wait
// stands in line behind one timer. The event loop always gets its turn: after BATCH steps without
// one, the rest go on in the next.
import { FlakeError, statusOf } from './errors.js';
import { FlakeId } from './id.js';
import { NativeGenerator } from './native.js';
import { TestClock } from './testing.js';

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
  /** What to do when it ends. */
  cleanUp: (() => void) | undefined;

  constructor(
    readonly resolve: (id: FlakeId) => void,
    readonly reject: (reason: unknown) => void,
  ) {}

  /** Ends it, with an ID or a status. */
  settle(result: bigint | number): void {
    this.waits = false;
    this.cleanUp?.();
    if (typeof result === 'bigint') this.resolve(result as FlakeId);
    else this.reject(new FlakeError(result));
  }
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
  /** Those that came after the loop was due its turn; not stepped yet. */
  readonly #fresh = new Line();
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
    if (++this.#steps > BATCH) return this.#join(this.#fresh, null, signal);
    const result = this.#generator.step(this.#spare);
    if (typeof result === 'bigint') return Promise.resolve(result as FlakeId);
    if (result !== AGAIN) return Promise.reject(new FlakeError(result));
    return this.#join(this.#waiting, this.#takeSpare(), signal);
  }

  /** Ends all calls that wait; the generator is closed. */
  close(): void {
    for (const line of [this.#waiting, this.#fresh]) {
      for (let waiter = line.first(); waiter; waiter = line.first()) waiter.settle(CLOSED);
    }
    this.#schedule();
  }

  #join(
    line: Line, attempt: BigInt64Array | null, signal: AbortSignal | undefined,
  ): Promise<FlakeId> {
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(resolve, reject);
      waiter.attempt = attempt;
      if (signal) this.#abortable(waiter, signal);
      line.push(waiter);
      this.#schedule();
    });
  }

  #abortable(waiter: Waiter, signal: AbortSignal): void {
    const abort = (): void => {
      waiter.waits = false;
      waiter.reject(signal.reason);
      this.#schedule();
    };
    signal.addEventListener('abort', abort, { once: true });
    waiter.cleanUp = () => signal.removeEventListener('abort', abort);
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
      if (++this.#steps > BATCH) return true;
      const attempt = waiter.attempt as BigInt64Array;
      const result = this.#generator.step(attempt);
      if (result === AGAIN) return false;
      if (this.#used.length < BATCH) this.#used.push(attempt);
      waiter.settle(result);
    }
    return false;
  }

  #stepFresh(): void {
    for (let waiter = this.#fresh.first(); waiter; waiter = this.#fresh.first()) {
      if (++this.#steps > BATCH) return;
      const result = this.#generator.step(this.#spare);
      this.#fresh.shift();
      if (result === AGAIN) {
        waiter.attempt = this.#takeSpare();
        this.#waiting.push(waiter);
      } else {
        waiter.settle(result);
      }
    }
  }
}
