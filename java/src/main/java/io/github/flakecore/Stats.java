// SPDX-License-Identifier: MIT
package io.github.flakecore;

/**
 * Counters since the generator was first opened, and gauges.
 *
 * @param issued IDs issued
 * @param dropped numbers burnt, one at each re-opening
 * @param exhaustionWaits waits for the next tick's edge
 * @param refusals calls that ended with an error
 * @param rewinds rewinds of the clock that were met
 * @param rewindMaxMs the largest of them
 * @param leadMs how far the last ID is ahead of the clock
 * @param wallHighMs the highest wall time seen, in Unix ms
 */
public record Stats(
    long issued,
    long dropped,
    long exhaustionWaits,
    long refusals,
    long rewinds,
    long rewindMaxMs,
    long leadMs,
    long wallHighMs) {

  static Stats of(long[] n) {
    return new Stats(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]);
  }
}
