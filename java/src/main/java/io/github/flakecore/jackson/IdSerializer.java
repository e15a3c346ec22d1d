// SPDX-License-Identifier: MIT
package io.github.flakecore.jackson;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import io.github.flakecore.TextFormat;
import java.io.IOException;

/**
 * Writes an ID as a string of decimal digits: JavaScript rounds whole numbers above 2^53, so an ID
 * belongs into JSON as a string.
 *
 * <p>For a field, {@code @JsonSerialize(using = IdSerializer.class)}; for the elements of a list,
 * {@code contentUsing}.
 */
public final class IdSerializer extends StdSerializer<Long> {
  private static final long serialVersionUID = 1;

  /** For Jackson. */
  public IdSerializer() {
    super(Long.class);
  }

  @Override
  public void serialize(Long id, JsonGenerator json, SerializerProvider provider)
      throws IOException {
    json.writeString(TextFormat.DEC.encode(id));
  }
}
