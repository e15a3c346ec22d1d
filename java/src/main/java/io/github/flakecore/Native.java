// SPDX-License-Identifier: MIT
package io.github.flakecore;

import java.lang.ref.Cleaner;
import org.jspecify.annotations.Nullable;

/**
 * The calls into the core, as java/native has them. A result is a status when it is negative.
 *
 * <p>Those that take a handle are static: who has one has the library. The others are asked of
 * {@link #core}. None of them blocks. Structs travel as arrays, a field in each place; a step is an
 * attempt (five longs) and the number of IDs that a range issued. Text that may hold what others
 * wrote, such as a path, comes as UTF-8.
 */
final class Native {
  /** In the place of an option that keeps its default. */
  static final long NOT_GIVEN = Long.MIN_VALUE;

  static final long AGAIN = -23;
  static final int FIELDS = 8; // of a layout, of health and of stats
  static final int STEP = 6;
  static final int WAIT_NS = 0; // places of a step
  static final int WAKE_NS = 2;
  static final int ISSUED = 5;
  static final int NODE_TEXT_SIZE = 512;

  /** Closes what its owner forgot to close. */
  static final Cleaner CLEANER = Cleaner.create();

  /** Why the library could not be loaded, for good. */
  private static final @Nullable String FAILURE = NativeLoader.load();

  private static final Native CORE = new Native();

  Native() {}

  /**
   * The library.
   *
   * @throws OperatorException NOT_SUPPORTED: it could not be loaded
   */
  static Native core() {
    if (isLoaded()) return CORE;
    throw new OperatorException(Status.NOT_SUPPORTED.code(), FAILURE);
  }

  static boolean isLoaded() {
    return FAILURE == null;
  }

  native String version();

  native String statusName(long status);

  native String statusText(long status);

  native int statusClass(long status);

  native long layoutParse(byte[] text, long[] layout);

  native String layoutFormat(long[] layout);

  native @Nullable String layoutPreset(int index);

  native long layoutCheck(long[] layout, long nowMs);

  native long layoutStride(long[] layout);

  native long layoutExpiresMs(long[] layout);

  native long decode(long[] layout, long id, long[] parts);

  native long compose(long[] layout, long unixMs, long node, long sequence);

  native long bounds(long[] layout, long sinceMs, long untilMs, long[] ids);

  native long nodeFrom(byte[] chain, long[] layout, byte[] sentence);

  native @Nullable String formatName(int format);

  native String encode(int format, long id);

  native long decodeText(int format, byte[] text, long[] id);

  native long open(long[] layout, long[] options, byte[] space, long clock);

  native byte[] explain(long[] layout, long[] options, byte[] space, long status);

  static native long close(long handle);

  /** One step with a new attempt. After {@link #AGAIN} take what it left, on the same thread. */
  static native long next(long handle);

  static native void take(long handle, long[] step);

  static native long step(long handle, long[] step);

  static native long range(long handle, long count, long[] step);

  static native long health(long handle, long[] health);

  native String healthText(long[] health);

  static native long stats(long handle, long[] stats);

  native long clockOpen(long wallNs);

  static native void clockClose(long clock);

  static native long clockSetWall(long clock, long wallNs);

  static native long clockSetRate(long clock, long ratePermille);

  static native long clockAdvance(long clock, long ns);

  static native long clockScript(long clock, long afterNs, long stepNs);

  static native long clockStopSleeps(long clock, boolean stopped);

  static native long clockWall(long clock);

  static native long clockMonotonic(long clock);
}
