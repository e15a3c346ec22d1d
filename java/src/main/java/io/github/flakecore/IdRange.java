// SPDX-License-Identifier: MIT
package io.github.flakecore;

import java.util.stream.LongStream;

/**
 * IDs that follow each other in one tick: first + i * stride for i = 0..count-1.
 *
 * @param first the first ID, at least 1
 * @param count how many they are, at least 1
 * @param stride what lies between two of them, {@link Layout#stride()}, at least 1
 */
public record IdRange(long first, long count, long stride) {
  /**
   * Checks them.
   *
   * @param first at least 1
   * @param count at least 1
   * @param stride at least 1
   * @throws CallerException INVALID_ARGUMENT: one of them is less than 1, or the last ID would be
   *     above 2^63-1
   */
  public IdRange {
    Arguments.atLeast("first", first, 1);
    Arguments.atLeast("stride", stride, 1);
    Arguments.within("count", count, 1, (Long.MAX_VALUE - first) / stride + 1);
  }

  /**
   * One of them.
   *
   * @param index 0..count-1
   * @return the ID
   * @throws IndexOutOfBoundsException there is no such one
   */
  public long get(long index) {
    if (index < 0 || index >= count)
      throw new IndexOutOfBoundsException("index " + index + " of " + count + " IDs");
    return first + index * stride;
  }

  /**
   * All of them.
   *
   * @return count IDs, rising
   */
  public LongStream stream() {
    return LongStream.range(0, count).map(index -> first + index * stride);
  }
}
