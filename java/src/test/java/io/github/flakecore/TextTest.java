// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static io.github.flakecore.Tests.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import io.github.flakecore.jackson.IdDeserializer;
import io.github.flakecore.jackson.IdSerializer;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** IDs as text: the formats, and JSON by Jackson. */
class TextTest {
  private static final long BIG = 653247040368672768L; // JavaScript prints 653247040368672800
  private final ObjectMapper mapper = new ObjectMapper();

  @Property(tries = 500)
  void everyFormReadsBackAndSortsAsTheIdsDo( // S40
      @ForAll TextFormat format, @ForAll long one, @ForAll long two) {
    String first = format.encode(one);
    String second = format.encode(two);
    assertEquals(one, format.decodeText(first));
    assertEquals(two, format.decodeText(second));
    if (format == TextFormat.DEC) return;
    assertEquals(first.length(), second.length());
    assertEquals(
        Integer.signum(Long.compareUnsigned(one, two)), Integer.signum(first.compareTo(second)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " 7", "7 ", "+7", "-7", "07", "7.5", "\u0667", "7\0", "\ud800", "\u00e9",
        "111111111111111111111", "99999999999999999999", "7\n"
      })
  void whatEncodeDoesNotWriteIsRefused(String text) {
    for (TextFormat format : TextFormat.values())
      refused(Status.BAD_TEXT, "is not an ID in the format " + format,
          () -> format.decodeText(text));
  }

  // ---- JSON -------------------------------------------------------------------------------------

  record Order(
      @JsonSerialize(using = IdSerializer.class) @JsonDeserialize(using = IdDeserializer.class)
          long id,
      @JsonSerialize(using = IdSerializer.class) @JsonDeserialize(using = IdDeserializer.class)
          @Nullable Long parent,
      @JsonSerialize(contentUsing = IdSerializer.class)
          @JsonDeserialize(contentUsing = IdDeserializer.class)
          List<Long> items) {}

  @Test
  void anIdGoesExactlyThroughJson() throws JsonProcessingException { // S35
    Order order = new Order(BIG, 7L, List.of(BIG + 1, BIG + 2));
    String json = mapper.writeValueAsString(order);
    assertEquals(
        "{\"id\":\"653247040368672768\",\"parent\":\"7\","
            + "\"items\":[\"653247040368672769\",\"653247040368672770\"]}",
        json);
    assertEquals(order, mapper.readValue(json, Order.class));
  }

  @Test
  void aLongMayBeNullAndALongMayNot() throws JsonProcessingException {
    Order order = mapper.readValue("{\"id\":\"1\",\"parent\":null,\"items\":[]}", Order.class);
    assertNull(order.parent());
    for (String json : List.of("{\"id\":null,\"items\":[]}", "{\"items\":[]}"))
      assertThrows(JsonMappingException.class, () -> mapper.readValue(json, Order.class));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0", "7", "653247040368672768", "7.0", "true", "[]", "{}", "\"0\"", "\"\"", "\" 7\"",
        "\"07\"", "\"-7\"", "\"7.5\"", "\"x\"", "\"99999999999999999999\"", "\"%s\""
      })
  void whatIsNoIdAsAStringIsRefused(String json) {
    var error =
        assertThrows(
            JsonMappingException.class,
            () -> mapper.readValue("{\"id\":" + json + ",\"items\":[]}", Order.class));
    assertTrue(error.getMessage().contains("\"id\""), error.getMessage());
  }
}
