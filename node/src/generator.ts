// SPDX-License-Identifier: MIT
/// <reference lib="esnext.disposable" preserve="true" />
// The generator. Synchronous calls wait in C, by the core's own sleep, at most maxWaitMs;
// nextIdAsync waits by a timer, so that the event loop goes on meanwhile.
import { types } from 'node:util';
import { Whole, checkOptions, count, shown } from './arguments.js';
import { IdBuffer, newBatch } from './batch.js';
import { Config, GeneratorOptions, configOf } from './config.js';
import { ArgumentTypeError, FlakeError, checked, statusOf, succeeded } from './errors.js';
import { Health, Stats, healthOf, statsOf } from './health.js';
import { FlakeId, FlakeIdString } from './id.js';
import { Layout } from './layout.js';
import { NativeGenerator, native } from './native.js';
import { TestClock } from './testing.js';
import { Waiters, newAttempt } from './waiters.js';

const AGAIN = statusOf('again');

/** What nextIdAsync may be told. */
export interface AsyncOptions {
  /** When it is aborted, the promise is rejected with its reason. */
  signal?: AbortSignal | undefined;
}

function signalOf(options: AsyncOptions): AbortSignal | undefined {
  checkOptions(options, ['signal']);
  const { signal } = options;
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw new ArgumentTypeError(`signal must be an AbortSignal, not ${shown(signal)}`);
}

/** IDs that follow each other in one tick: first, first + stride, ... */
export class IdRange implements Iterable<FlakeId> {
  constructor(
    readonly first: FlakeId,
    /** How many there are, 1 or more. */
    readonly length: number,
    /** What lies between two of them; see Layout.stride. */
    readonly stride: bigint,
  ) {
    Object.freeze(this);
  }

  /** The IDs as texts, for JSON. */
  toJSON(): FlakeIdString[] {
    return Array.from(this, (id) => String(id) as FlakeIdString);
  }

  *[Symbol.iterator](): IterableIterator<FlakeId> {
    let id: bigint = this.first;
    for (let i = 0; i < this.length; i++, id += this.stride) yield id as FlakeId;
  }
}

/** Tells an array that is empty from one that has no memory any more; any method of its does. */
function checkMemory(ids: IdBuffer): void {
  try {
    BigUint64Array.prototype.keys.call(ids);
  } catch {
    throw new ArgumentTypeError('the memory of the array was moved away, or shrunk');
  }
}

/**
 * Makes IDs: positive bigints of at most 63 bits, each larger than all before.
 *
 *     using gen = new Generator({ node: 7 });
 *     gen.nextId();
 *
 * Generators of a process with equal options share their numbers, in the main thread and in worker
 * threads. The first ID lies in the first tick that begins after opening. It closes at the end of a
 * using block, by close(), when the thread ends, or some time after it was dropped.
 *
 * The constructor throws FlakeErrors, whose message says what to do: no_node, node_out_of_range: no
 * node, or it does not fit. node_in_use: open in this process with other options, or in another
 * process of this host. layout_differs: the space is open with another layout. bad_layout,
 * not_supported, before_epoch, time_used_up: the layout cannot generate now. ceiling_reached: the
 * first tick is not below ceilingMs. invalid_argument: another value is out of its range, or there
 * is no such option. no_run_dir, out_of_memory, no_entropy: the system refused.
 */
export class Generator implements Iterable<FlakeId>, AsyncIterable<FlakeId> {
  readonly #generator: NativeGenerator;
  readonly #next: NativeGenerator['next'];
  readonly #nextString: NativeGenerator['nextString'];
  readonly #config: Config;
  readonly #stride: bigint;
  readonly #waiters: Waiters;
  readonly #attempt = newAttempt();
  #closed = false;

  constructor(options: GeneratorOptions) {
    const config = configOf(options);
    const { layout, numbers, spaceBytes, clock } = config;
    const opened = native.open(
      Layout.memoryOf(layout), numbers, spaceBytes, clock && TestClock.nativeOf(clock));
    if (Array.isArray(opened)) throw new FlakeError(...opened);
    this.#generator = opened;
    this.#next = opened.next;
    this.#nextString = opened.nextString;
    this.#config = config;
    this.#stride = layout.stride;
    this.#waiters = new Waiters(opened, clock);
  }

  // ---- one ID -----------------------------------------------------------------------------------

  /**
   * The next ID. Sleeps at most maxWaitMs in all, and blocks the thread meanwhile.
   *
   * clock_rewound, clock_frozen, before_epoch: mend the clock; calls succeed again by themselves
   * when it has caught up. exhausted, deadline_passed: maxWaitMs was too short; retry.
   * time_used_up, ceiling_reached: the end of the layout, or of ceilingMs. closed: closed. forked:
   * opened before a fork of the process by other means than Node's.
   */
  nextId(): FlakeId {
    const id = this.#next();
    if (typeof id === 'bigint') return id as FlakeId;
    throw new FlakeError(id);
  }

