// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.flakecore.Tests.Ended;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;

/**
 * How the native library gets out of the jar. The folder that is mounted noexec is a real one, in a
 * mount namespace of its own.
 */
class LoaderTest {
  /** Prints the version, or why there is none, which every later call must say again. */
  static final class Program {
    public static void main(String[] arguments) {
      for (String name : arguments) System.clearProperty(name);
      List<Executable> calls =
          List.of(
              Flakecore::version, () -> Layout.SNOWFLAKE.decode(1), () -> Layout.parse("41/10/12"),
              () -> TextFormat.HEX.encode(1), () -> new TestClock(1),
              () -> Generator.builder().node(1).space("loader").build().close());
      String first = answer(calls.get(0));
      for (Executable call : calls) assertEquals(first, answer(call));
      System.out.println(first.isEmpty() ? Flakecore.version() : first);
    }

    private static String answer(Executable call) {
      try {
        call.execute();
        return "";
      } catch (OperatorException e) {
        assertEquals("not_supported", e.status().toString());
        assertEquals(Status.Kind.OPERATOR, e.kind());
        return e.getMessage();
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }
  }

  @TempDir Path place;
  private Path tmp;
  private Path home;
  private Path cache;

  @BeforeEach
  void folders() throws IOException {
    tmp = Files.createDirectory(place.resolve("tmp"));
    home = Files.createDirectory(place.resolve("home"));
    cache = home.resolve(".cache/flakecore");
  }

  private static final String PROGRAM_PATH =
      Tests.classPathOf(Program.class, Executable.class, AssertionFailedError.class);

  private List<String> command(String... options) {
    List<String> all = new ArrayList<>(List.of("-Djava.io.tmpdir=" + tmp, "-Duser.home=" + home));
    all.addAll(List.of(options));
    return List.of(
        Tests.java(all, Tests.classes() + ":" + PROGRAM_PATH, Program.class.getName()));
  }

  private String run(List<String> command) {
    return run(command, Map.of("XDG_CACHE_HOME", ""));
  }

  private String run(List<String> command, Map<String, String> environment) {
    String[] all = command.toArray(String[]::new);
    Ended ended = Tests.run(place, environment, "", all);
    String noise = "WARNING: java.io.tmpdir directory does not exist"; // newer JDKs say so
    return new Ended(ended.status(), ended.out(), ended.err().replace(noise, "").strip())
        .good().strip();
  }

  /** Runs it where each of the folders is a new file system of its own, mounted noexec. */
  private String runNoexec(List<String> command, Path... folders) {
    StringBuilder script = new StringBuilder();
    for (Path folder : folders)
      script.append("mount -t tmpfs -o noexec,mode=700 tmpfs '").append(folder).append("' && ");
    script.append("exec \"$@\"");
    List<String> all = new ArrayList<>(List.of("unshare", "--mount"));
    if (!isRoot()) all.addAll(List.of("--user", "--map-root-user"));
    all.addAll(List.of("bash", "-c", script.toString(), "bash"));
    all.addAll(command);
    return run(all);
  }

  private static boolean isRoot() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<Path> filesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  private static byte[] library() throws IOException {
    return Files.readAllBytes(Path.of(Tests.classes()).resolve(NativeLoader.resource()));
  }

  @Test
  void theTemporaryFileIsDeletedAtOnce() throws IOException {
    assertEquals(Flakecore.version(), run(command()));
    assertEquals(List.of(), filesIn(tmp));
    assertEquals(List.of(), filesIn(home));
  }

