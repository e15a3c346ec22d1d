// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static io.github.flakecore.Tests.NOW_MS;
import static io.github.flakecore.Tests.NS_PER_MS;
import static io.github.flakecore.Tests.NS_PER_S;
import static io.github.flakecore.Tests.assertRising;
import static io.github.flakecore.Tests.builder;
import static io.github.flakecore.Tests.refused;
import static io.github.flakecore.Tests.space;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** One generator: IDs one by one, opening and closing, sharing, health, stats. */
class GeneratorTest {
  private final TestClock clock = Tests.clock();

  private GeneratorBuilder withClock() {
    return builder().clock(clock);
  }

  @Test
  void idsRiseAndSayTheirNode() {
    try (Generator gen = builder().node(7).build()) {
      long[] ids = Tests.draw(gen, 10_000);
      assertRising(ids);
      for (long id : ids) assertEquals(7, gen.layout().decode(id).node());
      long age = System.currentTimeMillis() - gen.layout().decode(ids[9_999]).unixMs();
      assertTrue(Math.abs(age) < 10_000);
    }
  }

  @Test
  void theStringFormDrawsFromTheSameNumbers() {
    try (Generator gen = withClock().build()) {
      long first = gen.nextId();
      assertEquals(Long.toString(first + 1), gen.nextIdString());
      assertEquals(first + 2, gen.nextId());
    }
  }

  @Test
  void tryNextIdIsEmptyInsteadOfWaiting() {
    Generator gen = withClock().layout("41/10/2").build();
    assertTrue(gen.tryNextId().isEmpty()); // the first tick has not begun
    long before = clock.monotonicNs();
    clock.advance(NS_PER_MS);
    for (int i = 0; i < 4; i++) assertTrue(gen.tryNextId().getAsLong() > 0);
    assertTrue(gen.tryNextId().isEmpty());
    assertEquals(NS_PER_MS, clock.monotonicNs() - before);
    clock.setWall((NOW_MS - 5000) * NS_PER_MS);
    refused(Status.CLOCK_REWOUND, gen::tryNextId);
    gen.close();
  }

  @Test
  void aThousandGeneratorsMadeUsedAndDroppedRepeatNothing() { // S4
    String space = space();
    Set<Long> ids = new HashSet<>();
    for (int i = 0; i < 1000; i++)
      ids.add(Generator.builder().node(1).space(space).build().nextId());
    assertEquals(1000, ids.size());
  }

  @Test
  void twoModulesThatOpenOneNodeShareOrAreRefused() { // S5
    String space = space();
    GeneratorBuilder options = Generator.builder().node(1).space(space);
    try (Generator first = options.build();
        Generator second = options.build()) {
      Set<Long> ids = new HashSet<>();
      for (int i = 0; i < 500; i++) {
        ids.add(first.nextId());
        ids.add(second.nextId());
      }
      assertEquals(1000, ids.size());
      refused(Status.NODE_IN_USE, "open in this process with other options",
          () -> Generator.builder().node(1).space(space).maxWaitMs(7).build());
      refused(Status.LAYOUT_DIFFERS, "open with layout t41n10s12",
          () -> Generator.builder().node(2).space(space).layout("40/11/12").build());
    }
  }

  @Test
  void eachOfTheEqualOnesClosesForItself() {
    GeneratorBuilder options = withClock();
    Generator first = options.build();
    Generator second = options.build();
    first.close();
    first.close();
    assertTrue(first.closed());
    assertFalse(second.closed());
    List<Executable> calls =
        List.of(
            first::nextId, first::nextIdString, first::tryNextId, first::health, first::stats,
            () -> first.nextIds(0), () -> first.nextIds(2), () -> first.nextRange(1),
            () -> first.nextIds(new long[0]), () -> first.nextIds(new long[2]));
    for (Executable call : calls) refused(Status.CLOSED, call);
    long last = second.nextId();
    second.close();
    try (Generator again = options.build()) {
      assertTrue(again.nextId() > last);
    }
  }

