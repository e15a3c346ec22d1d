// SPDX-License-Identifier: MIT
package io.github.flakecore;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link Generator}. Only a node must be given; {@link #build} checks them all.
 *
 * <p>It may be used again, by one thread at a time.
 */
public final class GeneratorBuilder {
  // Places of the options on their way into the core.
  private static final int MODE = 0;
  private static final int CLOCK_SOURCE = 1;
  private static final int HOST_GUARD = 2;
  private static final int NODE = 3;
  private static final int MAX_WAIT_MS = 4;
  private static final int MAX_LEAD_MS = 5;
  private static final int START_FLOOR_MS = 6;
  private static final int CEILING_MS = 7;
  private static final int SEQ_SPREAD_BITS = 8;

  private static final long DAY_MS = 86_400_000;
  private static final long CLOCK_END_MS = Long.MAX_VALUE / 1_000_000; // in ns it is a long

  Layout layout = Layout.SNOWFLAKE;
  String space = "default";
  @Nullable TestClock clock;
  private @Nullable Long node;
  private @Nullable String chain;
  private final long[] options = {
    0, 0, 0,
    Native.NOT_GIVEN, Native.NOT_GIVEN, Native.NOT_GIVEN,
    Native.NOT_GIVEN, Native.NOT_GIVEN, Native.NOT_GIVEN
  };

  GeneratorBuilder() {}

  /**
   * The number of the generator, which no other live one of the space may have.
   *
   * @param node 0..2^nodeBits-1
   * @return this
   */
  public GeneratorBuilder node(long node) {
    this.node = node;
    this.chain = null;
    return this;
  }

  /**
   * Sources of that number, in the order in which they are asked, as {@link Layout#nodeFrom} takes
   * them.
   *
   * @param chain such as {@code "env:NODE,hostname-ordinal"}
   * @return this
   */
  public GeneratorBuilder node(String chain) {
    this.chain = Arguments.given("node", chain);
    return this;
  }

  /**
   * How the bits of an ID are divided.
   *
   * @param layout the layout; {@link Layout#SNOWFLAKE} when not given
   * @return this
   */
  public GeneratorBuilder layout(Layout layout) {
    this.layout = Arguments.given("layout", layout);
    return this;
  }

  /**
   * How the bits of an ID are divided, as text.
   *
   * @param layout as {@link Layout#parse} reads it
   * @return this
   * @throws CallerException BAD_LAYOUT
   */
  public GeneratorBuilder layout(String layout) {
    return layout(Layout.parse(layout));
  }

  /**
   * The set of IDs that must all differ.
   *
   * @param space 1..63 of A-Z a-z 0-9 . _ - and not starting with a dot; "default" when not given
   * @return this
   */
  public GeneratorBuilder space(String space) {
    if (Arguments.given("space", space).indexOf('\0') >= 0)
      throw Arguments.invalid(
          "space " + Arguments.quoted(space) + " is not a name; it holds a NUL");
    this.space = space;
    return this;
  }

  /**
   * What to do when the clock is rewound or a tick is exhausted.
   *
   * @param mode STRICT when not given; MONOTONIC needs maxLeadMs or startFloorMs
   * @return this
   */
  public GeneratorBuilder mode(Generator.Mode mode) {
    options[MODE] = Arguments.given("mode", mode).ordinal();
    return this;
  }

  /**
   * Bounds the waiting of a whole call.
   *
   * @param ms 0..86400000; 1100 when not given, which rides out a leap second
   * @return this
   */
  public GeneratorBuilder maxWaitMs(long ms) {
    return number(MAX_WAIT_MS, "maxWaitMs", ms, DAY_MS);
  }

  /**
   * How far a monotonic generator may run ahead of the clock. After a crash, a restart within this
   * time could repeat IDs.
   *
   * @param ms 0..86400000; no default
   * @return this
   */
  public GeneratorBuilder maxLeadMs(long ms) {
    return number(MAX_LEAD_MS, "maxLeadMs", ms, DAY_MS);
  }

  /**
   * No ID with an earlier time than this.
   *
   * @param unixMs Unix ms, 0..9223372036854; no floor when not given
   * @return this
   */
  public GeneratorBuilder startFloorMs(long unixMs) {
    return number(START_FLOOR_MS, "startFloorMs", unixMs, CLOCK_END_MS);
  }

  /**
   * The first time not to be used.
   *
   * @param unixMs Unix ms, 0..9223372036854; the end of the time field when not given
   * @return this
   */
  public GeneratorBuilder ceilingMs(long unixMs) {
    return number(CEILING_MS, "ceilingMs", unixMs, CLOCK_END_MS);
  }

  /**
   * Starts the sequence of each tick at a random number below 2^bits, so that id % 16 is not
   * always 0 at low rates.
   *
   * @param bits 0..seqBits; 0 when not given
   * @return this
   */
  public GeneratorBuilder seqSpreadBits(long bits) {
    return number(SEQ_SPREAD_BITS, "seqSpreadBits", bits, layout.seqBits());
  }

  /**
   * Where the wall time comes from.
   *
   * @param source PRECISE when not given
   * @return this
   */
  public GeneratorBuilder clockSource(Generator.ClockSource source) {
    options[CLOCK_SOURCE] = Arguments.given("clockSource", source).ordinal();
    return this;
  }

  /**
   * Whether a lock file keeps other processes of this host from the node.
   *
   * @param guard ON when not given
   * @return this
   */
  public GeneratorBuilder hostGuard(Generator.HostGuard guard) {
    options[HOST_GUARD] = Arguments.given("hostGuard", guard).ordinal();
    return this;
  }

  /**
   * A clock for tests instead of the system's clocks. Such a generator takes no lock file.
   *
   * @param clock the clock
   * @return this
   */
  public GeneratorBuilder clock(TestClock clock) {
    this.clock = Arguments.given("clock", clock);
    return this;
  }

  /**
   * Opens the generator. While one of the same space, layout and node is open in this process,
   * equal options share its numbers.
   *
   * @return the generator; close it
   * @throws CallerException NO_NODE, NODE_OUT_OF_RANGE: no node, or it does not fit.
   *     LAYOUT_DIFFERS: the space is open with another layout. BAD_LAYOUT, NOT_SUPPORTED: the
   *     layout cannot generate. INVALID_ARGUMENT: another value is out of its range
   * @throws OperatorException NODE_IN_USE: open in this process with other options, or in another
   *     process of this host. BEFORE_EPOCH, TIME_USED_UP: the layout cannot generate now.
   *     CEILING_REACHED: the first tick is not below ceilingMs. NO_RUN_DIR, OUT_OF_MEMORY,
   *     NO_ENTROPY: the system refused
   */
  public Generator build() {
    String from = chain;
    NodeFound found = from == null ? new NodeFound(givenNode(), "") : layout.nodeFrom(from);
    long[] chosen = options.clone();
    chosen[NODE] = found.node();
    byte[] name = Arguments.utf8("space", space);
    long[] fields = layout.fields();
    Native core = Native.core();
    long handle = core.open(fields, chosen, name, clock == null ? 0 : clock.handle());
    if (handle > 0) return new Generator(handle, this, found);
    byte[] why = core.explain(fields, chosen, name, handle);
    throw FlakeException.of(handle, new String(why, StandardCharsets.UTF_8));
  }

  /** A number below zero could stand for "not given", so it is refused here. */
  private long givenNode() {
    if (node == null) return Native.NOT_GIVEN;
    if (node >= 0) return node;
    throw FlakeException.of(Status.NODE_OUT_OF_RANGE, layout.whyNoNode(node));
  }

  /** What stands for "not given" is refused here; every range is the core's to check. */
  private GeneratorBuilder number(int option, String name, long value, long most) {
    if (value <= Native.NOT_GIVEN + 1) Arguments.within(name, value, 0, most);
    options[option] = value;
    return this;
  }
}
