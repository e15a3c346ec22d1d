// SPDX-License-Identifier: MIT
package io.github.flakecore;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Values on their way into the core: as they are, or an error, never narrowed. */
final class Arguments {
  private static final int SHOWN = 80;
  private static final int NS_PER_MS = 1_000_000;

  private Arguments() {}

  static FlakeException invalid(String message) {
    return FlakeException.of(Status.INVALID_ARGUMENT, message);
  }

  static <T> T given(String name, @Nullable T value) {
    if (value == null) throw invalid(name + " is null; it must be given");
    return value;
  }

  /** A text in quotes, short enough for an error. */
  static String quoted(String text) {
    return text.length() <= SHOWN ? "'" + text + "'" : "'" + text.substring(0, SHOWN) + "'...";
  }

  /** Bytes for the core. Half a surrogate pair becomes "?", which no name, layout or ID holds. */
  static byte[] utf8(String name, @Nullable String text) {
    return given(name, text).getBytes(StandardCharsets.UTF_8);
  }

  static long atLeast(String name, long value, long least) {
    return within(name, value, least, Long.MAX_VALUE);
  }

  static long within(String name, long value, long least, long most) {
    if (value >= least && value <= most) return value;
    throw invalid(name + " is " + value + "; it must lie in " + least + ".." + most);
  }

  /** An Instant in whole ms, rounded down. */
  static long floorMs(String name, Instant time) {
    try {
      return given(name, time).toEpochMilli();
    } catch (ArithmeticException e) {
      throw time.isBefore(Instant.EPOCH)
          ? FlakeException.of(Status.BEFORE_EPOCH, name + " is " + time + ", before every epoch")
          : FlakeException.of(
              Status.TIME_USED_UP, name + " is " + time + ", after the end of every layout");
    }
  }

  static long ceilingMs(String name, Instant time) {
    return floorMs(name, time) + (time.getNano() % NS_PER_MS == 0 ? 0 : 1);
  }

  static long exactMs(String name, Instant time) {
    long ms = floorMs(name, time);
    if (time.getNano() % NS_PER_MS == 0) return ms;
    throw invalid(name + " is " + time + "; it must be a whole millisecond");
  }
}
