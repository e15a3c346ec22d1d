// SPDX-License-Identifier: MIT
package io.github.flakecore.jackson;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.jsontype.TypeDeserializer;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The same for a long[], whose elements Jackson shows to nobody. */
final class IdArrays {
  private IdArrays() {}

  /** Whether a property of this type, or its elements, are such arrays. */
  static boolean areIn(JavaType type) {
    return type.hasRawClass(long[].class)
        || (type.isContainerType() && type.getContentType().hasRawClass(long[].class));
  }

  static final class Writer extends StdSerializer<long[]> {
    private static final long serialVersionUID = 1;

    Writer() {
      super(long[].class);
    }

    @Override
    public void serialize(long[] ids, JsonGenerator json, SerializerProvider provider)
        throws IOException {
      json.writeStartArray(ids, ids.length);
      for (long id : ids) IdSerializer.write(id, json);
      json.writeEndArray();
    }

    @Override
    public void serializeWithType(
        long[] ids, JsonGenerator json, SerializerProvider provider, TypeSerializer types)
        throws IOException {
      var prefix = types.writeTypePrefix(json, types.typeId(ids, JsonToken.START_ARRAY));
      for (long id : ids) IdSerializer.write(id, json);
      types.writeTypeSuffix(json, prefix);
    }

    @Override
    public boolean isEmpty(SerializerProvider provider, long[] ids) {
      return ids.length == 0;
    }
  }

  static final class Reader extends StdDeserializer<long[]> {
    private static final long serialVersionUID = 1;

    Reader() {
      super(long[].class);
    }

    @Override
    public long @Nullable [] deserialize(JsonParser json, DeserializationContext context)
        throws IOException {
      if (!json.isExpectedStartArrayToken())
        return (long[]) context.handleUnexpectedToken(long[].class, json);
      LongStream.Builder ids = LongStream.builder();
      while (json.nextToken() != JsonToken.END_ARRAY) ids.add(IdDeserializer.read(json, context));
      return ids.build().toArray();
    }

    @Override
    public Object deserializeWithType(
        JsonParser json, DeserializationContext context, TypeDeserializer types)
        throws IOException {
      return types.deserializeTypedFromArray(json, context);
    }
  }
}
