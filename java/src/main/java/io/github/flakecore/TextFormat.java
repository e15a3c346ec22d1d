// SPDX-License-Identifier: MIT
package io.github.flakecore;

/**
 * IDs as text. All forms but decimal have a fixed width and sort as text exactly as the IDs do.
 */
public enum TextFormat {
  /** 1..20 digits, no leading zero: "175928847299117063". */
  DEC,
  /** 16 digits, 0-9 a-f: "0271065ac1020007". */
  HEX,
  /** 13 digits of Crockford's alphabet, 0-9 A-Z without I L O U. */
  BASE32,
  /** 11 digits, 1-9 A-Z a-z without I O l. */
  BASE58,
  /** 11 digits, 0-9 A-Z a-z. */
  BASE62;

  /**
   * An ID as text.
   *
   * @param id an ID; all its 64 bits count, as an unsigned number
   * @return the text
   */
  public String encode(long id) {
    return Native.core().encode(ordinal(), id);
  }

  /**
   * The ID of a text; reads exactly what {@link #encode} writes.
   *
   * @param text the text
   * @return the ID, to be read as unsigned
   * @throws CallerException BAD_TEXT: anything else, also blanks, signs, the other case, leading
   *     zeros in decimal, more than 64 bits
   */
  public long decodeText(String text) {
    long[] id = new long[1];
    long status = Native.core().decodeText(ordinal(), Arguments.utf8("text", text), id);
    if (status == Status.BAD_TEXT.code())
      throw FlakeException.of(
          status, Arguments.quoted(text) + " is not an ID in the format " + this);
    FlakeException.checked(status);
    return id[0];
  }

  /**
   * The name that it has in every language.
   *
   * @return such as {@code "base62"}
   */
  @Override
  public String toString() {
    return String.valueOf(Native.core().formatName(ordinal()));
  }
}
