// SPDX-License-Identifier: MIT
package io.github.flakecore;

/**
 * The smallest and largest ID of a range of time.
 *
 * @param min the smallest; to be read as unsigned in a layout of 64 bits
 * @param max the largest, the same
 */
public record Bounds(long min, long max) {}
