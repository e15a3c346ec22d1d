// SPDX-License-Identifier: MIT
package io.github.flakecore;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How up to 64 bits are divided into time, node and sequence, and what follows for IDs that exist
 * already. Immutable.
 *
 * <pre>{@code
 * Layout.parse("41/10/12")                     bits of time/node/sequence, ticks of 1 ms
 * Layout.parse("t39s8n16*10ms@1735689600000")  from the highest bit down, tick, epoch in Unix ms
 * Layout.parse("twitter")                      a preset, one of Layout.presets()
 * }</pre>
 *
 * <p>An ID is a long, and all its 64 bits are read as an unsigned number, since layouts of others
 * may use bit 63. Those of a {@link Generator} are positive.
 */
public final class Layout {
  /** The default: 41/10/12, ticks of 1 ms since 2025-01-01T00:00:00Z. */
  public static final Layout SNOWFLAKE = // written out, so that it is there without the library
      new Layout(
          new long[] {1_735_689_600_000L, 1, 41, 22, 10, 12, 12, 0}, "t41n10s12@1735689600000");

  private final long[] fields; // in the order of flake_layout
  private final String text;

  private Layout(long[] fields, String text) {
    this.fields = fields;
    this.text = text;
  }

  /**
   * Reads a layout.
   *
   * @param text such as {@code "41/10/12"}, the full form, or the name of a preset
   * @return the layout
   * @throws CallerException BAD_LAYOUT: anything else, also blanks, signs, leading zeros, fields
   *     that do not fit
   */
  public static Layout parse(String text) {
    long[] fields = new long[Native.FIELDS];
    long status = Native.core().layoutParse(Arguments.utf8("layout", text), fields);
    if (status == Status.BAD_LAYOUT.code())
      throw FlakeException.of(
          status, Arguments.quoted(text) + ": " + Status.BAD_LAYOUT.text());
    FlakeException.checked(status);
    return new Layout(fields, Native.core().layoutFormat(fields));
  }

  /**
   * The names of all presets.
   *
   * @return the default first
   */
  public static List<String> presets() {
    List<String> names = new ArrayList<>();
    for (String name; (name = Native.core().layoutPreset(names.size())) != null; ) names.add(name);
    return List.copyOf(names);
  }

  // ---- what it is -------------------------------------------------------------------------------

  /**
   * Unix ms of tick 0.
   *
   * @return 0..4102444800000
   */
  public long epochMs() {
    return fields[0];
  }

  /**
   * Length of a tick in ms.
   *
   * @return 1..10000
   */
  public int tickMs() {
    return (int) fields[1];
  }

  /**
   * Width of the time field in bits.
   *
   * @return 1..48
   */
  public int timeBits() {
    return (int) fields[2];
  }

  /**
   * Position of the lowest bit of the time field.
   *
   * @return 0..63
   */
  public int timeShift() {
    return (int) fields[3];
  }

  /**
   * Width of the node field in bits.
   *
   * @return 0..32
   */
  public int nodeBits() {
    return (int) fields[4];
  }

  /**
   * Position of the lowest bit of the node field.
   *
   * @return 0..63
   */
  public int nodeShift() {
    return (int) fields[5];
  }

  /**
   * Width of the sequence field in bits.
   *
   * @return 0..32
   */
  public int seqBits() {
    return (int) fields[6];
  }

  /**
   * Position of the lowest bit of the sequence field.
   *
   * @return 0..63
   */
  public int seqShift() {
    return (int) fields[7];
  }

  /**
   * The first Unix ms that the time field can no longer express.
   *
   * @return Unix ms
   */
  public long expiresMs() {
    return FlakeException.checked(Native.core().layoutExpiresMs(fields));
  }

  /**
   * The same as {@link #expiresMs()}.
   *
   * @return the end of the time field
   */
  public Instant expires() {
    return Instant.ofEpochMilli(expiresMs());
  }

  /**
   * What lies between two IDs that follow each other in a tick.
   *
   * @return 1, or more where the sequence is not the lowest field
   * @throws CallerException NOT_SUPPORTED: the sequence is bit 63
   */
  public long stride() {
    return FlakeException.checked(Native.core().layoutStride(fields));
  }

