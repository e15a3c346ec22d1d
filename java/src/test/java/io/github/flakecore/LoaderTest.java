// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.flakecore.Tests.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How the native library gets out of the jar. The folder that is mounted noexec is a real one, in a
 * mount namespace of its own.
 */
class LoaderTest {
  /** Prints the version, or why there is none. */
  static final class Program {
    public static void main(String[] arguments) {
      try {
        System.out.println(Flakecore.version());
      } catch (UnsatisfiedLinkError e) {
        System.out.println(e.getMessage());
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

  private static final String CLASS_PATH =
      Tests.classes() + ":"
          + Program.class.getProtectionDomain().getCodeSource().getLocation().getPath();

  private List<String> command(String... options) {
    List<String> all = new ArrayList<>(List.of("-Djava.io.tmpdir=" + tmp, "-Duser.home=" + home));
    all.addAll(List.of(options));
    return List.of(Tests.java(all, CLASS_PATH, Program.class.getName()));
  }

  private String run(List<String> command) {
    String[] all = command.toArray(String[]::new);
    Ended ended = Tests.run(place, Map.of("XDG_CACHE_HOME", ""), "", all);
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
      List<Path> kept = filesIn(cache);
      assertEquals(1, kept.size());
      assertArrayEquals(library(), Files.readAllBytes(kept.get(0)));
      assertEquals(
          "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(kept.get(0))));
      assertEquals(
          "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(cache)));
    }
  }

  @Test
  void aMissingTemporaryFolderFallsBackToo() throws IOException {
    Files.delete(tmp);
    assertEquals(Flakecore.version(), run(command()));
    assertEquals(1, filesIn(cache).size());
  }

  @Test
  void aCachedCopyThatIsNotTheLibraryIsReplaced() throws IOException {
    Files.delete(tmp);
    run(command());
    Path kept = filesIn(cache).get(0);
    Files.writeString(kept, "not a library");
    assertEquals(Flakecore.version(), run(command()));
    assertArrayEquals(library(), Files.readAllBytes(kept));
    Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rw-rw-rw-"));
    assertEquals(Flakecore.version(), run(command()));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)));
    Files.delete(kept);
    Files.createSymbolicLink(kept, Path.of(Tests.classes()).resolve(NativeLoader.resource()));
    assertEquals(Flakecore.version(), run(command()));
    assertTrue(!Files.isSymbolicLink(kept) && filesIn(cache).size() == 1);
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
    for (String wrong : List.of("named.so", place.resolve("nope.so").toString(), "")) {
      String said = run(command(option + wrong));
      assertTrue(said.startsWith("flakecore cannot load the native library " + wrong), said);
      assertTrue(said.contains("set the system property " + NativeLoader.PROPERTY), said);
    }
    assertEquals(List.of(), filesIn(home));
  }

  @Test
  void anotherPlatformIsNamed() {
    String said = run(command("-Dos.arch=riscv64"));
    assertTrue(said.contains("no native library for linux-riscv64"), said);
    assertTrue(said.contains(NativeLoader.PROPERTY), said);
    assertNotEquals("linux-riscv64", NativeLoader.platform());
  }
}
