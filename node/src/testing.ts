// SPDX-License-Identifier: MIT
// A clock for tests: it moves only when told, so that no test needs real time.
import { INT64_MAX, Whole, limited, shown } from './arguments.js';
import { ArgumentTypeError, checked, succeeded } from './errors.js';
import { NativeClock, native } from './native.js';

function int64(name: string, value: unknown): bigint {
  return limited(name, value, -INT64_MAX - 1n, INT64_MAX);
}

/**
 * A wall clock and a monotonic clock, in ns, for new Generator({ clock }).
 *
 * The generator's waits move it at once.
 *
 *     const clock = new TestClock(1_750_000_000_000_000_000n);
 *     const gen = new Generator({ node: 1, space: 'test', clock });
 *     const ids = gen.nextIds(2);
 *     clock.setWall(clock.wallNs() - 5_000_000_000n);
 *     gen.nextId();    // throws, code "clock_rewound"
 *
 * invalid_argument, from all its calls: a value out of its range.
 */
export class TestClock {
  readonly #clock: NativeClock;
  #sleepsStopped = false;

  /** wallNs: what the wall clock reads, Unix ns, >= 0. The monotonic clock reads 1 s. */
  constructor(wallNs: Whole) {
    this.#clock = checked(native.openClock(int64('wallNs', wallNs)));
  }

  /** What the wall clock reads, in Unix ns. */
  wallNs(): bigint {
    return native.wallNs(this.#clock);
  }

  /** What the monotonic clock reads, in ns. */
  monotonicNs(): bigint {
    return native.monotonicNs(this.#clock);
  }

  /** Sets the wall clock (>= 0), also backwards; the monotonic clock stays. */
  setWall(wallNs: Whole): void {
    succeeded(native.setWall(this.#clock, int64('wallNs', wallNs)));
  }

  /** How many ns the wall clock gains for each 1,000 of monotonic time: 0 is frozen. */
  setRate(ratePermille: Whole): void {
    succeeded(native.setRate(this.#clock, int64('ratePermille', ratePermille)));
  }

  /** Lets ns (>= 0) of monotonic time pass, as a sleep on this clock does. */
  advance(ns: Whole): void {
    succeeded(native.advance(this.#clock, int64('ns', ns)));
  }

  /** When afterNs more have passed, the wall clock moves by stepNs. At most 16 may pend. */
  script(afterNs: Whole, stepNs: Whole): void {
    const [after, step] = [int64('afterNs', afterNs), int64('stepNs', stepNs)];
    succeeded(native.script(this.#clock, after, step));
  }

  /** Whether the generator's sleeps return at once and pass no time. */
  stopSleeps(stopped: boolean): void {
    if (typeof stopped !== 'boolean') {
      throw new ArgumentTypeError(`stopped must be true or false, not ${shown(stopped)}`);
    }
    succeeded(native.stopSleeps(this.#clock, stopped ? 1n : 0n));
    this.#sleepsStopped = stopped;
  }

  /** @internal Whether it was made by the constructor. */
  static is(value: unknown): value is TestClock {
    return typeof value === 'object' && value !== null && #clock in value;
  }

  /** @internal */
  static nativeOf(clock: TestClock): NativeClock {
    return clock.#clock;
  }

  /** @internal What a wait does: several may sleep to one moment, the first moves it. */
  static sleepUntil(clock: TestClock, wakeNs: bigint): void {
    const leftNs = wakeNs - clock.monotonicNs();
    if (leftNs > 0n && !clock.#sleepsStopped) clock.advance(leftNs);
  }
}