  /**
   * Throws unless a generator can use this layout now.
   *
   * @throws FlakeException as {@link #check(long)}
   */
  public void check() {
    check(System.currentTimeMillis());
  }

  /**
   * Throws unless a generator can use this layout at a time.
   *
   * @param nowMs the time in Unix ms
   * @throws CallerException NOT_SUPPORTED: it only decodes
   * @throws OperatorException BEFORE_EPOCH: the epoch is in the future. TIME_USED_UP: its time
   *     field has ended
   */
  public void check(long nowMs) {
    FlakeException.checked(Native.core().layoutCheck(fields, nowMs));
  }

  // ---- IDs --------------------------------------------------------------------------------------

  /**
   * Takes an ID apart.
   *
   * @param id an ID; all its bits count
   * @return its parts
   * @throws CallerException INVALID_ARGUMENT: 0, or bits above the fields
   */
  public Decoded decode(long id) {
    long[] parts = new long[4];
    long status = Native.core().decode(fields, id, parts);
    if (status == Status.INVALID_ARGUMENT.code()) throw Arguments.invalid(whyNoId(id));
    FlakeException.checked(status);
    return new Decoded(parts[0], parts[1], parts[2], parts[3]);
  }

  private String whyNoId(long id) {
    int bits = Math.max(timeShift() + timeBits(), nodeShift() + nodeBits());
    bits = Math.max(bits, seqShift() + seqBits());
    return "id is %s; an ID of layout %s lies in 1..%s"
        .formatted(Long.toUnsignedString(id), this, Long.toUnsignedString(-1L >>> (64 - bits)));
  }

  /**
   * Puts an ID together, the inverse of {@link #decode}. Says nothing of its being unique.
   *
   * @param unixMs the start of a tick in Unix ms
   * @param node 0..2^nodeBits-1
   * @param sequence 0..2^seqBits-1
   * @return the ID
   * @throws CallerException NODE_OUT_OF_RANGE: the node does not fit. INVALID_ARGUMENT: the
   *     sequence does not fit, the time lies inside a tick, or the ID would be 0. NOT_SUPPORTED:
   *     the layout has 64 bits
   * @throws OperatorException BEFORE_EPOCH, TIME_USED_UP: the time does not fit
   */
  public long compose(long unixMs, long node, long sequence) {
    long id = Native.core().compose(fields, unixMs, node, sequence);
    if (id < 0) throw FlakeException.of(id, whyNotComposed(id, unixMs, node, sequence));
    return id;
  }

  private @Nullable String whyNotComposed(long status, long unixMs, long node, long sequence) {
    return switch (Status.of(status)) {
      case BEFORE_EPOCH ->
          "time is %s, before the layout's epoch; give %s or later".formatted(unixMs, epochMs());
      case TIME_USED_UP ->
          "time is %s, after the end of the time field; give an earlier one than %s"
              .formatted(unixMs, expiresMs());
      case NODE_OUT_OF_RANGE -> whyNoNode(node);
      case INVALID_ARGUMENT -> whyNoSequence(unixMs, sequence);
      default -> null;
    };
  }

  private String whyNoSequence(long unixMs, long sequence) {
    long most = (1L << seqBits()) - 1;
    long inside = (unixMs - epochMs()) % tickMs();
    if (sequence < 0 || sequence > most)
      return "sequence is " + sequence + "; it must lie in 0.." + most;
    if (inside > 0)
      return "time is %s, inside a tick of %s ms; give its start, %s"
          .formatted(unixMs, tickMs(), unixMs - inside);
    return "node 0 and sequence 0 at the epoch would be the ID 0, which there is not";
  }

  /** Of a node out of range. */
  String whyNoNode(long node) {
    return nodeBits() == 0
        ? "layout " + this + " has no node field; leave node " + node + " out"
        : "node " + node + " does not fit layout " + this + "; give a number in 0.."
            + ((1L << nodeBits()) - 1);
  }

