// SPDX-License-Identifier: MIT

/**
 * IDs in JSON as strings, for Jackson 2; it is an optional dependency, which only this package
 * needs.
 *
 * <pre>{@code
 * record Order(
 *     @JsonSerialize(using = IdSerializer.class) @JsonDeserialize(using = IdDeserializer.class)
 *     long id) {}
 * }</pre>
 */
@NullMarked
package io.github.flakecore.jackson;

import org.jspecify.annotations.NullMarked;