  @Test
  void itSaysWhatItIs() {
    String space = space();
    GeneratorBuilder options = Generator.builder().space(space).clock(clock);
    Generator gen = options.node("env:NOT_THERE_AT_ALL,9").build();
    assertEquals(9, gen.node());
    assertEquals(space, gen.space());
    assertEquals(Layout.SNOWFLAKE, gen.layout());
    assertFalse(gen.nodeText().isEmpty());
    assertEquals("Generator[node=9 t41n10s12@1735689600000 '" + space + "', open]", gen.toString());
    gen.close();
    assertTrue(gen.toString().endsWith(", closed]"));
    assertEquals("", options.node(9).build().nodeText());
  }

  @Test
  void aLayoutWithoutNodeFieldNeedsNoNode() {
    Generator gen = Generator.builder().layout("41/0/12").space(space()).clock(clock).build();
    assertEquals(0, gen.node());
    assertTrue(gen.nextId() > 0);
    gen.close();
  }

  @Test
  void nodeZeroAndSequenceZeroAreLikeAnyOther() { // S38
    try (Generator gen = withClock().node(0).build()) {
      Decoded parts = gen.layout().decode(gen.nextId());
      assertEquals(0, parts.node());
      assertEquals(0, parts.sequence());
      String text = Long.toString(gen.layout().compose(parts.unixMs(), 0, 0));
      assertEquals(parts, gen.layout().decode(TextFormat.DEC.decodeText(text)));
    }
  }

  // ---- clocks -----------------------------------------------------------------------------------

  @Test
  void aFrozenClockGivesIdsAndThenErrorsNeverARepeat() { // S27
    Generator gen = withClock().maxWaitMs(5).build();
    gen.nextId();
    clock.setRate(0);
    List<Long> ids = new ArrayList<>();
    int errors = 0;
    for (int i = 0; i < 5000; i++) {
      try {
        ids.add(gen.nextId());
      } catch (OperatorException e) {
        assertEquals(Status.CLOCK_FROZEN, e.status());
        errors++;
      }
    }
    assertEquals(905, errors);
    assertEquals(4095, ids.size());
    assertRising(ids.stream().mapToLong(id -> id).toArray());
    gen.close();
  }

  @Test
  void aRewindIsWaitedOutWithinTheLimitAndRefusedBeyond() {
    Generator gen = withClock().maxWaitMs(1100).build();
    long first = gen.nextId();
    clock.setWall(clock.wallNs() - NS_PER_S);
    long before = clock.monotonicNs();
    assertEquals(first + 1, gen.nextId());
    assertEquals(NS_PER_S, clock.monotonicNs() - before);
    clock.setWall(clock.wallNs() - 3600 * NS_PER_S);
    for (int i = 0; i < 5; i++) refused(Status.CLOCK_REWOUND, "docs/clock.md", gen::nextId);
    Health health = gen.health();
    assertEquals(Health.Level.FAIL, health.level());
    assertFalse(health.ok());
    assertEquals(Status.CLOCK_REWOUND, health.status());
    assertEquals(Set.of(Health.Reason.REWOUND), health.reasons());
    assertEquals(3_600_000, health.rewindMs());
    assertTrue(health.toString().startsWith("fail: "));
    clock.setWall(clock.wallNs() + 3600 * NS_PER_S);
    assertEquals(first + 2, gen.nextId());
    Stats stats = gen.stats();
    assertEquals(3, stats.issued());
    assertEquals(5, stats.refusals());
    assertTrue(stats.rewinds() > 0);
    assertEquals(3_600_000, stats.rewindMaxMs());
    assertTrue(gen.health().ok());
    assertEquals("ok", gen.health().toString());
    gen.close();
  }

  @Test
  void exhaustionIsCountedOnceForEachWait() {
    Generator gen = withClock().layout("41/10/4").build();
    assertRising(Tests.draw(gen, 16 * 5));
    assertEquals(4, gen.stats().exhaustionWaits());
    assertEquals(80, gen.stats().issued());
    gen.close();
  }

  @Test
  void monotonicModeGoesOnAheadOfTheClock() {
    GeneratorBuilder options = withClock().mode(Generator.Mode.MONOTONIC);
    refused(Status.INVALID_ARGUMENT, "monotonic mode needs maxLeadMs", options::build);
    Generator gen = options.maxLeadMs(10).build();
    long before = clock.monotonicNs();
    assertRising(gen.nextIds(4096 * 5));
    assertEquals(before, clock.monotonicNs());
    assertTrue(gen.stats().leadMs() >= 4 && gen.stats().leadMs() <= 5);
    gen.close();
  }

