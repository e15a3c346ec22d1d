// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.function.Executable;

/** What the tests share: a folder for lock files, spaces, clocks, threads, processes. */
final class Tests {
  static final long NOW_MS = 1_750_000_000_000L; // the start of a tick in every layout of the tests
  static final long NS_PER_MS = 1_000_000;
  static final long NS_PER_S = 1_000_000_000;
  static final Path ROOT = Path.of(System.getProperty("flakecore.root")).normalize();

  private static final AtomicInteger SPACES = new AtomicInteger();

  static {
    try {
      Files.createDirectories(Path.of(System.getenv("FLAKECORE_RUN_DIR")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Tests() {}

  /** A name that no other space of this process and its children has. */
  static String space() {
    return "java-" + ProcessHandle.current().pid() + "-" + SPACES.incrementAndGet();
  }

  static TestClock clock() {
    return new TestClock(NOW_MS * NS_PER_MS);
  }

  /** Node 1 in a space of its own. */
  static GeneratorBuilder builder() {
    return Generator.builder().node(1).space(space());
  }

  static FlakeException refused(Status status, Executable call) {
    FlakeException error = assertThrows(FlakeException.class, call);
    assertEquals(status, error.status(), error.getMessage());
    assertEquals(status.kind(), error.kind());
    return error;
  }

  static FlakeException refused(Status status, String text, Executable call) {
    FlakeException error = refused(status, call);
    assertTrue(error.getMessage().contains(text), error.getMessage());
    return error;
  }

  static void assertRising(long[] ids) {
    for (int i = 1; i < ids.length; i++) assertTrue(ids[i - 1] < ids[i], "at " + i);
    if (ids.length > 0) assertTrue(ids[0] > 0);
  }

  static void assertUnique(List<long[]> lists) {
    long[] all = lists.stream().flatMapToLong(Arrays::stream).sorted().toArray();
    assertRising(all);
  }

  static long[] draw(Generator gen, int count) {
    return LongStream.generate(gen::nextId).limit(count).toArray();
  }

  /** Runs the same on so many threads; the result of each. What one throws is thrown. */
  static <T> List<T> onThreads(int count, Callable<T> work) throws Exception {
    List<FutureTask<T>> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tasks.add(new FutureTask<>(work));
      new Thread(tasks.get(i)).start();
    }
    List<T> results = new ArrayList<>();
    for (var task : tasks) results.add(task.get());
    return results;
  }

  // ---- other processes --------------------------------------------------------------------------

  /** Where the classes of another process come from: the places of these, as a class path. */
  static String classPathOf(Class<?>... types) {
    return Arrays.stream(types)
        .map(type -> type.getProtectionDomain().getCodeSource().getLocation().toString())
        .map(place -> Path.of(URI.create(place)).toString())
        .collect(Collectors.joining(":"));
  }

  /** How a process ended, and what it wrote. */
  record Ended(int status, String out, String err) {
    String good() {
      assertEquals(0, status, out + err);
      assertEquals("", err);
      return out;
    }
  }

  static Ended run(Path folder, Map<String, String> environment, String given, String... command) {
    try {
      Path in = Files.writeString(
          Files.createTempFile("flakecore-test-", ".in"), given, StandardCharsets.ISO_8859_1);
      Path err = Files.createTempFile("flakecore-test-", ".err");
      ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
      builder.environment().putAll(environment);
      Process process = builder.redirectInput(in.toFile()).redirectError(err.toFile()).start();
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int status = process.waitFor();
      String errors = Files.readString(err);
      Files.delete(in);
      Files.delete(err);
      return new Ended(status, out, errors);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static String javaCommand() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** What newer JDKs want to be told: which module may call native code. */
  static List<String> nativeAccess(String module) {
    boolean newer = Runtime.version().feature() >= 22;
    return newer ? List.of("--enable-native-access=" + module) : List.of();
  }

  /** The command of this JVM for a program on a class path. */
  static String[] java(List<String> options, String classPath, String... program) {
    List<String> command = new ArrayList<>(List.of(javaCommand()));
    command.addAll(nativeAccess("ALL-UNNAMED"));
    command.addAll(options);
    command.addAll(List.of("-cp", classPath));
    command.addAll(List.of(program));
    return command.toArray(String[]::new);
  }

  /** Where the classes under test are. */
  static String classes() {
    return Path.of(System.getProperty("flakecore.classes")).toString();
  }
}
