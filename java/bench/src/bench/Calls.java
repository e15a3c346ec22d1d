// SPDX-License-Identifier: MIT
package bench;

import io.github.flakecore.Generator;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Times the calls with JMH: each benchmark once, in a process of its own and in random order.
 * Prints JSON: ns for each ID of all threads together, by name.
 *
 * <p>Batches are drawn in monotonic mode, so that no layout caps them. "per call" is in the name of
 * what is not counted for each ID.
 */
@State(Scope.Benchmark)
public class Calls {
  private static final int N = 1000;
  private static final int WIDE = 20; // bits of sequence that no ms uses up

  private final String space = "bench-" + ProcessHandle.current().pid();
  private final long[] array = new long[N];
  private Generator one;
  private Generator many;
  private final LongSupplier locked = new Peers.Synchronized(WIDE);
  private final LongSupplier swapped = new Peers.CompareAndSet(WIDE);
  private final LongSupplier tsid = Peers.tsidCreator();

  @Setup
  public void open() {
    one = Generator.builder().node(1).layout("32/1/30*1s").space(space).maxWaitMs(3000).build();
    many = Generator.builder().node(1).layout("30/1/32*1s").space(space + "-many")
        .mode(Generator.Mode.MONOTONIC).maxLeadMs(86_400_000).build();
    one.nextId();
    many.nextId();
  }

  @TearDown
  public void close() {
    one.close();
    many.close();
  }

  @Benchmark
  public long nextId() {
    return one.nextId();
  }

  @Benchmark
  public String nextIdString() {
    return one.nextIdString();
  }

  @Benchmark
  @OperationsPerInvocation(N)
  public int fill() {
    return many.nextIds(array);
  }

  @Benchmark
  @OperationsPerInvocation(N)
  public long[] nextIds() {
    return many.nextIds(N);
  }

  @Benchmark
  public long nextRange() {
    return many.nextRange(N).first();
  }

  @Benchmark
  public long locked() {
    return locked.getAsLong();
  }

  @Benchmark
  public long swapped() {
    return swapped.getAsLong();
  }

  @Benchmark
  public long tsid() {
    return tsid.getAsLong();
  }

  @Benchmark
  public long clock() {
    return System.currentTimeMillis();
  }

  // ---- a round ----------------------------------------------------------------------------------

  private record Timed(String name, String method, int threads) {}

  private static final List<Timed> ALL =
      List.of(
          new Timed("nextId", "nextId", 1),
          new Timed("nextIdString", "nextIdString", 1),
          new Timed("nextIds(long[1000])", "fill", 1),
          new Timed("nextIds(1000)", "nextIds", 1),
          new Timed("nextRange(1000), per call", "nextRange", 1),
          new Timed("synchronized", "locked", 1),
          new Timed("compare-and-set", "swapped", 1),
          new Timed("tsid-creator", "tsid", 1),
          new Timed("System.currentTimeMillis", "clock", 1),
          new Timed("nextId, two threads", "nextId", 2),
          new Timed("synchronized, two threads", "locked", 2),
          new Timed("compare-and-set, two threads", "swapped", 2),
          new Timed("tsid-creator, two threads", "tsid", 2));

  private static double time(Timed timed) throws Exception {
    var options =
        new OptionsBuilder().include("^" + Calls.class.getName() + "\\." + timed.method() + "$")
            .mode(Mode.AverageTime).timeUnit(TimeUnit.NANOSECONDS).threads(timed.threads())
            .forks(1).jvmArgsAppend("-Xms64m", "-Xmx64m") // no page is touched for the first time
            .warmupIterations(3).warmupTime(TimeValue.milliseconds(150))
            .measurementIterations(4).measurementTime(TimeValue.milliseconds(100))
            .shouldFailOnError(true).verbosity(VerboseMode.SILENT).build();
    RunResult result = new Runner(options).run().iterator().next();
    return result.getPrimaryResult().getScore() / timed.threads();
  }

  public static void main(String[] arguments) throws Exception {
    List<Timed> order = new ArrayList<>(ALL);
    Collections.shuffle(order);
    List<String> lines = new ArrayList<>();
    for (Timed timed : order) lines.add("\"" + timed.name() + "\": " + time(timed));
    System.out.println("{" + String.join(", ", lines) + "}");
  }
}
