// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each status has one constant and one class of exception; enumerators equal the core's. */
class StatusTest {
  private static final Map<Status.Kind, Class<?>> CLASSES =
      Map.of(
          Status.Kind.CALLER, CallerException.class,
          Status.Kind.RETRY, RetryException.class,
          Status.Kind.OPERATOR, OperatorException.class);

  /** Number of each enumerator of the header, by its name. */
  private static Map<String, Long> enumerators() throws IOException {
    String header = Files.readString(Tests.ROOT.resolve("core/flakecore.h"));
    Map<String, Long> found = new HashMap<>();
    Pattern.compile("\\b(FLAKE_[A-Z0-9_]+) = (-?\\d+)").matcher(header).results()
        .forEach((MatchResult one) -> found.put(one.group(1), Long.valueOf(one.group(2))));
    return found;
  }

  @Test
  void aStatusHasOneConstantWithItsNameClassAndSentence() throws IOException {
    Map<String, Long> numbers = enumerators();
    long end = numbers.get("FLAKE_STATUS_END");
    for (long code = -1; code > end; code--) {
      Status status = Status.of(code);
      assertEquals(numbers.get("FLAKE_E_" + status.name()), code);
      assertEquals(code, status.code());
      assertEquals(status.name().toLowerCase(Locale.ROOT), status.toString());
      FlakeException error = FlakeException.of(code, null);
      assertSame(status, error.status());
      assertEquals(code, error.code());
      assertEquals(status.text(), error.getMessage());
      assertSame(CLASSES.get(status.kind()), error.getClass());
      assertSame(status.kind(), error.kind());
    }
    assertEquals(-end - 1, Status.values().length - 2);
    assertSame(Status.OK, Status.of(0));
    assertSame(Status.Kind.OK, Status.OK.kind());
  }

  @ParameterizedTest
  @ValueSource(longs = {-25, -4095, Long.MIN_VALUE, 1, 1L << 62})
  void anUnknownCodeIsTheBaseError(long code) {
    FlakeException error = FlakeException.of(code, null);
    assertSame(FlakeException.class, error.getClass());
    assertSame(Status.UNKNOWN, error.status());
    assertEquals(code, error.code());
    assertEquals("unknown", error.status().toString());
    assertSame(Status.Kind.OPERATOR, Status.UNKNOWN.kind());
  }

  @Test
  void enumerationsHaveTheNumbersOfTheCore() throws IOException {
    Map<String, Long> numbers = enumerators();
    Map<String, Enum<?>[]> enums =
        Map.of(
            "FLAKE_CLASS_", Status.Kind.values(),
            "FLAKE_FORMAT_", TextFormat.values(),
            "FLAKE_MODE_", Generator.Mode.values(),
            "FLAKE_CLOCK_", Generator.ClockSource.values(),
            "FLAKE_GUARD_", Generator.HostGuard.values(),
            "FLAKE_LEVEL_", Health.Level.values());
    enums.forEach(
        (prefix, constants) -> {
          for (Enum<?> one : constants)
            assertEquals(numbers.get(prefix + one.name()), one.ordinal(), prefix + one.name());
        });
    for (Health.Reason reason : Health.Reason.values())
      assertEquals(numbers.get("FLAKE_REASON_" + reason.name()), 1L << reason.ordinal());
  }

  @Test
  void errorsSurviveSerialization() throws Exception {
    FlakeException error =
        FlakeException.of(Status.EXHAUSTED, "why").withIssued(new long[] {1, 2});
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(error);
    }
    try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      FlakeException copy = (FlakeException) in.readObject();
      assertEquals("why", copy.getMessage());
      assertSame(Status.EXHAUSTED, copy.status());
      assertEquals(2, copy.issued().length);
      assertTrue(copy instanceof RetryException);
    }
  }

  @Test
  void sentencesNameOptionsAsJavaDoes() {
    long lead = 1 << Health.Reason.LEAD.ordinal();
    long end = 1 << Health.Reason.CEILING_NEAR.ordinal();
    Health health = Health.of(new long[] {1, lead | end, 0, 0, 0, 0, 0, 0});
    assertTrue(health.text().contains("half of maxLeadMs"), health.text());
    assertTrue(health.text().contains("below ceilingMs"), health.text());
    assertTrue(Status.NO_RUN_DIR.text().contains("with hostGuard"));
    assertTrue(Status.DEADLINE_PASSED.text().contains("(in monotonic mode maxLeadMs)"));
    assertTrue(Status.NODE_OUT_OF_RANGE.text().contains("2^nodeBits - 1"));
    assertEquals("/x/max_wait_ms", FlakeException.of(-1, "/x/max_wait_ms").getMessage());
  }

  @Test
  void theFormatsHaveTheNamesOfTheCore() {
    for (TextFormat format : TextFormat.values())
      assertEquals(format.name().toLowerCase(Locale.ROOT), format.toString());
    assertFalse(Layout.presets().isEmpty());
    assertEquals(Layout.SNOWFLAKE, Layout.parse(Layout.presets().get(0)));
  }
}
