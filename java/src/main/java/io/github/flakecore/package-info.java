// SPDX-License-Identifier: MIT

/**
 * Generators of time-ordered unique IDs, and what can be read from an ID.
 *
 * <pre>{@code
 * try (Generator gen = Generator.builder().node(7).build()) {
 *   long id = gen.nextId();               // positive
 *   Layout.SNOWFLAKE.decode(id).time();   // an Instant
 * }
 * }</pre>
 *
 * <p>Each live generator of a space needs a node number of its own. Errors are {@link
 * io.github.flakecore.FlakeException}s, whose text says what to do. Where no parameter is marked as
 * nullable, null is refused with a {@link io.github.flakecore.CallerException}.
 */
@NullMarked
package io.github.flakecore;

import org.jspecify.annotations.NullMarked;
