// SPDX-License-Identifier: MIT
package io.github.flakecore;

/**
 * A node number from the surroundings.
 *
 * @param node the number
 * @param text which source decided, in one sentence
 */
public record NodeFound(long node, String text) {}
