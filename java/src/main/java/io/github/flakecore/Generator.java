// SPDX-License-Identifier: MIT
package io.github.flakecore;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Makes IDs: positive longs, each larger than all before, on any thread.
 *
 * <pre>{@code
 * try (Generator gen = Generator.builder().node(7).build()) {
 *   long id = gen.nextId();
 * }
 * }</pre>
 *
 * <p>Generators of a process with equal options share their numbers. The first ID lies in the first
 * tick that begins after opening. Use it from any thread, also a virtual one: no call into the core
 * blocks, a wait parks the thread in Java, and how long it lasts altogether is the core's to
 * decide.
 *
 * <p>An interrupt ends a wait, not a call that need not wait: it throws a {@link RetryException}
 * with the status AGAIN and leaves the thread's interrupt flag set. No ID is lost: what a batch had
 * drawn before is its {@link FlakeException#issued()}.
 *
 * <p>It closes by {@link #close()}, which try-with-resources calls; one that is forgotten closes
 * some time after it became unreachable.
 */
public final class Generator implements AutoCloseable {
  /** What to do when the clock is rewound or a tick is exhausted. */
  public enum Mode {
    /** Never ahead of the clock: wait within maxWaitMs, or refuse. */
    STRICT,
    /** Never waits: goes on counting, ahead of the clock by at most maxLeadMs. */
    MONOTONIC
  }

  /** Where the wall time comes from. */
  public enum ClockSource {
    /** The system's clock. */
    PRECISE,
    /** A reading that is cheaper and late by 1 to 10 ms; for layouts with a wide sequence. */
    COARSE
  }

  /** Whether lock files keep other processes of this host from the node. */
  public enum HostGuard {
    /** They do. */
    ON,
    /** Nothing keeps a second process from the same IDs. */
    UNSAFE_OFF
  }

  private volatile long handle; // 0: closed
  private final Cleaner.Cleanable closing;
  private final Layout layout;
  private final String space;
  private final NodeFound node;
  private final long stride;
  private final @Nullable TestClock clock;

  Generator(long handle, GeneratorBuilder options, NodeFound node) {
    this.handle = handle;
    this.layout = options.layout;
    this.space = options.space;
    this.clock = options.clock;
    this.node = node;
    this.stride = layout.stride();
    this.closing = Native.CLEANER.register(this, new Closing(handle, clock));
  }

  /** Closes the core's handle, once. It keeps the test clock until then. */
  private record Closing(long handle, @Nullable TestClock clock) implements Runnable {
    @Override
    public void run() {
      FlakeException.checked(Native.close(handle));
      Reference.reachabilityFence(clock);
    }
  }

  /**
   * Begins a new generator.
   *
   * @return its options, all at their defaults; the node has none
   */
  public static GeneratorBuilder builder() {
    return new GeneratorBuilder();
  }

  // ---- one ID -----------------------------------------------------------------------------------

  /**
   * The next ID. Waits at most maxWaitMs in all.
   *
   * @return a positive number
   * @throws OperatorException CLOCK_REWOUND, CLOCK_FROZEN, BEFORE_EPOCH: mend the clock; calls
   *     succeed again by themselves when it has caught up. TIME_USED_UP, CEILING_REACHED: the end
   *     of the layout, or of ceilingMs
   * @throws RetryException EXHAUSTED, DEADLINE_PASSED: maxWaitMs was too short; retry. AGAIN: the
   *     thread was interrupted while it waited
   * @throws CallerException CLOSED
   */
  public long nextId() {
    try {
      long open = handle;
      long id = Native.next(open);
      return id > 0 ? id : nextAfter(id, open);
    } finally {
      Reference.reachabilityFence(this); // else a forgotten one might be closed now
    }
  }

  /** Goes on after a first step that gave no ID. */
  private long nextAfter(long status, long open) {
    if (status == Native.AGAIN) {
      long[] step = new long[Native.STEP];
      Native.take(open, step);
      while (status == Native.AGAIN) {
        await(step);
        status = Native.step(handle, step);
      }
    }
    return FlakeException.checked(status);
  }

  private void await(long[] step) {
    if (Thread.currentThread().isInterrupted()) throw interrupted(0);
    if (clock != null) {
      clock.sleepUntil(step[Native.WAKE_NS]);
      return;
    }
    long end = System.nanoTime() + step[Native.WAIT_NS];
    for (long left = step[Native.WAIT_NS]; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(this, left);
      if (Thread.currentThread().isInterrupted()) throw interrupted(0);
    }
  }

  private static FlakeException interrupted(int drawn) {
    String what =
        drawn == 0 ? "none was drawn, so call again"
            : drawn + " were drawn before and are in issued(), so call again for the rest";
    return FlakeException.of(
        Status.AGAIN,
        "the thread was interrupted while it waited for an ID, and its interrupt flag is still "
            + "set; " + what + " once the flag is cleared");
  }

  /**
   * The next ID as decimal text, for JSON.
   *
   * @return 1..19 digits
   * @throws FlakeException as {@link #nextId()}
   */
  public String nextIdString() {
    return Long.toString(nextId());
  }

  /**
   * The next ID, unless it would have to wait.
   *
   * @return empty when it would
   * @throws FlakeException as {@link #nextId()}
   */
  public OptionalLong tryNextId() {
    try {
      long id = Native.step(handle, new long[Native.STEP]);
      return id == Native.AGAIN
          ? OptionalLong.empty()
          : OptionalLong.of(FlakeException.checked(id));
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  // ---- many IDs ---------------------------------------------------------------------------------

  /**
   * Up to n IDs that follow each other in one tick, in one native call for any n.
   *
   * @param n how many are wanted, at least 1
   * @return at least 1 of them, maybe fewer than n
   * @throws FlakeException as {@link #nextId()}; INVALID_ARGUMENT: n is less than 1
   */
  public IdRange nextRange(long n) {
    long[] step = new long[Native.STEP];
    long first = draw(Arguments.atLeast("n", n, 1), step);
    return new IdRange(first, step[Native.ISSUED], stride);
  }

  /** The first of up to n IDs; step keeps the deadline of the whole call, and how many they are. */
  private long draw(long n, long[] step) {
    try {
      long first;
      while ((first = Native.range(handle, n, step)) == Native.AGAIN) await(step);
      return FlakeException.checked(first);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Exactly n IDs, rising. maxWaitMs bounds the whole call.
   *
   * @param n how many, at least 0
   * @return n IDs
   * @throws FlakeException as {@link #nextId()}; INVALID_ARGUMENT: n is negative. The IDs that were
   *     drawn before it are its {@link FlakeException#issued()}
   */
  public long[] nextIds(int n) {
    if (n < 0) throw Arguments.invalid("n is " + n + "; it must lie in 0.." + Integer.MAX_VALUE);
    long[] ids = new long[n];
    fill(ids);
    return ids;
  }

  /**
   * Fills an array with rising IDs. maxWaitMs bounds the whole call.
   *
   * @param ids receives them; what is not filled stays as it was
   * @return how many were issued: fewer than there is place for only when maxWaitMs, an interrupt
   *     or a fault ended it; they are valid
   * @throws FlakeException as {@link #nextId()}, when there was none; INVALID_ARGUMENT: null
   */
  public int nextIds(long[] ids) {
    Arguments.given("ids", ids);
    try {
      fill(ids);
      return ids.length;
    } catch (FlakeException e) {
      int issued = e.issued().length;
      if (issued == 0) throw e;
      return issued;
    }
  }

  /** Fills the array, or throws an exception with what was drawn until then. */
  private void fill(long[] ids) {
    long[] step = new long[Native.STEP];
    int done = 0;
    if (closed()) throw FlakeException.of(Status.CLOSED, Status.CLOSED.text());
    try {
      while (done < ids.length) {
        long id = draw(ids.length - done, step);
        for (int end = done + (int) step[Native.ISSUED]; done < end; id += stride) ids[done++] = id;
      }
    } catch (FlakeException e) {
      FlakeException error = e.status() == Status.AGAIN ? interrupted(done) : e;
      throw error.withIssued(Arrays.copyOf(ids, done));
    }
  }

  // ---- how it fares -----------------------------------------------------------------------------

  /**
   * How it fares. Reads the clock, issues nothing and never blocks.
   *
   * @return its health
   * @throws CallerException CLOSED
   */
  public Health health() {
    try {
      long[] fields = new long[Native.FIELDS];
      FlakeException.checked(Native.health(handle, fields));
      return Health.of(fields);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Reads the counters.
   *
   * @return what they read
   * @throws CallerException CLOSED
   */
  public Stats stats() {
    try {
      long[] fields = new long[Native.FIELDS];
      FlakeException.checked(Native.stats(handle, fields));
      return Stats.of(fields);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  // ---- what it is -------------------------------------------------------------------------------

  /**
   * Its node number.
   *
   * @return 0 in a layout without node field
   */
  public long node() {
    return Math.max(0, node.node());
  }

  /**
   * Which source the node came from.
   *
   * @return one sentence, "" when the node was given as a number
   */
  public String nodeText() {
    return node.text();
  }

  /**
   * Its layout.
   *
   * @return the layout
   */
  public Layout layout() {
    return layout;
  }

  /**
   * Its space.
   *
   * @return the name
   */
  public String space() {
    return space;
  }

  /**
   * Whether it was closed.
   *
   * @return true after {@link #close()}
   */
  public boolean closed() {
    return handle == 0;
  }

  /**
   * What it is, for logs.
   *
   * @return node, layout, space, and whether it is open
   */
  @Override
  public String toString() {
    String state = closed() ? "closed" : "open";
    return "Generator[node=" + node() + " " + layout + " '" + space + "', " + state + "]";
  }

  // ---- the end ----------------------------------------------------------------------------------

  /**
   * Ends the right to issue; a second time it does nothing. Others with equal options stay open. A
   * call of another thread that is under way ends with an ID or with CLOSED; one that waits, when
   * its wait is over.
   */
  @Override
  public void close() {
    handle = 0;
    closing.clean();
  }
}
