// SPDX-License-Identifier: MIT
package io.github.flakecore;

/** The library itself. */
public final class Flakecore {
  private Flakecore() {}

  /**
   * The version of the core inside; the package has the same.
   *
   * @return such as {@code "0.1.0"}
   */
  public static String version() {
    return Native.core().version();
  }
}
