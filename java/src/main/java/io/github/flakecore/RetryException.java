// SPDX-License-Identifier: MIT
package io.github.flakecore;

/** May pass by itself: retry later. */
public final class RetryException extends FlakeException {
  private static final long serialVersionUID = 1;

  RetryException(long code, String message) {
    super(code, message);
  }
}
