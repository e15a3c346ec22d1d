// SPDX-License-Identifier: MIT
package io.github.flakecore.jackson;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.ser.ContextualSerializer;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import io.github.flakecore.TextFormat;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes an ID as a string of decimal digits: JavaScript rounds whole numbers above 2^53, so an ID
 * belongs into JSON as a string. What is no ID, 0 or negative, is refused.
 *
 * <p>For a {@code long}, a {@code Long} and a {@code long[]}, {@code @JsonSerialize(using =
 * IdSerializer.class)}; for the elements of a list, the values of a map and a {@code Long[]},
 * {@code contentUsing}, which Jackson passes over without a word at a {@code long[]}. The keys of a
 * map are strings in JSON anyway. Layouts of others that use bit 63 need a serializer of their own.
 */
public final class IdSerializer extends StdSerializer<Long> implements ContextualSerializer {
  private static final long serialVersionUID = 1;

  /** For Jackson. */
  public IdSerializer() {
    super(Long.class);
  }

  @Override
  public JsonSerializer<?> createContextual(
      SerializerProvider provider, @Nullable BeanProperty property) {
    return property != null && IdArrays.areIn(property.getType()) ? new IdArrays.Writer() : this;
  }

  @Override
  public void serialize(Long id, JsonGenerator json, SerializerProvider provider)
      throws IOException {
    write(id, json);
  }

  @Override
  public void serializeWithType(
      Long id, JsonGenerator json, SerializerProvider provider, TypeSerializer types)
      throws IOException {
    var prefix = types.writeTypePrefix(json, types.typeId(id, JsonToken.VALUE_STRING));
    write(id, json);
    types.writeTypeSuffix(json, prefix);
  }

  static void write(long id, JsonGenerator json) throws IOException {
    if (id <= 0)
      throw JsonMappingException.from(json, id + " is not an ID; an ID is a positive long");
    json.writeString(TextFormat.DEC.encode(id));
  }
}
