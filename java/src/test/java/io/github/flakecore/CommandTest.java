// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.flakecore.Tests.Ended;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command of the jar: options, messages and exit status are those of the command flake. */
class CommandTest {
  private static final String PROGRAM = "java -jar flakecore.jar";
  private static final String DISCORD = "175928847299117063";

  @TempDir Path place;

  private Ended jar(String given, String... arguments) {
    List<String> command =
        List.of(Tests.javaCommand(), "-jar", PackageTest.installed(".jar").toString());
    return run(given, command, arguments);
  }

  private Ended run(String given, List<String> command, String... arguments) {
    String[] all = Stream.concat(command.stream(), Stream.of(arguments)).toArray(String[]::new);
    return Tests.run(place, Map.of(), given, all);
  }

  /** What both do, when it is the same. */
  private Ended same(String given, String... arguments) {
    Path flake = Tests.ROOT.resolve("build/release/flake").toAbsolutePath();
    assertTrue(Files.exists(flake), "build the release preset first: ci/test does");
    Ended theirs = run(given, List.of(flake.toString()), arguments);
    Ended ours = jar(given, arguments);
    String err = ours.err().replace(PROGRAM, "flake");
    assertEquals(theirs, new Ended(ours.status(), ours.out(), err));
    return theirs;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "nxt", "--frob", "next", "next --frob", "next --node", "next --node 1 5",
        "next --node 1 -n -1", "next --node 1 -n x", "next --node=70000", "next --node 007",
        "next --node 9223372036854775808", "next --node env:NOPE_NOPE", "next --node frob",
        "next --node 1 --format HEX", "next --node 1 --layout frob", "next --node 1 --space a/b",
        "next --node 1 --layout discord", "next --node -1"
      })
  void wrongUsageIsAnsweredAlike(String arguments) {
    Ended ended = same("", arguments.isEmpty() ? new String[0] : arguments.split(" "));
    assertEquals(2, ended.status());
    assertEquals("", ended.out());
    assertEquals(1, ended.err().lines().count());
  }

  @Test
  void idsAreDecodedAlike() {
    same("", "decode", "--layout", "discord", DISCORD);
    same("", "decode", "--format=base62", "--", "0Czks0tP37X");
    same(DISCORD + "\n" + DISCORD + "\r\n" + DISCORD, "decode", "--layout", "twitter");
    same("", "decode", "--layout", "41/10/1", DISCORD);
    same("", "--version");
  }

  @Test
  void whatIsNoIdIsReportedWithItsLineAndLeftOut() {
    Ended ended = jar("x\n" + DISCORD + "\n\n0\n\u001b[31m\n", "decode", "--layout", "discord");
    assertEquals(1, ended.status());
    assertEquals(1, ended.out().lines().count());
    List<String> lines = ended.err().lines().toList();
    assertEquals(4, lines.size());
    String start = PROGRAM + " decode: line ";
    assertEquals(start + "1: 'x' is not an ID in the format dec", lines.get(0));
    assertEquals(start + "3: '' is not an ID in the format dec", lines.get(1));
    assertEquals(start + "4: '0' is not an ID in the format dec", lines.get(2));
    assertEquals(start + "5: '?[31m' is not an ID in the format dec", lines.get(3));
  }

  @Test
  void nextPrintsIdsThatRiseAndDecodeReadsThem() {
    String out = jar("", "next", "--node", "7", "-n", "10000", "--space", "java-command").good();
    Tests.assertRising(out.lines().mapToLong(Long::parseLong).toArray());
    List<String> parts = jar(out, "decode").good().lines().toList();
    assertEquals(10_000, parts.size());
    assertTrue(parts.stream().allMatch(line -> line.contains("  node 7  sequence ")));
    String hex = jar("", "next", "--node=7", "--format=hex", "--space", "java-command").good();
    assertEquals(7, Layout.SNOWFLAKE.decode(TextFormat.HEX.decodeText(hex.strip())).node());
  }

  @Test
  void aRandomNodeSaysTheOdds() {
    Ended ended = jar("", "next", "--node", "random:10", "--space", "java-command");
    assertEquals(0, ended.status());
    assertTrue(ended.err().contains(" %"), ended.err());
  }

  @Test
  void helpIsPrintedWhereItIsAskedFor() {
    String help = jar("", "--help").good();
    assertTrue(help.startsWith("Usage: " + PROGRAM + " next --node CHAIN"));
    assertEquals(help, jar("", "next", "-h", "--frob").good());
    assertEquals(help, jar("", "decode", "--help").good());
  }

  @Test
  void aLibraryThatCannotBeLoadedIsOneLine() {
    List<String> command =
        List.of(
            Tests.javaCommand(), "-D" + NativeLoader.PROPERTY + "=/nope", "-jar",
            PackageTest.installed(".jar").toString());
    for (String arguments : List.of("next --node 1", "decode 1", "--version"))
      assertOneLine("cannot load the native library /nope", run("", command, arguments.split(" ")));
  }

  private static void assertOneLine(String text, Ended ended) {
    assertEquals(1, ended.status());
    assertEquals("", ended.out());
    assertEquals(1, ended.err().lines().count(), ended.err());
    assertTrue(ended.err().startsWith(PROGRAM) && ended.err().contains(text), ended.err());
  }

  /** JDKs from 24 on can deny it; those before know no such option, and it must work. */
  @Test
  void whereNativeAccessIsDeniedTheSentenceNamesTheOption() {
    String jar = PackageTest.installed(".jar").toString();
    String main = Command.class.getName();
    Map<String, List<String>> starts =
        Map.of(
            "ALL-UNNAMED", List.of("-cp", jar, main),
            "io.github.flakecore", List.of("-p", jar, "-m", "io.github.flakecore/" + main));
    boolean newer = Runtime.version().feature() >= 24;
    starts.forEach(
        (who, start) -> {
          List<String> command = new ArrayList<>(List.of(Tests.javaCommand()));
          if (newer) command.add("--illegal-native-access=deny");
          command.addAll(start);
          Ended ended = run("", command, "--version");
          if (newer) assertOneLine("start the program with --enable-native-access=" + who, ended);
          else assertEquals("flake " + Flakecore.version() + "\n", ended.out());
        });
  }

  @Test
  void whatCannotBeWrittenIsReported() {
    String program = "exec \"$@\" > /dev/full";
    List<String> command =
        List.of("bash", "-c", program, "bash", Tests.javaCommand(), "-jar",
            PackageTest.installed(".jar").toString());
    Ended ended = run("", command, "decode", "1");
    assertEquals(1, ended.status());
    assertTrue(ended.err().contains("cannot write to standard output"), ended.err());
  }
}
