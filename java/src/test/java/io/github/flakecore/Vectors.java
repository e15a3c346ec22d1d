// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Reads the conformance vectors as bindings/vectors/README.md says. */
final class Vectors {
  static final Path FOLDER = Tests.ROOT.resolve("bindings/vectors");

  /** Each file that is there must be read by some test: file, and the names of its columns. */
  static final Map<String, String> COLUMNS =
      Map.of(
          "layouts.tsv",
          "text status canonical time_bits time_shift node_bits node_shift seq_bits seq_shift "
              + "tick_ms epoch_ms expires_ms now_ms check why",
          "ids.tsv",
          "layout id decode_status unix_ms tick node sequence iso compose_status why",
          "bounds.tsv", "layout from_ms until_ms status min_id max_id why",
          "clock.tsv", "script step op arg1 arg2 expected first_id last_id why");

  private Vectors() {}

  record Row(String place, Map<String, String> fields) {
    @Override
    public String toString() {
      return place + ": " + fields.get("why");
    }

    String raw(String column) {
      return fields.get(column);
    }

    boolean has(String column) {
      return !raw(column).equals("-");
    }

    String text(String column) {
      assertTrue(has(column), this + ": " + column + " has no value");
      return unescaped(raw(column));
    }

    long number(String column) {
      return Long.parseLong(raw(column));
    }

    long unsigned(String column) {
      return Long.parseUnsignedLong(raw(column));
    }

    /** Of a row that is refused: nothing else is said. */
    void expectNo(String... columns) {
      for (String column : columns) assertFalse(has(column), toString());
    }
  }

  /** One pass from left to right: \xNN is a byte, \\ a backslash, \e nothing. */
  static String unescaped(String field) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int at = 0; at < field.length(); at++) {
      char one = field.charAt(at);
      assertTrue(one >= '!' && one <= '~', "an unescaped byte in " + field);
      if (one != '\\') {
        out.write(one);
        continue;
      }
      switch (field.charAt(++at)) {
        case 'x' -> {
          out.write(Integer.parseInt(field.substring(at + 1, at + 3), 16));
          at += 2;
        }
        case 'e' -> {}
        case '\\' -> out.write('\\');
        default -> throw new AssertionError("an unknown escape in " + field);
      }
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  /** The rows of a file; fails when it is missing or has other columns than this reader knows. */
  static List<Row> rows(String name) throws IOException {
    String text = Files.readString(FOLDER.resolve(name), StandardCharsets.US_ASCII);
    assertTrue(text.endsWith("\n"), name + " is cut off");
    List<String> lines = Arrays.asList(text.split("\n"));
    String[] names = COLUMNS.get(name).split(" ");
    assertEquals(List.of(names), List.of(lines.get(0).split("\t")), name);
    assertNotEquals(1, lines.size(), name + " has no rows");
    List<Row> rows = new ArrayList<>();
    for (int number = 1; number < lines.size(); number++) {
      String[] fields = lines.get(number).split("\t", -1);
      String place = name + ":" + (number + 1);
      assertEquals(names.length, fields.length, place);
      Map<String, String> row = new HashMap<>();
      for (int i = 0; i < names.length; i++) row.put(names[i], fields[i]);
      assertFalse(row.containsValue(""), place);
      rows.add(new Row(place, row));
    }
    return rows;
  }

  /** Notes for ci/parity what was read or played, when it asks for that. */
  static void note(String kind, Collection<String> names) throws IOException {
    String target = System.getenv("FLAKE_PARITY_NOTES");
    if (target == null) return;
    StringBuilder lines = new StringBuilder();
    for (String name : new TreeSet<>(names))
      lines.append("[\"").append(kind).append("\", \"").append(name).append("\"]\n");
    Files.writeString(
        Path.of(target), lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }
}
