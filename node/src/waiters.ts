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

/** Where the native step keeps a call's waiting, and which of its numbers are read here. */
const newAttempt = (): BigInt64Array => new BigInt64Array(5);
const WAIT_NS = 0;
const WAKE_NS = 2;

/** A call that waits. Before its first step it has no attempt. */
class Waiter {
  attempt: BigInt64Array | null = null;

  constructor(
    readonly resolve: (id: FlakeId) => void,
    readonly reject: (reason: unknown) => void,
    readonly signal: AbortSignal | undefined,
    readonly onAbort: () => void,
  ) {
    signal?.addEventListener('abort', onAbort, { once: true });
  }

  settle(result: bigint | number): void {
    this.signal?.removeEventListener('abort', this.onAbort);
    if (typeof result === 'bigint') this.resolve(result as FlakeId);
    else this.reject(new FlakeError(result));
  }
}

export class Waiters {
  readonly #generator: NativeGenerator;
  readonly #clock: TestClock | null;
  /** Those whose step said "again", the longest waiting first, and so the first to time out. */
  readonly #waiting = new Set<Waiter>();
  /** Those that came after the loop was due its turn; not stepped yet. */
  readonly #fresh = new Set<Waiter>();
  #spare = newAttempt();
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
    if (++this.#steps > BATCH) return this.#join(null, signal);
    const result = this.#generator.step(this.#spare);
    if (typeof result === 'bigint') return Promise.resolve(result as FlakeId);
    if (result !== AGAIN) return Promise.reject(new FlakeError(result));
    const attempt = this.#spare;
    this.#spare = newAttempt();
    return this.#join(attempt, signal);
  }

  /** Ends all calls that wait; the generator is closed. */
  close(): void {
    this.#stopTimer();
    clearImmediate(this.#immediate);
    for (const waiter of [...this.#waiting, ...this.#fresh]) waiter.settle(CLOSED);
    this.#waiting.clear();
    this.#fresh.clear();
  }

  #join(attempt: BigInt64Array | null, signal: AbortSignal | undefined): Promise<FlakeId> {
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(resolve, reject, signal, () => {
        this.#waiting.delete(waiter);
        this.#fresh.delete(waiter);
        if (this.#waiting.size === 0) this.#stopTimer();
        reject(signal?.reason as Error);
      });
      waiter.attempt = attempt;
      (attempt ? this.#waiting : this.#fresh).add(waiter);
      this.#schedule();
    });
  }

  /** Sees to it that whoever is in line gets a turn. */
  #schedule(): void {
    if (this.#immediate) return;
    const [first] = this.#waiting;
    if (this.#fresh.size > 0) {
      this.#immediate = setImmediate(() => this.#turn());
    } else if (first?.attempt && !this.#timer) {
      this.#sleep(first.attempt);
    }
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
    this.#immediate = undefined;
    this.#steps = 0;
    if (!this.#timer) this.#stepAll(this.#waiting, true);
    this.#stepAll(this.#fresh, false);
    if (this.#steps >= BATCH && this.#waiting.size > 0 && !this.#timer) {
      this.#immediate = setImmediate(() => this.#turn());
    }
    this.#schedule();
  }

  #stepAll(line: Set<Waiter>, stopAtAgain: boolean): void {
    for (const waiter of line) {
      if (this.#steps >= BATCH) return;
      this.#steps++;
      waiter.attempt ??= newAttempt();
      const result = this.#generator.step(waiter.attempt);
      if (result === AGAIN) {
        if (stopAtAgain) return;
        this.#waiting.add(waiter);
      }
      line.delete(waiter);
      if (result !== AGAIN) waiter.settle(result);
    }
  }
}
