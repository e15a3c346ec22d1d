// SPDX-License-Identifier: MIT
package io.github.flakecore;

/** Somebody must mend the clock, a file, a limit or the host. */
public final class OperatorException extends FlakeException {
  private static final long serialVersionUID = 1;

  OperatorException(long code, String message) {
    super(code, message);
  }
}
