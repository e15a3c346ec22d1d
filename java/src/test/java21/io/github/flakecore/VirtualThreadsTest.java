// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static io.github.flakecore.Tests.assertUnique;
import static io.github.flakecore.Tests.builder;
import static io.github.flakecore.Tests.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Virtual threads, of which there may be many more than threads that carry them. */
class VirtualThreadsTest {
  private static List<long[]> onVirtualThreads(int count, Callable<long[]> work) throws Exception {
    List<long[]> lists = new ArrayList<>();
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<long[]>> results = new ArrayList<>();
      for (int i = 0; i < count; i++) results.add(executor.submit(work));
      for (Future<long[]> result : results) lists.add(result.get());
    }
    return lists;
  }

  @Test
  void tenThousandVirtualThreadsGetIdsThatDifferAndRise() throws Exception {
    try (Generator gen = builder().layout("41/10/8").maxWaitMs(60_000).build()) {
      List<long[]> lists =
          onVirtualThreads(
              10_000,
              () -> {
                long first = gen.nextId();
                long[] more = gen.nextIds(3);
                return new long[] {first, more[0], more[1], more[2], gen.nextRange(1).first()};
              });
      lists.forEach(Tests::assertRising);
      assertUnique(lists);
      assertEquals(50_000, gen.stats().issued());
      assertTrue(gen.stats().exhaustionWaits() > 0);
    }
  }

  @Test
  void aWaitPinsNoCarrier() throws Exception {
    long floorMs = System.currentTimeMillis() + 600_000;
    try (Generator gen = builder().startFloorMs(floorMs).maxWaitMs(3_600_000).build();
        ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      CountDownLatch started = new CountDownLatch(1000);
      List<Future<Long>> waiters = new ArrayList<>();
      for (int i = 0; i < 1000; i++)
        waiters.add(
            executor.submit(
                () -> {
                  started.countDown();
                  return gen.nextId();
                }));
      started.await(); // more of them wait than there could be carriers
      assertEquals(7, executor.submit(() -> 7).get());
      executor.shutdownNow(); // interrupts them
      assertTrue(executor.awaitTermination(60, TimeUnit.SECONDS));
      for (Future<Long> waiter : waiters)
        refused(
            Status.AGAIN,
            () -> {
              throw waiter.exceptionNow();
            });
      assertEquals(0, gen.stats().issued());
    }
  }
}
