// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static io.github.flakecore.Tests.refused;
import static io.github.flakecore.Tests.space;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Other processes of the host, and other copies of the library in this one. Java cannot fork. */
class ProcessesTest {
  /** Draws the first ID of node 1 in a space, or says why not. */
  static final class Program {
    public static void main(String[] arguments) throws Exception {
      System.out.println(firstOf(arguments[0]));
      if (arguments.length > 1) Thread.sleep(Long.parseLong(arguments[1]));
    }

    public static String firstOf(String space) {
      try (Generator gen = Generator.builder().node(1).space(space).maxWaitMs(10_000).build()) {
        return Long.toString(gen.nextId());
      } catch (FlakeException e) {
        return e.status() + " " + e.getMessage();
      }
    }
  }

  private static final String TEST_CLASSES = Tests.classPathOf(Program.class);
  private static final String CLASS_PATH = Tests.classes() + ":" + TEST_CLASSES;

  private static String inAnotherProcess(String space) {
    String[] command = Tests.java(List.of(), CLASS_PATH, Program.class.getName(), space);
    return Tests.run(Path.of("."), Map.of(), "", command).good().strip();
  }

  @Test
  void aSecondProcessGetsNodeInUse() {
    String space = space();
    try (Generator gen = Generator.builder().node(1).space(space).build()) {
      String answer = inAnotherProcess(space);
      assertTrue(answer.startsWith("node_in_use "), answer);
      assertTrue(answer.contains("process " + ProcessHandle.current().pid()), answer);
      assertTrue(gen.nextId() > 0);
    }
    assertTrue(Long.parseLong(inAnotherProcess(space)) > 0);
  }

  @Test
  void stoppedAndStartedAgainTheIdsGoOn() { // S6
    String space = space();
    long last = 0;
    for (int i = 0; i < 3; i++) {
      long id = Long.parseLong(inAnotherProcess(space));
      assertTrue(id > last);
      last = id;
    }
  }

  @Test
  void killFreesTheNode() throws Exception {
    String space = space();
    Process process =
        new ProcessBuilder(
                Tests.java(List.of(), CLASS_PATH, Holder.class.getName(), space))
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    long first = Long.parseLong(process.inputReader().readLine());
    refused(Status.NODE_IN_USE, () -> Generator.builder().node(1).space(space).build());
    process.destroyForcibly().waitFor();
    try (Generator gen = Generator.builder().node(1).space(space).build()) {
      assertTrue(gen.nextId() > first);
    }
  }

  /** Holds node 1 until it is killed. */
  static final class Holder {
    public static void main(String[] arguments) throws Exception {
      System.out.println(Generator.builder().node(1).space(arguments[0]).build().nextId());
      System.out.flush();
      Thread.sleep(600_000);
    }
  }

  @Test
  void theVirtualMachineEndsQuietlyWhileThreadsDraw() {
    String[] command = Tests.java(List.of(), CLASS_PATH, Drawing.class.getName(), space());
    assertEquals("", Tests.run(Path.of("."), Map.of(), "", command).good());
  }

  /** Ends while its threads draw and the shutdown hook still does. */
  static final class Drawing {
    public static void main(String[] arguments) throws Exception {
      Generator gen = Generator.builder().node(1).space(arguments[0]).build();
      for (int i = 0; i < 4; i++) {
        Thread thread =
            new Thread(
                () -> {
                  while (true) gen.nextId();
                });
        thread.setDaemon(true);
        thread.start();
      }
      Runtime.getRuntime().addShutdownHook(new Thread(gen::nextId));
      Thread.sleep(100);
    }
  }

  // ---- two class loaders ------------------------------------------------------------------------

  private static String firstOf(ClassLoader loader, String space) throws Exception {
    try {
      var method = loader.loadClass(Program.class.getName()).getMethod("firstOf", String.class);
      method.setAccessible(true);
      return (String) method.invoke(null, space);
    } catch (InvocationTargetException e) {
      throw new AssertionError(e.getCause());
    }
  }

  private static URLClassLoader another() throws Exception {
    URL[] urls = {
      Path.of(Tests.classes()).toUri().toURL(), Path.of(TEST_CLASSES).toUri().toURL()
    };
    return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
  }

  @Test
  void twoClassLoadersWithACopyOfTheLibraryEachAreRefusedByTheGuard() throws Exception { // S43
    String space = space();
    try (URLClassLoader first = another();
        URLClassLoader second = another()) {
      assertNotSame(
          first.loadClass(Generator.class.getName()), second.loadClass(Generator.class.getName()));
      try (Generator gen = Generator.builder().node(1).space(space).build()) {
        for (ClassLoader loader : List.of(first, second)) {
          String answer = firstOf(loader, space);
          assertTrue(answer.startsWith("node_in_use "), answer);
        }
        assertTrue(gen.nextId() > 0);
      }
      long[] ids = new long[8];
      for (int i = 0; i < ids.length; i++)
        ids[i] = Long.parseLong(firstOf(i % 2 == 0 ? first : second, space));
      Tests.assertRising(ids);
      assertEquals(ids.length, Arrays.stream(ids).distinct().count());
    }
  }

  @Test
  void textOfTheSurroundingsIsReadAsUtf8() {
    String folder = "/nope/\u00e9\ud83d\ude00";
    String[] command =
        Tests.java(List.of("-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8"), CLASS_PATH,
            Program.class.getName(), space());
    String bytes = "\\303\\251\\360\\237\\230\\200"; // of UTF-8, whatever Java's own encoding is
    String script = "FLAKECORE_RUN_DIR=$(printf '/nope/" + bytes + "') exec \"$@\"";
    List<String> all = new ArrayList<>(List.of("bash", "-c", script, "bash"));
    all.addAll(List.of(command));
    String answer =
        Tests.run(Path.of("."), Map.of(), "", all.toArray(String[]::new)).good();
    assertTrue(answer.contains(folder), answer);
  }

  @Test
  void aRunDirectoryThatIsNotThereIsAnErrorThatSaysWhatToDo() {
    String[] command = Tests.java(List.of(), CLASS_PATH, Program.class.getName(), space());
    String answer =
        Tests.run(Path.of("."), Map.of("FLAKECORE_RUN_DIR", "/nope/nope"), "", command).good();
    assertTrue(answer.startsWith("no_run_dir "), answer);
    assertTrue(answer.contains("set FLAKECORE_RUN_DIR"), answer);
  }
}
