// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static io.github.flakecore.Tests.refused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.impl.LaissezFaireSubTypeValidator;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.github.flakecore.jackson.IdDeserializer;
import io.github.flakecore.jackson.IdSerializer;
import java.util.List;
import java.util.Map;
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

  record Arrays(
      @JsonSerialize(using = IdSerializer.class) @JsonDeserialize(using = IdDeserializer.class)
          long @Nullable [] ids,
      @JsonSerialize(contentUsing = IdSerializer.class)
          @JsonDeserialize(contentUsing = IdDeserializer.class)
          Long[] boxed,
      @JsonSerialize(contentUsing = IdSerializer.class)
          @JsonDeserialize(contentUsing = IdDeserializer.class)
          Map<Long, long[]> lists) {}

  @Test
  void arraysOfIdsGoExactlyThroughJson() throws JsonProcessingException { // S35
    Arrays arrays =
        new Arrays(new long[] {BIG, 7}, new Long[] {BIG}, Map.of(BIG, new long[] {BIG + 1}));
    String json = mapper.writeValueAsString(arrays);
    assertEquals(
        "{\"ids\":[\"653247040368672768\",\"7\"],\"boxed\":[\"653247040368672768\"],"
            + "\"lists\":{\"653247040368672768\":[\"653247040368672769\"]}}",
        json);
    Arrays read = mapper.readValue(json, Arrays.class);
    assertArrayEquals(arrays.ids(), read.ids());
    assertArrayEquals(arrays.boxed(), read.boxed());
    assertArrayEquals(new long[] {BIG + 1}, read.lists().get(BIG));
    assertNull(mapper.readValue("{\"ids\":null}", Arrays.class).ids());
    assertEquals(0, mapper.readValue("{\"ids\":[]}", Arrays.class).ids().length);
    for (String wrong : List.of("\"7\"", "[7]", "[null]", "[\"0\"]", "[[\"7\"]]", "{}"))
      assertThrows(
          JsonMappingException.class,
          () -> mapper.readValue("{\"ids\":" + wrong + "}", Arrays.class));
  }

  @Test
  @SuppressWarnings("deprecation") // EVERYTHING is what reaches a long
  void theTypeOfAnIdMayStandBesideIt() throws JsonProcessingException {
    ObjectMapper typed =
        JsonMapper.builder()
            .activateDefaultTyping(
                LaissezFaireSubTypeValidator.instance, ObjectMapper.DefaultTyping.EVERYTHING)
            .build();
    Order order = new Order(BIG, 7L, List.of(BIG + 1));
    assertEquals(order, typed.readValue(typed.writeValueAsString(order), Order.class));
    Arrays arrays = new Arrays(new long[] {BIG}, new Long[] {7L}, Map.of());
    String json = typed.writeValueAsString(arrays);
    assertTrue(json.contains("\"653247040368672768\""), json);
    assertArrayEquals(arrays.ids(), typed.readValue(json, Arrays.class).ids());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  void whatIsNoIdIsNotWritten(long id) {
    for (Object value :
        List.of(
            new Order(id, 7L, List.of()), new Order(7, id, List.of()),
            new Order(7, 7L, List.of(7L, id)),
            new Arrays(new long[] {id}, new Long[0], Map.of()))) {
      var error =
          assertThrows(JsonMappingException.class, () -> mapper.writeValueAsString(value));
      assertTrue(error.getMessage().contains(id + " is not an ID"), error.getMessage());
    }
  }

  @Test
  void theyCanBeRegisteredForEveryLong() throws JsonProcessingException {
    SimpleModule module = new SimpleModule();
    module.addSerializer(Long.class, new IdSerializer());
    module.addDeserializer(Long.class, new IdDeserializer());
    ObjectMapper every = JsonMapper.builder().addModule(module).build();
    String json = every.writeValueAsString(List.of(BIG));
    assertEquals("[\"653247040368672768\"]", json);
    assertArrayEquals(new Long[] {BIG}, every.readValue(json, Long[].class));
  }

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
        "\"07\"", "\"-7\"", "\"7.5\"", "\"x\"", "\"99999999999999999999\"", "\"%s\"",
        "\"9223372036854775808\"", "\"18446744073709551615\""
      })
  void whatIsNoIdAsAStringIsRefused(String json) {
    var error =
        assertThrows(
            JsonMappingException.class,
            () -> mapper.readValue("{\"id\":" + json + ",\"items\":[]}", Order.class));
    assertTrue(error.getMessage().contains("\"id\""), error.getMessage());
  }
}
