// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.flakecore.Vectors.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The conformance vectors, through the package's own API. */
class VectorsTest {
  /** What a call answers: a status, and a result when it is ok. */
  private record Outcome<T>(String status, T result) {
    static <T> Outcome<T> of(Supplier<T> call) {
      try {
        return new Outcome<>("ok", call.get());
      } catch (FlakeException e) {
        return new Outcome<>(e.status().toString(), null);
      }
    }

    static Outcome<Void> of(Runnable call) {
      return of(() -> {
        call.run();
        return null;
      });
    }

    boolean ok() {
      return status.equals("ok");
    }
  }

  @Test
  void noFileOfVectorsIsUnknownHere() throws IOException {
    try (Stream<Path> files = Files.list(Vectors.FOLDER)) {
      Set<String> names =
          files.map(path -> path.getFileName().toString()).filter(name -> name.endsWith(".tsv"))
              .collect(Collectors.toSet());
      assertEquals(Vectors.COLUMNS.keySet(), names);
    }
  }

  @Test
  void layoutsHold() throws IOException {
    String[] columns = {
      "time_bits", "time_shift", "node_bits", "node_shift", "seq_bits", "seq_shift", "tick_ms",
      "epoch_ms", "expires_ms"
    };
    for (Row row : Vectors.rows("layouts.tsv")) {
      var parsed = Outcome.of(() -> Layout.parse(row.text("text")));
      assertEquals(row.text("status"), parsed.status(), row::toString);
      if (!parsed.ok()) {
        row.expectNo("canonical", "now_ms", "check");
        row.expectNo(columns);
        continue;
      }
      Layout layout = parsed.result();
      assertEquals(row.text("canonical"), layout.toString(), row::toString);
      assertEquals(layout, Layout.parse(layout.toString()));
      assertEquals(layout.hashCode(), Layout.parse(layout.toString()).hashCode());
      long[] found = {
        layout.timeBits(), layout.timeShift(), layout.nodeBits(), layout.nodeShift(),
        layout.seqBits(), layout.seqShift(), layout.tickMs(), layout.epochMs(), layout.expiresMs()
      };
      assertArrayEquals(Stream.of(columns).mapToLong(row::number).toArray(), found, row::toString);
      assertEquals(layout.expiresMs(), layout.expires().toEpochMilli());
      var check = Outcome.of(() -> layout.check(row.number("now_ms")));
      assertEquals(row.text("check"), check.status(), row::toString);
    }
    Vectors.note("vectors", List.of("layouts.tsv"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTC", "Asia/Shanghai", "America/New_York"})
  void idsHoldInEveryTimeZone(String zone) throws IOException { // S39
    TimeZone before = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone(zone));
    try {
      for (Row row : Vectors.rows("ids.tsv")) idHolds(row);
    } finally {
      TimeZone.setDefault(before);
    }
    Vectors.note("vectors", List.of("ids.tsv"));
  }

  private static void idHolds(Row row) {
    Layout layout = Layout.parse(row.text("layout"));
    assertTrue(row.has("decode_status") || row.has("compose_status"), row::toString);
    if (row.has("decode_status")) {
      var decoded = Outcome.of(() -> layout.decode(row.unsigned("id")));
      assertEquals(row.text("decode_status"), decoded.status(), row::toString);
      if (decoded.ok()) partsHold(row, decoded.result());
    }
    if (row.has("compose_status")) {
      var composed =
          Outcome.of(
              () ->
                  layout.compose(
                      row.number("unix_ms"), row.number("node"), row.number("sequence")));
      assertEquals(row.text("compose_status"), composed.status(), row::toString);
      if (composed.ok()) assertEquals(row.number("id"), composed.result(), row::toString);
    }
  }

  private static void partsHold(Row row, Decoded parts) {
    Decoded expected =
        new Decoded(
            row.number("unix_ms"), row.number("tick"), row.number("node"), row.number("sequence"));
    assertEquals(expected, parts, row::toString);
    assertEquals(parts.unixMs(), parts.time().toEpochMilli());
    if (row.has("iso")) assertEquals(row.text("iso"), parts.iso(), row::toString);
    else assertTrue(parts.iso().startsWith("+"), row::toString);
  }

  @Test
  void boundsHold() throws IOException {
    for (Row row : Vectors.rows("bounds.tsv")) {
      Layout layout = Layout.parse(row.text("layout"));
      var found =
          Outcome.of(() -> layout.bounds(row.number("from_ms"), row.number("until_ms")));
      assertEquals(row.text("status"), found.status(), row::toString);
      if (!found.ok()) {
        row.expectNo("min_id", "max_id");
        continue;
      }
      Bounds expected = new Bounds(row.unsigned("min_id"), row.unsigned("max_id"));
      assertEquals(expected, found.result(), row::toString);
    }
    Vectors.note("vectors", List.of("bounds.tsv"));
  }

  @ParameterizedTest
  @CsvSource({"a,a", "\\x2d,-", "\\e,''", "\\\\x41,\\x41", "\\xc3\\xa9,\u00e9"})
  void escapesAreUndone(String field, String text) {
    assertEquals(text, Vectors.unescaped(field));
  }

  // ---- clock scripts ----------------------------------------------------------------------------

  /** Every way to an ID waits by itself and must behave the same. */
  private static final Map<String, ToLongFunction<Generator>> WAYS =
      Map.of(
          "nextId", Generator::nextId,
          "nextIdString", gen -> Long.parseLong(gen.nextIdString()),
          "nextRange", gen -> gen.nextRange(1).get(0),
          "nextIds", gen -> gen.nextIds(1)[0],
          "array", gen -> {
            long[] ids = new long[1];
            assertEquals(1, gen.nextIds(ids));
            return ids[0];
          });

  static Set<String> ways() {
    return WAYS.keySet();
  }

  /** Plays one script with a test clock and at most one open generator. */
  private static final class Player {
    final String space;
    final ToLongFunction<Generator> way;
    TestClock clock;
    Generator gen;
    long markNs;
    long biggest;

    Player(String space, ToLongFunction<Generator> way) {
      this.space = space;
      this.way = way;
    }

    void play(Row row) {
      switch (row.text("op")) {
        case "clock" -> {
          clock = new TestClock(row.number("arg1"));
          markNs = clock.monotonicNs();
        }
        case "wall" -> answer(row, () -> clock.setWall(row.number("arg1")));
        case "rate" -> answer(row, () -> clock.setRate(row.number("arg1")));
        case "advance" -> answer(row, () -> clock.advance(row.number("arg1")));
        case "script" ->
            answer(row, () -> clock.script(row.number("arg1"), row.number("arg2")));
        case "stop_sleeps" -> answer(row, () -> clock.stopSleeps(row.number("arg1") != 0));
        case "open" -> open(row);
        case "close" -> {
          gen.close();
          gen = null;
        }
        case "elapsed" -> {
          assertEquals(row.number("expected"), clock.monotonicNs() - markNs, row::toString);
          markNs = clock.monotonicNs();
        }
        case "next" -> next(row);
        default -> throw new AssertionError("an op that is unknown here: " + row);
      }
    }

    void answer(Row row, Runnable call) {
      assertEquals(row.text("expected"), Outcome.of(call).status(), row::toString);
    }

    void open(Row row) {
      assertNull(gen, row::toString);
      var opened =
          Outcome.of(
              () -> {
                GeneratorBuilder builder = Generator.builder().space(space).clock(clock);
                builder.layout(row.text("arg1"));
                if (row.has("arg2"))
                  for (String option : row.text("arg2").split(",")) set(builder, option.split("="));
                return builder.build();
              });
      assertEquals(row.text("expected"), opened.status(), row::toString);
      gen = opened.result();
      biggest = 0;
    }

    static void set(GeneratorBuilder builder, String[] option) {
      long number = option[0].equals("mode") ? 0 : Long.parseLong(option[1]);
      switch (option[0]) {
        case "mode" -> builder.mode(Generator.Mode.valueOf(option[1].toUpperCase()));
        case "node" -> builder.node(number);
        case "max_wait_ms" -> builder.maxWaitMs(number);
        case "max_lead_ms" -> builder.maxLeadMs(number);
        case "start_floor_ms" -> builder.startFloorMs(number);
        case "ceiling_ms" -> builder.ceilingMs(number);
        case "seq_spread_bits" -> builder.seqSpreadBits(number);
        default -> throw new AssertionError("an option that is unknown here: " + option[0]);
      }
    }

    void next(Row row) {
      long first = 0;
      long last = biggest;
      for (long i = 0; i < row.number("arg1"); i++) {
        var drawn = Outcome.of(() -> way.applyAsLong(gen));
        assertEquals(row.text("expected"), drawn.status(), row::toString);
        if (!drawn.ok()) continue;
        assertTrue(drawn.result() > last, row::toString);
        last = drawn.result();
        if (first == 0) first = last;
      }
      if (!row.text("expected").equals("ok")) {
        row.expectNo("first_id", "last_id");
        return;
      }
      assertEquals(row.number("first_id"), first, row::toString);
      assertEquals(row.number("last_id"), last, row::toString);
      biggest = last;
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void clockScriptsHold(String way) throws IOException {
    Map<String, Player> players = new HashMap<>();
    Set<String> ops = new HashSet<>();
    for (Row row : Vectors.rows("clock.tsv")) {
      String script = row.text("script");
      if (!players.containsKey(script)) {
        assertEquals("clock", row.text("op"), row::toString);
        assertTrue(players.values().stream().allMatch(p -> p.gen == null), row::toString);
        players.put(script, new Player(way + "-" + script, WAYS.get(way)));
      }
      players.get(script).play(row);
      ops.add(row.text("op"));
    }
    assertFalse(players.values().stream().anyMatch(p -> p.gen != null));
    Vectors.note("vectors", List.of("clock.tsv"));
    Vectors.note("script", players.keySet());
    Vectors.note("op", ops);
  }
}
