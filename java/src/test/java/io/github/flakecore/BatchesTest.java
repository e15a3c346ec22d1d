// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static io.github.flakecore.Tests.NOW_MS;
import static io.github.flakecore.Tests.NS_PER_MS;
import static io.github.flakecore.Tests.assertRising;
import static io.github.flakecore.Tests.builder;
import static io.github.flakecore.Tests.refused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many IDs: arrays, ranges, and arrays that are filled in place. */
class BatchesTest {
  enum Way { IDS, RANGE, ARRAY, ONE }

  record Draw(Way way, int n) {}

  @Provide
  Arbitrary<String> layouts() {
    return Arbitraries.of("snowflake", "41/10/4", "sonyflake", "41/10/1", "32/2/24*1s");
  }

  @Provide
  Arbitrary<Draw> draws() {
    return Combinators.combine(Arbitraries.of(Way.class), Arbitraries.integers().between(1, 70))
        .as(Draw::new);
  }

  @Property(tries = 100)
  void allWaysToManyIdsDrawRisingOnesFromTheSameNumbers(
      @ForAll("layouts") String layout,
      @ForAll @Size(min = 1, max = 12) List<@From("draws") Draw> draws) {
    List<Long> ids = new ArrayList<>();
    try (Generator gen = builder().layout(layout).clock(Tests.clock()).build()) {
      for (Draw draw : draws) LongStream.of(drawn(gen, draw)).forEach(ids::add);
      assertRising(ids.stream().mapToLong(id -> id).toArray());
      assertEquals(ids.size(), gen.stats().issued());
    }
  }

  private static long[] drawn(Generator gen, Draw draw) {
    switch (draw.way()) {
      case IDS:
        return gen.nextIds(draw.n());
      case RANGE:
        IdRange range = gen.nextRange(draw.n());
        assertTrue(range.count() >= 1 && range.count() <= draw.n());
        assertEquals(gen.layout().stride(), range.stride());
        long ticks = range.stream().map(id -> gen.layout().decode(id).tick()).distinct().count();
        assertEquals(1, ticks);
        return range.stream().toArray();
      case ARRAY:
        long[] ids = new long[draw.n()];
        assertEquals(draw.n(), gen.nextIds(ids));
        return ids;
      default:
        return new long[] {gen.nextId()};
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 4095, 4096, 4097, 20_000})
  void nextIdsGivesExactlyN(int n) {
    try (Generator gen = builder().build()) {
      long[] ids = gen.nextIds(n);
      assertEquals(n, ids.length);
      assertRising(ids);
    }
  }

  @Test
  void anErrorInTheMiddleHandsOverWhatWasIssued() {
    Generator gen = builder().clock(Tests.clock()).maxWaitMs(3).build();
    FlakeException error = refused(Status.EXHAUSTED, () -> gen.nextIds(100_000));
    long[] issued = error.issued();
    assertRising(issued);
    assertEquals(gen.stats().issued(), issued.length);
    assertEquals(0, issued.length % 4096);
    assertTrue(issued.length >= 4096 && issued.length <= 4 * 4096);
    assertTrue(gen.nextId() > issued[issued.length - 1]);
    issued[0] = 0;
    assertTrue(error.issued()[0] > 0, "what is handed over is a copy");
    gen.close();
  }

  @Test
  void anInterruptedBatchSaysHowManyWereDrawn() {
    Generator gen = builder().layout("41/10/2").clock(Tests.clock()).build();
    long first = gen.nextId();
    Thread.currentThread().interrupt(); // looked at when the tick is used up
    FlakeException error =
        refused(Status.AGAIN, "; 3 were drawn before and are in issued(), so call again",
            () -> gen.nextIds(60));
    assertTrue(Thread.interrupted());
    assertArrayEquals(new long[] {first + 1, first + 2, first + 3}, error.issued());
    assertFalse(error.getMessage().contains("none"));
    assertTrue(gen.nextId() > first + 3);
    gen.close();
  }

  @Test
  void anArrayIsFilledAsFarAsItGoesAndTheRestIsLeftAlone() {
    Generator gen = builder().clock(Tests.clock()).maxWaitMs(3).build();
    long[] ids = new long[100_000];
    Arrays.fill(ids, -1);
    int filled = gen.nextIds(ids);
    assertTrue(filled > 0 && filled < ids.length);
    assertRising(Arrays.copyOf(ids, filled));
    for (int i = filled; i < ids.length; i++) assertEquals(-1, ids[i]);
    assertEquals(filled, gen.stats().issued());
    gen.close();
  }

  @Test
  void anErrorBeforeTheFirstIdIsThrownByAll() {
    TestClock clock = Tests.clock();
    Generator gen = builder().clock(clock).build();
    gen.nextId();
    clock.setWall((NOW_MS - 10_000) * NS_PER_MS);
    long[] ids = {-1};
    for (Executable call :
        List.<Executable>of(
            () -> gen.nextIds(5), () -> gen.nextRange(5), () -> gen.nextIds(ids)))
      assertEquals(0, refused(Status.CLOCK_REWOUND, call).issued().length);
    assertArrayEquals(new long[] {-1}, ids);
    gen.close();
  }

  @Test
  void aRangeCountsInStridesWhereTheSequenceIsNotLowest() {
    Layout layout = Layout.parse("sonyflake");
    try (Generator gen = builder().node(3).layout(layout).clock(Tests.clock()).build()) {
      IdRange range = gen.nextRange(5);
      assertTrue(layout.stride() > 1);
      long[] ids = range.stream().toArray();
      for (int i = 0; i < 5; i++) {
        assertEquals(ids[i], range.get(i));
        assertEquals(i, layout.decode(ids[i]).sequence());
        assertEquals(3, layout.decode(ids[i]).node());
      }
      for (long index : new long[] {-1, 5, Long.MIN_VALUE})
        assertThrows(IndexOutOfBoundsException.class, () -> range.get(index));
    }
  }

  @Test
  void emptyArraysAndCountsDrawNothing() {
    try (Generator gen = builder().build()) {
      assertEquals(0, gen.nextIds(new long[0]));
      assertEquals(0, gen.nextIds(0).length);
      assertEquals(0, gen.stats().issued());
    }
  }

  @Test
  void countsOutOfRangeAreRefused() {
    try (Generator gen = builder().build()) {
      for (int n : new int[] {-1, Integer.MIN_VALUE})
        refused(Status.INVALID_ARGUMENT, "n is " + n, () -> gen.nextIds(n));
      for (long n : new long[] {0, -1, Long.MIN_VALUE})
        refused(Status.INVALID_ARGUMENT, "n is " + n, () -> gen.nextRange(n));
      assertTrue(gen.nextRange(Long.MAX_VALUE).count() <= 4096);
    }
  }
}
