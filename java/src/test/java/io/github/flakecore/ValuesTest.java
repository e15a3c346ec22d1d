// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static io.github.flakecore.Tests.NOW_MS;
import static io.github.flakecore.Tests.refused;
import static io.github.flakecore.Tests.space;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every value is taken as it is or refused with a typed error; nothing is masked or rounded. */
class ValuesTest {
  private static final Map<String, BiFunction<GeneratorBuilder, Long, GeneratorBuilder>> NUMBERS =
      Map.of(
          "maxWaitMs", GeneratorBuilder::maxWaitMs,
          "maxLeadMs", GeneratorBuilder::maxLeadMs,
          "startFloorMs", GeneratorBuilder::startFloorMs,
          "ceilingMs", GeneratorBuilder::ceilingMs,
          "seqSpreadBits", GeneratorBuilder::seqSpreadBits);

  private static GeneratorBuilder options() {
    return Tests.builder().clock(Tests.clock());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 16, 1023})
  void aNodeThatFitsIsUsedAsItIs(long node) { // S31
    try (Generator gen = options().node(node).build()) {
      assertEquals(node, gen.node());
      assertEquals(node, gen.layout().decode(gen.nextId()).node());
    }
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        1024, 70_000, 1L << 31, 1L << 32, 1_221_865_536, (1L << 53) + 1, Long.MAX_VALUE, -1,
        Integer.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1
      })
  void aNodeThatDoesNotFitIsRefused(long node) { // S3, S31
    refused(Status.NODE_OUT_OF_RANGE, "does not fit", () -> options().node(node).build());
    refused(Status.NODE_OUT_OF_RANGE, () -> Layout.SNOWFLAKE.compose(NOW_MS, node, 0));
    refused(Status.NODE_OUT_OF_RANGE,
        () -> Generator.builder().space(space()).layout("41/0/12").node(node).build());
  }

  /** What the compiler says of an expression; empty when it takes it. */
  private static List<String> compiled(String expression) {
    String source =
        "class Program { Object x = io.github.flakecore.Generator.builder()." + expression + "; }";
    var file =
        new SimpleJavaFileObject(URI.create("string:///Program.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    var diagnostics = new DiagnosticCollector<JavaFileObject>();
    ToolProvider.getSystemJavaCompiler()
        .getTask(null, null, diagnostics,
            List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d",
                System.getProperty("java.io.tmpdir"), "-Xlint:none", "-implicit:none"),
            null, List.of(file))
        .call();
    return diagnostics.getDiagnostics().stream()
        .filter(one -> one.getKind() == Diagnostic.Kind.ERROR).map(Object::toString).toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "node(7.5)", "node(7.0)", "node(7f)", "node(Double.NaN)", "node(true)",
        "node(9223372036854775808)", "node(java.math.BigInteger.ONE)", "node(new int[] {7})",
        "maxWaitMs(1.5)", "maxWaitMs(\"7\")", "ceilingMs(true)", "mode(\"strict\")", "mode(0)",
        "layout(7)", "space(7)", "clock(7)", "build().nextIds(7L)", "build().nextRange(1.5)",
        "build().layout().decode(7.5)", "build().layout().compose(1.5, 1, 1)"
      })
  void whatIsNoWholeNumberDoesNotCompile(String expression) { // S31
    assertFalse(compiled(expression).isEmpty());
  }

  @Test
  void wholeNumbersCompile() {
    assertEquals(List.of(), compiled("node(7).maxWaitMs(7L).node(\"7\").node(Long.valueOf(7))"));
  }

  @Test
  void noNodeIsAnErrorThatSaysWhatToDo() { // S7
    refused(Status.NO_NODE, "there is no default", () -> Generator.builder().build());
  }

  @ParameterizedTest
  @CsvSource({"7,7", "0,0", "'env:NOPE_NOPE,1023',1023"})
  void aTextIsAChainOfSources(String chain, long node) {
    try (Generator gen = options().node(chain).build()) {
      assertEquals(node, gen.node());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " 7", "7 ", "0x7", "-1", "7.5", "NaN", "7\0", "\u0667", "\ud800", "file:\ud800"
      })
  void aTextThatIsNoChainIsRefused(String chain) {
    refused(Status.INVALID_ARGUMENT, () -> options().node(chain).build());
  }

  @ParameterizedTest
  @CsvSource({
    "1024,NODE_OUT_OF_RANGE", "env:NOPE_NOPE,NO_NODE", "file:/nope/nope,NO_NODE",
    "99999999999999999999999,NODE_OUT_OF_RANGE"
  })
  void aChainWithoutAGoodNodeIsRefused(String chain, Status status) {
    refused(status, () -> Layout.SNOWFLAKE.nodeFrom(chain));
  }

  @Test
  void aRandomNodeIsTakenOnlyWhenAskedForAndSaysTheOdds() { // S11
    NodeFound found = Layout.SNOWFLAKE.nodeFrom("random:10");
    assertTrue(found.node() >= 0 && found.node() < 1024 && found.text().contains("%"));
    refused(Status.INVALID_ARGUMENT, () -> Layout.SNOWFLAKE.nodeFrom("random"));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Integer.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE})
  void anOptionOutOfRangeIsRefusedByName(long value) {
    NUMBERS.forEach(
        (name, set) ->
            refused(Status.INVALID_ARGUMENT, name + " is " + value,
                () -> set.apply(options(), value).build()));
  }

  /** What "not given" could be taken for has the same range as everything else. */
  @Test
  void theRangeOfAnOptionIsTheSameForEveryValue() {
    for (long value : new long[] {Long.MIN_VALUE, Long.MIN_VALUE + 1})
      NUMBERS.forEach(
          (name, set) -> {
            Executable call = () -> set.apply(options(), -1L).build();
            String range = refused(Status.INVALID_ARGUMENT, call).getMessage().split(";")[1];
            refused(Status.INVALID_ARGUMENT, name + " is " + value + ";" + range,
                () -> set.apply(options(), value).build());
          });
  }

  @Test
  void theEdgesOfRangesAreExact() {
    options().maxWaitMs(0).build().close();
    options().maxWaitMs(86_400_000).build().close();
    options().seqSpreadBits(12).build().close();
    refused(Status.INVALID_ARGUMENT, "maxWaitMs is 86400001; it must lie in 0..86400000",
        () -> options().maxWaitMs(86_400_001).build());
    refused(Status.INVALID_ARGUMENT, "seqSpreadBits is 13; it must lie in 0..12",
        () -> options().seqSpreadBits(13).build());
  }

  @Test
  void nullIsRefusedByName() {
    @Nullable String text = null;
    Map<String, Executable> calls =
        Map.of(
            "node", () -> options().node(text),
            "layout", () -> options().layout((Layout) null),
            "space", () -> options().space(text),
            "mode", () -> options().mode(null),
            "clockSource", () -> options().clockSource(null),
            "hostGuard", () -> options().hostGuard(null),
            "clock", () -> options().clock(null),
            "ids", () -> options().build().nextIds(null),
            "chain", () -> Layout.SNOWFLAKE.nodeFrom(text),
            "text", () -> TextFormat.DEC.decodeText(text));
    calls.forEach((name, call) -> refused(Status.INVALID_ARGUMENT, name + " is null", call));
    refused(Status.INVALID_ARGUMENT, "layout is null", () -> Layout.parse(text));
    refused(Status.INVALID_ARGUMENT, "since is null",
        () -> Layout.SNOWFLAKE.bounds(null, Instant.now()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", ".x", "a/b", "a\0b", "ab\0", "\u00e9", "\ud800", "a\nb",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"})
  void aSpaceThatIsNoNameIsRefused(String space) {
    refused(Status.INVALID_ARGUMENT, "is not a name", () -> options().space(space).build());
    refused(Status.INVALID_ARGUMENT, () -> options().space(space.repeat(1000)).build());
  }

  @Test
  void aSpaceIsQuotedAsItWasGiven() {
    for (String space : List.of("\ud83d\ude00", "max_wait_ms/\u00e9"))
      refused(Status.INVALID_ARGUMENT, "space \"" + space + "\"",
          () -> options().space(space).build());
  }

  @Test
  void theLongestSpaceIsASpaceOfItsOwn() {
    String name = (space() + "x".repeat(63)).substring(0, 63);
    try (Generator gen = options().space(name).build()) {
      assertEquals(name, gen.space());
    }
  }

  @Property(tries = 500)
  void anyLongAsANodeIsUsedOrRefused(@ForAll long node) {
    Layout layout = Layout.parse("t41s12n10");
    if (node >= 0 && node < 1024)
      assertEquals(node, layout.decode(layout.compose(NOW_MS, node, 1)).node());
    else refused(Status.NODE_OUT_OF_RANGE, () -> layout.compose(NOW_MS, node, 1));
  }

  @Property(tries = 500)
  void whatDecodesComposesToTheSame(@ForAll long id) {
    Layout layout = Layout.SNOWFLAKE;
    if (id <= 0) {
      refused(Status.INVALID_ARGUMENT, () -> layout.decode(id));
      return;
    }
    Decoded parts = layout.decode(id);
    assertEquals(id, layout.compose(parts.unixMs(), parts.node(), parts.sequence()));
    assertEquals(id, layout.compose(parts.time(), parts.node(), parts.sequence()));
    assertEquals(
        layout.bounds(parts.unixMs(), parts.unixMs() + 1),
        layout.bounds(parts.time(), parts.time().plusNanos(1)));
  }

  @Test
  void aTimeBetweenTwoMillisecondsIsRoundedForBoundsAndRefusedForAnId() {
    Layout layout = Layout.SNOWFLAKE;
    Instant inside = Instant.ofEpochMilli(NOW_MS).plusNanos(1);
    assertEquals(
        layout.bounds(NOW_MS + 1, NOW_MS + 2), layout.bounds(inside, inside.plusMillis(1)));
    refused(Status.INVALID_ARGUMENT, "whole millisecond", () -> layout.compose(inside, 1, 1));
    refused(Status.BEFORE_EPOCH, () -> layout.compose(Instant.MIN, 1, 1));
    refused(Status.TIME_USED_UP, () -> layout.compose(Instant.MAX, 1, 1));
    refused(Status.TIME_USED_UP, () -> layout.bounds(inside, Instant.MAX));
    refused(Status.BEFORE_EPOCH, () -> layout.bounds(Instant.MIN, inside));
  }

  @Test
  void boundsThatCannotBeAreToldWithWhatCan() {
    Layout layout = Layout.SNOWFLAKE;
    long end = layout.expiresMs();
    refused(Status.INVALID_ARGUMENT, "starts in " + NOW_MS + " <= Unix ms < " + NOW_MS + ";",
        () -> layout.bounds(NOW_MS, NOW_MS));
    refused(Status.INVALID_ARGUMENT, "give a later until", () -> layout.bounds(NOW_MS, 0));
    refused(Status.BEFORE_EPOCH, "since is 0, before the layout's epoch; give 1735689600000 or",
        () -> layout.bounds(0, NOW_MS));
    refused(Status.TIME_USED_UP, "give " + end + " or earlier",
        () -> layout.bounds(NOW_MS, end + 1));
  }

  @Test
  void anIdThatCannotBeIsToldWithWhatCan() {
    Layout layout = Layout.SNOWFLAKE;
    long end = layout.expiresMs();
    Status invalid = Status.INVALID_ARGUMENT;
    refused(Status.NODE_OUT_OF_RANGE, "node 1024 does not fit layout " + layout + "; give a number "
        + "in 0..1023", () -> layout.compose(NOW_MS, 1024, 0));
    refused(Status.NODE_OUT_OF_RANGE, "has no node field; leave node 1 out",
        () -> Layout.parse("41/0/12").compose(NOW_MS, 1, 0));
    refused(invalid, "sequence is 4096; it must lie in 0..4095",
        () -> layout.compose(NOW_MS, 1, 4096));
    refused(invalid, "sequence is -1; it must", () -> layout.compose(NOW_MS, 1, -1));
    refused(invalid, "time is 1750000000007, inside a tick of 10 ms; give its start, 1750000000000",
        () -> Layout.parse("39/16/8*10ms").compose(NOW_MS + 7, 1, 1));
    refused(invalid, "would be the ID 0", () -> layout.compose(layout.epochMs(), 0, 0));
    refused(Status.BEFORE_EPOCH, "time is 0, before the layout's epoch; give 1735689600000 or",
        () -> layout.compose(0, 1, 1));
    refused(Status.TIME_USED_UP, "give an earlier one than " + end,
        () -> layout.compose(end, 1, 1));
    refused(invalid, "id is 0; an ID of layout " + layout + " lies in 1..9223372036854775807",
        () -> layout.decode(0));
    refused(invalid, "id is 18446744073709551615; an", () -> layout.decode(-1));
    refused(invalid, "lies in 1..1048575", () -> Layout.parse("10/5/5").decode(1 << 20));
  }

  /** Some languages write numbers with digits of their own. */
  @Test
  void errorsHaveTheSameDigitsInEveryLanguage() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try {
      boundsThatCannotBeAreToldWithWhatCan();
      anIdThatCannotBeIsToldWithWhatCan();
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void theDefaultLayoutIsTheCores() {
    Layout parsed = Layout.parse("snowflake");
    assertArrayEquals(parsed.fields(), Layout.SNOWFLAKE.fields());
    assertEquals(parsed.toString(), Layout.SNOWFLAKE.toString());
  }

  @Test
  void aRangeThatCannotBeIsRefused() {
    assertEquals(Long.MAX_VALUE, new IdRange(Long.MAX_VALUE - 4, 3, 2).get(2));
    refused(Status.INVALID_ARGUMENT, "first is 0", () -> new IdRange(0, 1, 1));
    refused(Status.INVALID_ARGUMENT, "count is 0", () -> new IdRange(1, 0, 1));
    refused(Status.INVALID_ARGUMENT, "stride is 0", () -> new IdRange(1, 1, 0));
    refused(Status.INVALID_ARGUMENT, "count is 4; it must lie in 1..3",
        () -> new IdRange(Long.MAX_VALUE - 4, 4, 2));
    refused(Status.INVALID_ARGUMENT, () -> new IdRange(1, Long.MAX_VALUE, Long.MAX_VALUE));
  }

  @Test
  void theLayoutCheckIsTheClocks() {
    Layout.SNOWFLAKE.check();
    refused(Status.NOT_SUPPORTED, () -> Layout.parse("discord").check(0));
    refused(Status.BEFORE_EPOCH, () -> Layout.SNOWFLAKE.check(0));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE})
  void theTestClockRefusesWhatItCannotHold(long ns) {
    refused(Status.INVALID_ARGUMENT, "wallNs is " + ns, () -> new TestClock(ns));
    TestClock clock = new TestClock(0);
    refused(Status.INVALID_ARGUMENT, "wallNs is " + ns, () -> clock.setWall(ns));
    refused(Status.INVALID_ARGUMENT, "ns is " + ns, () -> clock.advance(ns));
    refused(Status.INVALID_ARGUMENT, "afterNs is " + ns, () -> clock.script(ns, 0));
    for (long rate : new long[] {1_000_001, Long.MIN_VALUE})
      refused(Status.INVALID_ARGUMENT, "ratePermille is " + rate, () -> clock.setRate(rate));
    assertEquals(0, clock.wallNs());
  }
}
