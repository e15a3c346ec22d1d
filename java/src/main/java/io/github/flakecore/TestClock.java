// SPDX-License-Identifier: MIT
package io.github.flakecore;

import java.lang.ref.Reference;

/**
 * A clock for tests: a wall clock and a monotonic one, in ns, that move only when told. The waits
 * of a generator move it at once, so that no test needs real time.
 *
 * <pre>{@code
 * TestClock clock = new TestClock(1_750_000_000_000_000_000L);
 * try (Generator gen = Generator.builder().node(1).space("test").clock(clock).build()) {
 *   long id = gen.nextId();
 *   clock.setWall(clock.wallNs() - 5_000_000_000L);
 *   // gen.nextId() throws an OperatorException with the status CLOCK_REWOUND
 * }
 * }</pre>
 *
 * <p>Any thread may use it. It lives as long as a generator that uses it.
 */
public final class TestClock {
  private final long handle;
  private boolean sleepsStopped;

  /**
   * Makes a clock whose monotonic clock reads 1 s.
   *
   * @param wallNs what the wall clock reads, Unix ns, at least 0
   * @throws CallerException INVALID_ARGUMENT: it is negative
   */
  public TestClock(long wallNs) {
    Arguments.atLeast("wallNs", wallNs, 0);
    long opened = FlakeException.checked(Native.core().clockOpen(wallNs));
    handle = opened;
    Native.CLEANER.register(this, () -> Native.clockClose(opened));
  }

  /**
   * What the wall clock reads.
   *
   * @return Unix ns
   */
  public long wallNs() {
    long ns = Native.clockWall(handle);
    Reference.reachabilityFence(this);
    return ns;
  }

  /**
   * What the monotonic clock reads.
   *
   * @return ns
   */
  public long monotonicNs() {
    long ns = Native.clockMonotonic(handle);
    Reference.reachabilityFence(this);
    return ns;
  }

  /**
   * Sets the wall clock, also backwards; the monotonic clock stays.
   *
   * @param wallNs Unix ns, at least 0
   * @throws CallerException INVALID_ARGUMENT: it is negative
   */
  public void setWall(long wallNs) {
    moved(Native.clockSetWall(handle, Arguments.atLeast("wallNs", wallNs, 0)));
  }

  /**
   * How fast the wall clock runs.
   *
   * @param ratePermille how many ns it gains for each 1,000 of monotonic time: 1000 at first, 0 is
   *     frozen, -1000 retreats; -1000000..1000000
   * @throws CallerException INVALID_ARGUMENT: it is out of range
   */
  public void setRate(long ratePermille) {
    Arguments.within("ratePermille", ratePermille, -1_000_000, 1_000_000);
    moved(Native.clockSetRate(handle, ratePermille));
  }

  /**
   * Lets monotonic time pass, as a sleep on this clock does.
   *
   * @param ns how much, at least 0
   * @throws CallerException INVALID_ARGUMENT: it is negative, or the clock cannot hold it
   */
  public void advance(long ns) {
    moved(Native.clockAdvance(handle, Arguments.atLeast("ns", ns, 0)));
  }

  /**
   * Lets the wall clock step later.
   *
   * @param afterNs when so many ns more of monotonic time have passed, at least 0
   * @param stepNs the wall clock moves by this at once; negative is a rewind
   * @throws CallerException INVALID_ARGUMENT: out of range, or 16 steps are pending
   */
  public void script(long afterNs, long stepNs) {
    moved(Native.clockScript(handle, Arguments.atLeast("afterNs", afterNs, 0), stepNs));
  }

  /**
   * Whether the waits of generators return at once and pass no time.
   *
   * @param stopped true from now on they do
   */
  public synchronized void stopSleeps(boolean stopped) {
    moved(Native.clockStopSleeps(handle, stopped));
    sleepsStopped = stopped;
  }

  /** What a generator's wait does: several may sleep to one moment, the first moves it. */
  synchronized void sleepUntil(long wakeNs) {
    long leftNs = wakeNs - monotonicNs();
    if (leftNs > 0 && !sleepsStopped) advance(leftNs);
  }

  long handle() {
    return handle;
  }

  private void moved(long status) {
    Reference.reachabilityFence(this);
    FlakeException.checked(status);
  }
}