  @Test
  void noexecTemporaryFoldersFallBackToTheCache() throws IOException { // S42
    for (int i = 0; i < 2; i++) {
      assertEquals(Flakecore.version(), runNoexec(command(), tmp));
      assertEquals(List.of(), filesIn(cache));
      assertEquals(
          "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(cache)));
    }
  }

  @Test
  void aMissingTemporaryFolderFallsBackToo() throws IOException {
    Files.delete(tmp);
    assertEquals(Flakecore.version(), run(command()));
    assertEquals(List.of(), filesIn(cache));
  }

  @Test
  void aTemporaryFolderThatHasNoPathFallsBackToo() throws IOException {
    Map<String, String> ascii = Map.of("XDG_CACHE_HOME", "", "LC_ALL", "C");
    assertEquals(Flakecore.version(), run(command(odd("java.io.tmpdir")), ascii));
    assertTrue(Files.isDirectory(cache));
    String said = run(command(odd(NativeLoader.PROPERTY)), ascii);
    assertTrue(said.startsWith("flakecore cannot load the native library /"), said);
    assertTrue(said.contains("InvalidPathException"), said);
  }

  /** Sets a property to a path that is not ASCII, by a file, whose bytes are taken as they are. */
  private String odd(String property) throws IOException {
    String argument = "-D" + property + "=" + place + "/\u00e9";
    return "@" + Files.writeString(place.resolve(property), argument);
  }

  @Test
  void propertiesThatSomebodyRemovedAreNamed() {
    List<String> command = new ArrayList<>(command());
    command.add("java.io.tmpdir");
    assertEquals(Flakecore.version(), run(command));
    command.add("user.home");
    String said = run(command);
    assertTrue(said.contains("from java.io.tmpdir (no property names it)"), said);
    assertTrue(said.contains("set the system property java.io.tmpdir to a folder"), said);
  }

  @Test
  void aCacheFolderThatOthersCanWriteIsNotUsed() throws IOException {
    Files.delete(tmp);
    run(command());
    Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxrwx"));
    String said = run(command());
    assertTrue(said.contains("not a folder that only this user can write"), said);
    assertTrue(said.contains("set the system property java.io.tmpdir"), said);
  }

  @Test
  void aCacheFolderThatOthersCanRenameIsNotUsed() throws IOException {
    Files.delete(tmp);
    run(command());
    Path above = cache.getParent();
    Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwxrwxrwx"));
    String said = run(command());
    assertTrue(said.contains("(others can rename it)"), said);
    Files.setAttribute(above, "unix:mode", 01777);
    assertEquals(Flakecore.version(), run(command()));
    Files.createDirectory(place.resolve("real"));
    Files.delete(cache);
    Files.createSymbolicLink(cache, place.resolve("real"));
    assertTrue(run(command()).contains("not a folder that only this user can write"));
  }

  @Test
  void whenBothAreNoexecTheSentenceSaysWhatToSet() { // S42
    String said = runNoexec(command(), tmp, home);
    assertTrue(said.startsWith("flakecore cannot load its native library from " + tmp), said);
    assertTrue(said.contains(cache.toString()), said);
    assertTrue(said.contains("set the system property java.io.tmpdir to a folder"), said);
    assertTrue(said.contains(NativeLoader.PROPERTY + " to the absolute path"), said);
    assertTrue(said.contains(NativeLoader.resource()), said);
  }

  @Test
  void aNamedLibraryIsLoadedAndNothingElse() throws IOException {
    Path named = Files.write(place.resolve("named.so"), library());
    String option = "-D" + NativeLoader.PROPERTY + "=";
    assertEquals(Flakecore.version(), runNoexec(command(option + named), tmp, home));
    String another = Files.write(place.resolve("another.so"), anotherLibrary()).toString();
    String older = Files.write(place.resolve("older.so"), withText("0.1.0", "0.0.9")).toString();
    String nope = place.resolve("nope.so").toString();
    for (String wrong : List.of("named.so", nope, "", another, older)) {
      String said = run(command(option + wrong));
      assertTrue(said.startsWith("flakecore cannot load the native library " + wrong), said);
      assertTrue(said.contains("set the system property " + NativeLoader.PROPERTY), said);
    }
    assertTrue(run(command(option + another)).contains("(it is another library)"));
    assertTrue(run(command(option + older)).contains("(it has version 0.0.9, the jar 0.1.0)"));
    assertEquals(List.of(), filesIn(home));
  }

  /** A library of the system's, which loads and has nothing of ours. */
  private static byte[] anotherLibrary() throws IOException {
    String maps = Files.readString(Path.of("/proc/self/maps"));
    String libm = maps.replaceFirst("(?s).*?(/\\S*/libm\\.so\\.6)\n.*", "$1");
    return Files.readAllBytes(Path.of(libm));
  }

  /** The library with another text of the same length in the place of one. */
  private static byte[] withText(String text, String other) throws IOException {
    Charset bytes = StandardCharsets.ISO_8859_1;
    String library = new String(library(), bytes);
    assertTrue(library.contains(text) && text.length() == other.length());
    return library.replace(text, other).getBytes(bytes);
  }

  @Test
  void aSystemThatIsTooOldIsNamedAndNotTheFolder() throws IOException {
    byte[] newer = withText("GLIBC_2.33", "GLIBC_9.99");
    Path named = Files.write(place.resolve("named.so"), newer);
    String said = run(command("-D" + NativeLoader.PROPERTY + "=" + named));
    Path jar = place.resolve("jar");
    Path inside = jar.resolve(NativeLoader.resource());
    Files.createDirectories(inside.getParent());
    Files.write(inside, newer);
    List<String> command = new ArrayList<>(command());
    int path = command.indexOf("-cp") + 1;
    command.set(path, jar + ":" + command.get(path));
    for (String sentence : List.of(said, run(command))) {
      assertTrue(sentence.startsWith("flakecore's native library needs a newer C lib"), sentence);
      assertTrue(sentence.contains("version `GLIBC_9.99' not found"), sentence);
      assertTrue(!sentence.contains("java.io.tmpdir"), sentence);
    }
    assertEquals(List.of(), filesIn(home));
  }

  @Test
  void aNamedLibraryServesOneClassLoader() throws IOException {
    Path named = Files.write(place.resolve("named.so"), library());
    List<String> command = new ArrayList<>(command("-D" + NativeLoader.PROPERTY + "=" + named));
    command.set(command.size() - 1, TwoLoaders.class.getName());
    String said = run(command);
    assertTrue(said.contains("already loaded in another classloader); let the class"), said);
    assertTrue(said.contains("leave the system property " + NativeLoader.PROPERTY + " out"), said);
  }

  /** Asks for the version in this class loader and in another one. */
  static final class TwoLoaders {
    public static void main(String[] arguments) throws Exception {
      assertEquals(NativeLoader.VERSION, Flakecore.version());
      List<URL> urls = new ArrayList<>();
      for (String path : System.getProperty("java.class.path").split(":"))
        urls.add(Path.of(path).toUri().toURL());
      try (var loader =
          new URLClassLoader(
              urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
        Method main =
            loader.loadClass(Program.class.getName()).getMethod("main", String[].class);
        main.setAccessible(true);
        main.invoke(null, (Object) new String[0]);
      }
    }
  }

  @Test
  void theVersionThatALibraryMustHaveIsThePackages() {
    assertEquals(System.getProperty("flakecore.version"), NativeLoader.VERSION);
  }

  @Test
  void anotherPlatformIsNamed() {
    String said = run(command("-Dos.arch=riscv64"));
    assertTrue(said.contains("no native library for linux-riscv64"), said);
    assertTrue(said.contains(NativeLoader.PROPERTY), said);
    assertNotEquals("linux-riscv64", NativeLoader.platform());
  }
}
