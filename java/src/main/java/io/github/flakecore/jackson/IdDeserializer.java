// SPDX-License-Identifier: MIT
package io.github.flakecore.jackson;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.deser.ContextualDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.jsontype.TypeDeserializer;
import io.github.flakecore.FlakeException;
import io.github.flakecore.TextFormat;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link IdSerializer} writes, into a {@code long}, a {@code Long} or a {@code long[]}.
 * A string with anything else, also 0 and what is above 2^63-1, is refused, and so is a number: who
 * sends one may have rounded it. So is null, or nothing, for a {@code long}; a {@code Long} and a
 * {@code long[]} are null then.
 *
 * <p>For the elements of a list, {@code contentUsing}; at a {@code long[]} it is {@code using}.
 */
public final class IdDeserializer extends StdDeserializer<Long> implements ContextualDeserializer {
  private static final long serialVersionUID = 1;

  /** Whether what is read becomes a long, which cannot be null. */
  private final boolean primitive;

  /** For Jackson. */
  public IdDeserializer() {
    this(false);
  }

  private IdDeserializer(boolean primitive) {
    super(Long.class);
    this.primitive = primitive;
  }

  @Override
  public JsonDeserializer<?> createContextual(
      DeserializationContext context, @Nullable BeanProperty property) {
    JavaType type = context.getContextualType();
    if (type != null && type.hasRawClass(long[].class)) return new IdArrays.Reader();
    return new IdDeserializer(type != null && type.isPrimitive());
  }

  @Override
  public Long deserialize(JsonParser json, DeserializationContext context) throws IOException {
    return read(json, context);
  }

  @Override
  public Object deserializeWithType(
      JsonParser json, DeserializationContext context, TypeDeserializer types) throws IOException {
    return types.deserializeTypedFromScalar(json, context);
  }

  static Long read(JsonParser json, DeserializationContext context) throws IOException {
    if (json.currentToken() != JsonToken.VALUE_STRING)
      return (Long) context.handleUnexpectedToken(Long.class, json);
    String text = json.getText();
    try {
      long id = TextFormat.DEC.decodeText(text);
      if (id > 0) return id;
    } catch (FlakeException e) {
      return (Long) context.handleWeirdStringValue(Long.class, text, "%s", e.getMessage());
    }
    return (Long)
        context.handleWeirdStringValue(Long.class, text, "an ID lies in 1..9223372036854775807");
  }

  @Override
  public @Nullable Long getNullValue(DeserializationContext context) throws JsonMappingException {
    if (!primitive) return null;
    throw MismatchedInputException.from(
        context.getParser(), Long.class, "an ID must be there, as a string");
  }
}