  /** nextId as its decimal text, for JSON. */
  nextIdString(): FlakeIdString {
    const id = this.#nextString();
    if (typeof id === 'string') return id as FlakeIdString;
    throw new FlakeError(id);
  }

  /** The next ID, or null when it would have to wait. Errors as nextId. */
  tryNextId(): FlakeId | null {
    const id = this.#generator.step(this.#attempt);
    if (id !== AGAIN) return checked(id) as FlakeId;
    this.#attempt.fill(0n);
    return null;
  }

  /**
   * nextId by a promise: waits by a timer, so the event loop goes on meanwhile.
   *
   * Calls are served in the order in which they came. When signal is aborted, the promise is
   * rejected with its reason. No ID is drawn before a wait, so that none is lost. Errors, all by
   * the promise, as nextId. invalid_argument: no AbortSignal, or there is no such option.
   */
  nextIdAsync(options?: AsyncOptions): Promise<FlakeId> {
    if (options === undefined) return this.#waiters.next(undefined);
    try {
      return this.#waiters.next(signalOf(options));
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  // ---- many IDs ---------------------------------------------------------------------------------

  /**
   * n (0..2^53-1) IDs, rising. maxWaitMs bounds the whole call. Small arrays share a buffer, as
   * Buffers do: copy with slice() what another thread is to get.
   *
   * Errors as nextId. When one comes after some IDs were drawn, they are its .issued: they are
   * valid, and no other call returns them. out_of_memory: there is none for an array of n.
   */
  nextIds(n: Whole): BigUint64Array {
    const ids = newBatch(count('n', n, 0));
    const filled = this.#generator.many(ids);
    if (typeof filled === 'number') return ids;
    const [done, status] = filled;
    throw FlakeError.after(ids.subarray(0, done), status);
  }

  /**
   * Up to n (1..2^53-1) IDs that follow each other in one tick; at least 1, maybe fewer. It costs
   * as much as one nextId. Waits and errors as nextId.
   */
  nextRange(n: Whole): IdRange {
    const [first, issued] = checked(this.#generator.range(count('n', n, 1)));
    return new IdRange(first as FlakeId, issued, this.#stride);
  }

  /**
   * Fills an array with rising IDs, without a copy; returns how many.
   *
   * Fewer are issued only when maxWaitMs, which bounds the whole call, or a fault ended it; what
   * was issued is valid, and the rest of the array is as it was. Errors as nextId, when there was
   * none. invalid_argument: neither a BigInt64Array nor a BigUint64Array, or one whose memory was
   * moved away or shrunk.
   */
  fill(ids: IdBuffer): number {
    if (!types.isBigInt64Array(ids) && !types.isBigUint64Array(ids)) {
      throw new ArgumentTypeError(`${shown(ids)} is no BigInt64Array or BigUint64Array`);
    }
    const filled = this.#generator.many(ids);
    if (filled === 0) checkMemory(ids);
    if (typeof filled === 'number') return filled;
    const [done, status] = filled;
    if (done === 0) throw new FlakeError(status);
    return done;
  }

  /** IDs without end, by nextId. */
  *[Symbol.iterator](): IterableIterator<FlakeId> {
    for (;;) yield this.nextId();
  }

  /** IDs without end, by nextIdAsync. */
  async *[Symbol.asyncIterator](): AsyncIterableIterator<FlakeId> {
    for (;;) yield await this.nextIdAsync();
  }

  // ---- how it fares -----------------------------------------------------------------------------

  /** Reads the clock and says whether IDs can be had; issues none and never blocks. closed. */
  health(): Health {
    return healthOf(this.#generator);
  }

  /** Reads the counters. forked, closed: as nextId. */
  stats(): Stats {
    return statsOf(this.#generator);
  }

  // ---- what it is -------------------------------------------------------------------------------

  /** Its node number; 0 in a layout without node field. */
  get node(): number {
    return this.#config.node.node;
  }

  /** Which source the node came from, in one sentence; "" when it was given as a number. */
  get nodeText(): string {
    return this.#config.node.text;
  }

  /** Its layout. */
  get layout(): Layout {
    return this.#config.layout;
  }

  /** The name of its space. */
  get space(): string {
    return this.#config.space;
  }

  /** Whether it was closed. */
  get closed(): boolean {
    return this.#closed;
  }

  /** For console.log. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    const state = this.closed ? 'closed' : 'open';
    return `<flakecore.Generator node=${this.node} ${this.layout} '${this.space}', ${state}>`;
  }

  // ---- the end ----------------------------------------------------------------------------------

  /**
   * Ends the right to issue; a second time it does nothing. Calls of nextIdAsync that still wait
   * are rejected with the code "closed". Others with equal options stay open.
   */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const status = this.#generator.close();
    this.#waiters.close();
    succeeded(status);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
