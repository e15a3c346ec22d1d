// SPDX-License-Identifier: MIT
package io.github.flakecore;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * How a generator fares. Times are Unix ms.
 *
 * @param level whether it issues
 * @param reasons why it is not OK
 * @param status what {@link Generator#nextId()} would end with now for longer than its longest
 *     wait, or OK
 * @param wallMs what the wall clock reads
 * @param rewindMs how far that is below the highest reading, in whole ticks
 * @param leadMs how far the last ID's tick is ahead of the clock
 * @param expiresMs the end of the layout's time field
 * @param ceilingMs the end of the right to issue
 * @param text all of it as one line, "ok", or "warn: ...; ..."
 */
public record Health(
    Level level,
    Set<Reason> reasons,
    Status status,
    long wallMs,
    long rewindMs,
    long leadMs,
    long expiresMs,
    long ceilingMs,
    String text) {

  /** How grave it is. */
  public enum Level {
    /** All is well. */
    OK,
    /** It issues, but somebody should look at the reasons. */
    WARN,
    /** {@link Generator#nextId()} refuses now. */
    FAIL
  }

  /** Why a generator is not well. */
  public enum Reason {
    /** The wall clock reads earlier than it was seen. */
    REWOUND,
    /** The wall clock stands still. */
    FROZEN,
    /** Monotonic mode: more than half of maxLeadMs is used. */
    LEAD,
    /** The guard against other processes is switched off. */
    GUARD_OFF,
    /** The lock file was deleted or its descriptor closed. */
    GUARD_LOST,
    /** The time field ends within a year. */
    EXPIRES,
    /** Less than a minute is left below ceilingMs. */
    CEILING_NEAR,
    /** No memory that a fork wipes: slower, compares the process ID. */
    PID_CHECKED
  }

  /**
   * Whether IDs can be had. For a readiness probe: answer 503 when it is false.
   *
   * @return false when the level is FAIL
   */
  public boolean ok() {
    return level != Level.FAIL;
  }

  /**
   * The text.
   *
   * @return one line
   */
  @Override
  public String toString() {
    return text;
  }

  static Health of(long[] n) {
    Set<Reason> reasons = EnumSet.noneOf(Reason.class);
    for (Reason reason : Reason.values())
      if ((n[1] & 1L << reason.ordinal()) != 0) reasons.add(reason);
    return new Health(
        Level.values()[(int) n[0]],
        Collections.unmodifiableSet(reasons),
        Status.of(n[2]),
        n[3],
        n[4],
        n[5],
        n[6],
        n[7],
        FlakeException.spelled(Native.core().healthText(n)));
  }
}