  @Test
  void floorAndCeilingHold() {
    Generator gen = withClock().startFloorMs(NOW_MS + 50).ceilingMs(NOW_MS + 52).build();
    assertEquals(NOW_MS + 50, gen.layout().decode(gen.nextId()).unixMs());
    clock.advance(60 * NS_PER_MS);
    refused(Status.CEILING_REACHED, gen::nextId);
    assertEquals(NOW_MS + 52, gen.health().ceilingMs());
    gen.close();
  }

  @Test
  void randomStartsSpreadTheLowDigits() {
    Generator gen = withClock().seqSpreadBits(8).build();
    Set<Long> starts = new HashSet<>();
    for (int i = 0; i < 200; i++) {
      clock.advance(NS_PER_MS);
      starts.add(gen.layout().decode(gen.nextId()).sequence());
    }
    assertTrue(starts.size() > 80);
    assertTrue(starts.stream().allMatch(start -> start < 256));
    gen.close();
  }

  @Test
  void theCoarseClockGivesIds() {
    try (Generator gen = builder().clockSource(Generator.ClockSource.COARSE).build()) {
      assertTrue(gen.nextId() < gen.nextId());
    }
  }

  @Test
  void withTheGuardOffHealthWarns() {
    try (Generator gen = builder().hostGuard(Generator.HostGuard.UNSAFE_OFF).build()) {
      Health health = gen.health();
      assertEquals(Health.Level.WARN, health.level());
      assertTrue(health.ok() && health.reasons().contains(Health.Reason.GUARD_OFF));
    }
  }

  // ---- waits ------------------------------------------------------------------------------------

  @Test
  void aWaitEndsAtTheOneDeadline() {
    try (Generator gen = builder().layout("32/10/2*10s").maxWaitMs(50).build()) {
      long started = System.nanoTime();
      FlakeException error =
          assertThrows(RetryException.class, () -> gen.nextIds(9));
      assertTrue(Set.of(Status.DEADLINE_PASSED, Status.EXHAUSTED).contains(error.status()));
      long elapsedMs = (System.nanoTime() - started) / NS_PER_MS;
      assertTrue(elapsedMs >= 10 && elapsedMs < 5000, elapsedMs + " ms");
    }
  }

  /** A generator whose calls wait for 20 s. */
  private static Generator waiting() {
    return builder().startFloorMs(System.currentTimeMillis() + 20_000).maxWaitMs(60_000).build();
  }

  @Test
  void anInterruptEndsAWaitAndLosesNothing() throws Exception {
    Generator gen = waiting();
    List<FlakeException> errors = new ArrayList<>();
    for (Executable call :
        List.<Executable>of(gen::nextId, () -> gen.nextIds(9), () -> gen.nextRange(9))) {
      Thread waiter =
          new Thread(
              () -> {
                errors.add(refused(Status.AGAIN, "interrupt flag is still set", call));
                assertTrue(Thread.currentThread().isInterrupted());
              });
      long started = System.nanoTime();
      waiter.start();
      Thread.sleep(50);
      waiter.interrupt();
      waiter.join();
      assertTrue(System.nanoTime() - started < 15 * NS_PER_S);
    }
    assertEquals(3, errors.size());
    assertEquals(0, gen.stats().issued());
    gen.close();
  }

  @Test
  void anInterruptedThreadGetsIdsThatAreThereAtOnce() {
    try (Generator gen = builder().layout("32/2/24*1s").maxWaitMs(5000).build()) {
      gen.nextId();
      Thread.currentThread().interrupt();
      assertRising(Tests.draw(gen, 100));
      assertTrue(Thread.interrupted());
    }
  }

  @Test
  void otherThreadsRunWhileOneWaits() throws Exception {
    Generator gen = builder().layout("32/10/2*1s").maxWaitMs(20_000).build();
    Thread waiter = new Thread(() -> gen.nextIds(9));
    waiter.start();
    int turns = 0;
    while (waiter.isAlive()) {
      assertTrue(gen.health().ok());
      Thread.sleep(10);
      turns++;
    }
    assertTrue(turns > 5);
    gen.close();
  }

  @Test
  void openingIsQuickAndLooksNothingUp() { // S9
    long started = System.nanoTime();
    builder().build().close();
    assertTrue(System.nanoTime() - started < 5 * NS_PER_S);
  }
}
