// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static io.github.flakecore.Tests.assertRising;
import static io.github.flakecore.Tests.assertUnique;
import static io.github.flakecore.Tests.builder;
import static io.github.flakecore.Tests.onThreads;
import static io.github.flakecore.Tests.refused;
import static io.github.flakecore.Tests.space;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many threads, closing under load, and the garbage collector. */
class ThreadsTest {
  @ParameterizedTest
  @ValueSource(ints = {2, 8, 200})
  void threadsGetIdsThatDifferAndRise(int threads) throws Exception {
    try (Generator gen = builder().build()) {
      List<long[]> lists =
          onThreads(
              threads,
              () -> {
                LongStream.Builder ids = LongStream.builder();
                for (int i = 0; i < 20; i++) {
                  LongStream.of(Tests.draw(gen, 50)).forEach(ids);
                  LongStream.of(gen.nextIds(20)).forEach(ids);
                  gen.nextRange(20).stream().forEach(ids);
                }
                return ids.build().toArray();
              });
      lists.forEach(Tests::assertRising);
      assertUnique(lists);
      assertEquals(lists.stream().mapToLong(ids -> ids.length).sum(), gen.stats().issued());
    }
  }

  @Test
  void closingUnderLoadEndsEveryThreadWithAnIdOrClosed() throws Exception {
    String space = space();
    for (int i = 0; i < 30; i++) {
      Generator gen = Generator.builder().node(1).space(space).build();
      Callable<FlakeException> work =
          () ->
              assertThrows(
                  FlakeException.class,
                  () -> {
                    while (true) {
                      assertTrue(gen.nextId() > 0);
                      assertRising(gen.nextIds(3));
                      assertRising(gen.nextRange(3).stream().toArray());
                      assertTrue(gen.tryNextId().orElse(1) > 0);
                      assertTrue(gen.health().wallMs() > 0 && gen.stats().issued() > 0);
                    }
                  });
      FutureTask<List<FlakeException>> workers = new FutureTask<>(() -> onThreads(3, work));
      new Thread(workers).start();
      Thread.sleep(2);
      gen.close();
      for (FlakeException error : workers.get())
        assertEquals(Status.CLOSED, error.status(), error.toString());
    }
  }

  @Test
  void aClosedOneStaysClosedWhileAnEqualOneGoesOn() throws Exception {
    GeneratorBuilder options = builder();
    try (Generator keeper = options.build()) {
      for (int i = 0; i < 30; i++) {
        Generator gen = options.build();
        FutureTask<FlakeException> worker =
            new FutureTask<>(
                () ->
                    assertThrows(
                        FlakeException.class,
                        () -> {
                          while (true) gen.nextId();
                        }));
        new Thread(worker).start();
        assertTrue(keeper.nextId() > 0);
        gen.close();
        assertEquals(Status.CLOSED, worker.get().status());
        refused(Status.CLOSED, gen::nextId);
      }
      assertTrue(keeper.nextId() > 0);
    }
  }

  @Test
  void closingFromManyThreadsClosesOnce() throws Exception {
    GeneratorBuilder options = builder();
    for (int i = 0; i < 50; i++) {
      Generator keeper = options.build();
      Generator gen = options.build();
      onThreads(
          4,
          () -> {
            gen.close();
            return 0;
          });
      assertTrue(keeper.nextId() > 0);
      keeper.close();
    }
  }

  // ---- the garbage collector --------------------------------------------------------------------

  /** Collects until the condition holds. */
  private static void collectUntil(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + 60 * Tests.NS_PER_S;
    while (!condition.call()) {
      assertTrue(System.nanoTime() < end, "still not after a minute");
      System.gc();
      Thread.sleep(1);
    }
  }

  @Test
  void aForgottenGeneratorGivesItsNodeBack() throws Exception {
    String space = space();
    assertTrue(Generator.builder().node(1).space(space).build().nextId() > 0);
    collectUntil(
        () -> {
          try (Generator gen = Generator.builder().node(1).space(space).maxWaitMs(7).build()) {
            return gen.node() == 1;
          } catch (OperatorException e) {
            assertEquals(Status.NODE_IN_USE, e.status());
            return false;
          }
        });
  }

  /** Runs work on two threads while another collects garbage; each call may be the last one. */
  private static void whileCollecting(Callable<List<Long>> work) throws Exception {
    Thread collector =
        new Thread(
            () -> {
              while (!Thread.currentThread().isInterrupted()) System.gc();
            });
    collector.start();
    try {
      List<long[]> lists = new ArrayList<>();
      for (List<Long> ids : onThreads(2, work))
        lists.add(ids.stream().mapToLong(id -> id).toArray());
      assertUnique(lists);
    } finally {
      collector.interrupt();
      collector.join();
    }
  }

  @Test
  void aGeneratorIsNotClosedDuringItsLastCall() throws Exception {
    String space = space();
    whileCollecting(
        () -> {
          List<Long> ids = new ArrayList<>();
          for (int i = 0; i < 3000; i++) {
            GeneratorBuilder options = Generator.builder().node(1).space(space).maxWaitMs(5000);
            ids.add(options.build().nextId());
            if (i % 3 == 0) ids.add(options.build().nextRange(2).first());
          }
          return ids;
        });
  }

  @Test
  void aTestClockLivesAsLongAsAGeneratorUsesIt() throws Exception {
    String space = space();
    whileCollecting(
        () -> {
          List<Long> ids = new ArrayList<>();
          for (int i = 0; i < 300; i++) {
            long wallNs = (Tests.NOW_MS + i) * Tests.NS_PER_MS;
            String own = space + "-" + System.identityHashCode(Thread.currentThread()) + "-" + i;
            long node = System.identityHashCode(Thread.currentThread()) % 1024;
            Generator gen =
                Generator.builder().node(node).space(own).clock(new TestClock(wallNs)).build();
            ids.add(gen.nextId());
            assertTrue(new TestClock(wallNs).monotonicNs() > 0);
          }
          return ids;
        });
  }
}
