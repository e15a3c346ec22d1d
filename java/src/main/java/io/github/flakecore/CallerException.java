// SPDX-License-Identifier: MIT
package io.github.flakecore;

/** The caller's mistake: the same call will fail again. */
public final class CallerException extends FlakeException {
  private static final long serialVersionUID = 1;

  CallerException(long code, String message) {
    super(code, message);
  }
}
