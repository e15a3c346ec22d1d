// SPDX-License-Identifier: MIT
package bench;

import io.github.flakecore.Generator;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Draws IDs of the default layout as fast as they can be had, then looks for repeats. Prints JSON:
 * for each generator the share of 4,096 IDs per ms that it gave and its CPU time for each ID in ns;
 * and for each way of use the IDs that were there twice.
 */
final class Saturated {
  private static final double MOST_PER_S = 4_096_000;
  private static final double NS_PER_S = 1e9;
  private static final int DRAWN = 40_000;

  private Saturated() {}

  private static Map<String, Supplier<LongSupplier>> generators() {
    Map<String, Supplier<LongSupplier>> makers = new LinkedHashMap<>();
    makers.put("flakecore", () -> Peers.ours("bench-saturated")::nextId);
    makers.put("synchronized", () -> new Peers.Synchronized(12));
    makers.put("compare-and-set", () -> new Peers.CompareAndSet(12));
    makers.put("tsid-creator", Peers::tsidCreator);
    makers.put("hutool", Peers::hutool);
    return makers;
  }

  /** Runs work, which draws 1,000 IDs, for a second. */
  private static String saturated(Runnable work) {
    var threads = ManagementFactory.getThreadMXBean();
    long count = 0;
    long cpu = threads.getCurrentThreadCpuTime();
    long start = System.nanoTime();
    for (; System.nanoTime() - start < NS_PER_S; count += 1000) work.run();
    double seconds = (System.nanoTime() - start) / NS_PER_S;
    double each = (double) (threads.getCurrentThreadCpuTime() - cpu) / count;
    double rate = 100 * count / seconds / MOST_PER_S;
    return String.format(Locale.ROOT, "{\"rate\": %.4f, \"cpu\": %.4f}", rate, each);
  }

  private static Runnable thousand(LongSupplier next) {
    return () -> {
      for (int i = 0; i < 1000; i++)
        if (next.getAsLong() == 0) throw new AssertionError("0 is no ID");
    };
  }

  // ---- repeats ----------------------------------------------------------------------------------

  private static long repeats(List<long[]> lists) {
    long all = lists.stream().mapToLong(ids -> ids.length).sum();
    return all - lists.stream().flatMapToLong(LongStream::of).distinct().count();
  }

  private static long[] draw(LongSupplier next, int count) {
    return LongStream.generate(next).limit(count).toArray();
  }

  /** Eight threads share one generator. */
  private static long fromThreads(Supplier<LongSupplier> make) throws Exception {
    LongSupplier shared = make.get();
    List<FutureTask<long[]>> tasks = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      tasks.add(new FutureTask<>(() -> draw(shared, DRAWN / 8)));
      new Thread(tasks.get(i)).start();
    }
    List<long[]> lists = new ArrayList<>();
    for (var task : tasks) lists.add(task.get());
    return repeats(lists);
  }

  /** A new generator for each ID. */
  private static long fromNewOnes(Supplier<LongSupplier> make) {
    return repeats(List.of(draw(() -> make.get().getAsLong(), 1000)));
  }

  /** Two parts of a program make a generator of the same node each, and draw by turns. */
  private static long fromTwo(Supplier<LongSupplier> make) {
    LongSupplier first = make.get();
    LongSupplier second = make.get();
    List<long[]> lists = new ArrayList<>();
    for (int i = 0; i < 1000; i++)
      lists.add(new long[] {first.getAsLong(), second.getAsLong()});
    return repeats(lists);
  }

  public static void main(String[] arguments) throws Exception {
    Map<String, String> rates = new LinkedHashMap<>();
    Map<String, String> repeats = new LinkedHashMap<>();
    for (var entry : generators().entrySet()) {
      Supplier<LongSupplier> make = entry.getValue();
      Runnable work = thousand(make.get());
      saturated(work); // the first second is the compiler's
      rates.put(entry.getKey(), saturated(work));
      repeats.put(
          entry.getKey(),
          "{\"eight threads\": " + fromThreads(make) + ", \"a new one for each ID\": "
              + fromNewOnes(make) + ", \"two of one node\": " + fromTwo(make) + "}");
    }
    Generator gen = Peers.ours("bench-saturated");
    long[] array = new long[1000];
    rates.put("flakecore, nextIds", saturated(() -> gen.nextIds(array)));
    System.out.println("{\"saturated\": " + json(rates) + ", \"repeats\": " + json(repeats) + "}");
  }

  private static String json(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(entry -> "\"" + entry.getKey() + "\": " + entry.getValue())
        .collect(Collectors.joining(", ", "{", "}"));
  }
}
