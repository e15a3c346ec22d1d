// SPDX-License-Identifier: MIT
package io.github.flakecore;

import java.util.Locale;

/** What the core answers: one constant for each of its codes, {@link #UNKNOWN} for the rest. */
public enum Status {
  /** No error. */
  OK(0),
  /** A value outside its documented range, or null: correct the call. */
  INVALID_ARGUMENT(-1),
  /** Fields that do not fit, or a text that is not a layout: correct it. */
  BAD_LAYOUT(-2),
  /** The node does not fit the layout's node field. */
  NODE_OUT_OF_RANGE(-3),
  /** No node is configured, and there is no default: choose one. */
  NO_NODE(-4),
  /** Another generator holds this node of this space: choose another node. */
  NODE_IN_USE(-5),
  /** The clock reads earlier than it was seen, or than the floor: mend the clock. */
  CLOCK_REWOUND(-6),
  /** The clock stands still: mend the clock. */
  CLOCK_FROZEN(-7),
  /** A time before the layout's epoch: clock or epoch is wrong. */
  BEFORE_EPOCH(-8),
  /** The layout's time field has ended: move to another layout. */
  TIME_USED_UP(-9),
  /** Every sequence number that may be used now is spent: retry. */
  EXHAUSTED(-10),
  /** The longest wait ended before the generator's first tick began: retry later. */
  DEADLINE_PASSED(-11),
  /** The generator's right to issue ends here. */
  CEILING_REACHED(-12),
  /** The lease belongs to another holder: acquire it anew. */
  LEASE_LOST(-13),
  /** Opened before a fork and used in the child: open one there, with a node of its own. */
  FORKED(-14),
  /** The generator is closed: open one. */
  CLOSED(-15),
  /** The space is pinned to another layout. */
  LAYOUT_DIFFERS(-16),
  /** The lease store does not answer: retry later. */
  STORE_UNREACHABLE(-17),
  /** A state file is short, damaged, foreign or copied. */
  BAD_FILE(-18),
  /** A text that is not an ID in the format asked for. */
  BAD_TEXT(-19),
  /** The kernel gave no random bytes. */
  NO_ENTROPY(-20),
  /** The system gave no memory or descriptor. */
  OUT_OF_MEMORY(-21),
  /**
   * This build, system or layout cannot do that. As an {@link OperatorException}, the native
   * library cannot be loaded.
   */
  NOT_SUPPORTED(-22),
  /** Nothing was to be had yet, and the thread was interrupted while it waited: call again. */
  AGAIN(-23),
  /** No directory can hold the node's lock file. */
  NO_RUN_DIR(-24),
  /** A code that this version does not know. */
  UNKNOWN(Integer.MIN_VALUE);

  /** Whose turn it is when a status comes back. */
  public enum Kind {
    /** Nobody's: no error. */
    OK,
    /** The caller's mistake: the same call will fail again. */
    CALLER,
    /** May pass by itself: retry later. */
    RETRY,
    /** Somebody must mend the clock, a file, a limit or the host. */
    OPERATOR
  }

  private static final Status[] ALL = values();
  private static final Kind[] KINDS = Kind.values();

  private final int code;

  Status(int code) {
    this.code = code;
  }

  /**
   * The number of the core.
   *
   * @return 0, or a negative number that never changes
   */
  public int code() {
    return code;
  }

  /**
   * Whose turn it is.
   *
   * @return the class of this status
   */
  public Kind kind() {
    return kindOf(code);
  }

  /**
   * What it means and what to do.
   *
   * @return one sentence
   */
  public String text() {
    return FlakeException.spelled(Native.core().statusText(code));
  }

  /**
   * The name that it has in every language and in the logs of the command {@code flake}.
   *
   * @return such as {@code "clock_rewound"}
   */
  @Override
  public String toString() {
    return Native.isLoaded()
        ? Native.core().statusName(code)
        : name().toLowerCase(Locale.ROOT); // to tell why it is not
  }

  static Status of(long code) {
    return code <= 0 && code > -ALL.length + 1 ? ALL[(int) -code] : UNKNOWN;
  }

  static Kind kindOf(long code) {
    return KINDS[Native.core().statusClass(code)];
  }
}
