// SPDX-License-Identifier: MIT
package io.github.flakecore;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * The parts of an ID.
 *
 * @param unixMs start of the ID's tick in Unix ms
 * @param tick ticks since the layout's epoch
 * @param node 0 in a layout without node field
 * @param sequence 0 in a layout without sequence field
 */
public record Decoded(long unixMs, long tick, long node, long sequence) {
  private static final DateTimeFormatter ISO =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /**
   * The start of the ID's tick.
   *
   * @return the time
   */
  public Instant time() {
    return Instant.ofEpochMilli(unixMs);
  }

  /**
   * The same as text in UTC with three digits of ms, whatever the time zone of the process.
   *
   * @return such as {@code "2016-04-30T11:18:25.796Z"}; a year beyond 9999 with a "+" in front
   */
  public String iso() {
    return ISO.format(time());
  }
}
