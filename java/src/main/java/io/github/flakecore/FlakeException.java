// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static java.util.Locale.ROOT;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The base of all errors of this package; {@link #status()} says which one it is.
 *
 * <p>There is one class for each {@link Status.Kind}: {@link CallerException}, {@link
 * RetryException} and {@link OperatorException}. A code that this version does not know is a
 * FlakeException itself. When the native library cannot be loaded, every call that needs it throws
 * an OperatorException with the status NOT_SUPPORTED, whose text says what to set.
 */
public sealed class FlakeException extends RuntimeException
    permits CallerException, RetryException, OperatorException {
  private static final long serialVersionUID = 1;
  private static final long[] NONE = {};

  /** A word of the core's own, not a part of a path or of what it quotes. */
  private static final Pattern OPTION =
      Pattern.compile(
          "(?<![^ (^])((max_wait|max_lead|start_floor|ceiling)_ms"
              + "|seq_spread_bits|node_bits|clock_source|host_guard)\\b");
  private static final Pattern WORD_START = Pattern.compile("_(.)");

  /** The number of the core. */
  private final long code;

  /** What was drawn before the error. */
  private long[] issued = NONE;

  FlakeException(long code, String message) {
    super(message);
    this.code = code;
  }

  /**
   * Which error it is.
   *
   * @return the status; {@link Status#UNKNOWN} when this version does not know its code
   */
  public final Status status() {
    return Status.of(code);
  }

  /**
   * The number of the core.
   *
   * @return a negative number
   */
  public final long code() {
    return code;
  }

  /**
   * Whose turn it is, as the class of this exception says.
   *
   * @return the class of the status; OPERATOR when the code is unknown, or when the native library
   *     cannot be loaded
   */
  public final Status.Kind kind() {
    if (this instanceof CallerException) return Status.Kind.CALLER;
    return this instanceof RetryException ? Status.Kind.RETRY : Status.Kind.OPERATOR;
  }

  /**
   * Of {@link Generator#nextIds(int)}, the IDs that were drawn before the error. They are valid,
   * and no other call returns them.
   *
   * @return a copy, empty when there are none
   */
  public final long[] issued() {
    return issued.clone();
  }

  final FlakeException withIssued(long[] ids) {
    issued = ids;
    return this;
  }

  /** The exception for a negative status. Without a message it says what the core says of it. */
  static FlakeException of(long code, @Nullable String message) {
    String text = spelled(message == null ? Native.core().statusText(code) : message);
    if (Status.of(code) == Status.UNKNOWN) return new FlakeException(code, text);
    return switch (Status.kindOf(code)) {
      case CALLER -> new CallerException(code, text);
      case RETRY -> new RetryException(code, text);
      default -> new OperatorException(code, text);
    };
  }

  /** A sentence of the core, with its options as {@link GeneratorBuilder} calls them. */
  static String spelled(String sentence) {
    return OPTION
        .matcher(sentence)
        .replaceAll(
            name ->
                WORD_START
                    .matcher(name.group())
                    .replaceAll(letter -> letter.group(1).toUpperCase(ROOT)));
  }

  static FlakeException of(Status status, String message) {
    return of(status.code(), message);
  }

  /** A result of the core as it is, or the exception for it. */
  static long checked(long result) {
    if (result < 0) throw of(result, null);
    return result;
  }
}