  /**
   * The same as {@link #compose(long, long, long)}.
   *
   * @param time the start of a tick; INVALID_ARGUMENT when it is not a whole ms
   * @param node the node
   * @param sequence the sequence number
   * @return the ID
   */
  public long compose(Instant time, long node, long sequence) {
    return compose(Arguments.exactMs("time", time), node, sequence);
  }

  /**
   * The smallest and largest ID with since &lt;= start of its tick &lt; until, for {@code WHERE id
   * BETWEEN min AND max}.
   *
   * @param sinceMs the first Unix ms of the range
   * @param untilMs the first Unix ms after it
   * @return the IDs
   * @throws CallerException INVALID_ARGUMENT: no tick starts in the range. NOT_SUPPORTED: time is
   *     not on top
   * @throws OperatorException BEFORE_EPOCH: since is before the epoch. TIME_USED_UP: until is after
   *     {@link #expiresMs()}
   */
  public Bounds bounds(long sinceMs, long untilMs) {
    long[] ids = new long[2];
    long status = Native.core().bounds(fields, sinceMs, untilMs, ids);
    if (status < 0) throw FlakeException.of(status, whyNoBounds(status, sinceMs, untilMs));
    return new Bounds(ids[0], ids[1]);
  }

  private @Nullable String whyNoBounds(long status, long sinceMs, long untilMs) {
    return switch (Status.of(status)) {
      case BEFORE_EPOCH ->
          "since is %s, before the layout's epoch; give %s or later".formatted(sinceMs, epochMs());
      case TIME_USED_UP ->
          "until is %s, after the end of the time field; give %s or earlier"
              .formatted(untilMs, expiresMs());
      case INVALID_ARGUMENT ->
          "no tick of %s ms starts in %s <= Unix ms < %s; give a later until"
              .formatted(tickMs(), sinceMs, untilMs);
      default -> null;
    };
  }

  /**
   * The same as {@link #bounds(long, long)}.
   *
   * @param since the begin of the range
   * @param until its end, which is not part of it
   * @return the IDs
   */
  public Bounds bounds(Instant since, Instant until) {
    return bounds(Arguments.ceilingMs("since", since), Arguments.ceilingMs("until", until));
  }

  // ---- a node -----------------------------------------------------------------------------------

  /**
   * Finds a node number for this layout in the surroundings. Nothing is looked up in the network.
   *
   * @param chain sources, with commas, in the order in which they are asked; the first that is
   *     there decides: {@code "7"} (the number itself), {@code "env:NAME"}, {@code "file:PATH"}
   *     (its first line), {@code "hostname-ordinal"} ("web-3" of a StatefulSet), {@code
   *     "ipv4:PREFIX"} or {@code "ipv4:PREFIX@eth0"} (the bits of the host's private address after
   *     so many bits of prefix), {@code "random:FLEET"} (two of a fleet may get the same one; the
   *     text says how probable that is)
   * @return the node, and which source decided
   * @throws CallerException NO_NODE: no source is there. NODE_OUT_OF_RANGE: the number does not
   *     fit. INVALID_ARGUMENT: not a chain, a source holds no number, or several addresses are
   *     there
   * @throws OperatorException NO_ENTROPY, OUT_OF_MEMORY: the system refused
   */
  public NodeFound nodeFrom(String chain) {
    byte[] given = Arguments.utf8("chain", chain);
    if (!new String(given, StandardCharsets.UTF_8).equals(chain))
      throw Arguments.invalid("the chain of sources is no text: it holds half a surrogate pair");
    byte[] sentence = new byte[Native.NODE_TEXT_SIZE];
    long node = Native.core().nodeFrom(given, fields, sentence);
    String text = new String(sentence, StandardCharsets.UTF_8);
    text = text.substring(0, text.indexOf('\0'));
    if (node < 0) throw FlakeException.of(node, text.isEmpty() ? null : text);
    return new NodeFound(node, text);
  }

  /** The fields for the core; nobody writes there. */
  long[] fields() {
    return fields;
  }

  // ---- as a value -------------------------------------------------------------------------------

  /**
   * The full form.
   *
   * @return such as {@code "t41n10s12@1735689600000"}
   */
  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Layout layout && layout.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
