// SPDX-License-Identifier: MIT
package io.github.flakecore;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The least of the command {@code flake}, for where only the jar is there: options, output,
 * messages and exit status are the same. Exit status: 0 done; 1 failed, or a part of the input was
 * bad; 2 wrong usage, a wrong value included.
 */
final class Command {
  private static final String PROGRAM = "java -jar flakecore.jar";
  private static final int DONE = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;
  private static final int SHOWN = 40;

  private static final String HELP =
      """
      Usage: java -jar flakecore.jar next --node CHAIN [OPTION...]
             java -jar flakecore.jar decode [OPTION...] [ID...]

      next prints new IDs, one a line, each larger than the one before. decode says what
      is in IDs: the time in UTC, the node and the sequence number; without an ID it
      reads standard input, one ID a line.

            --node CHAIN      next: number of this generator: no two that live at the
                              same time may share it, so there is no default. Or
                              sources of it, with commas; the first that is there
                              decides: env:NAME, file:PATH, hostname-ordinal,
                              ipv4:PREFIX, ipv4:PREFIX@eth0, random:FLEET
        -n, --count N         next: how many IDs (default 1)
            --space NAME      next: set of IDs that must all differ (default "default")
            --layout LAYOUT   how the bits of an ID are divided (default 41/10/12)
            --format FORMAT   dec (default), hex, base32, base58 or base62
        -h, --help            print this
            --version         print the version

      Exit status: 0 done; 1 failed, or a part of the input was bad; 2 wrong usage.
      """;

  /** Ends the command; what there was to say has been said. */
  private static final class Exit extends Exception {
    private static final long serialVersionUID = 1;
    final int status;

    Exit(int status) {
      super(null, null, false, false);
      this.status = status;
    }
  }

  private final PrintStream out =
      new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
  private final StringBuilder lines = new StringBuilder();
  private String name = PROGRAM;

  private Command() {}

  public static void main(String[] arguments) {
    System.exit(new Command().run(new ArrayDeque<>(List.of(arguments))));
  }

  private int run(Deque<String> arguments) {
    try {
      int status = chosen(arguments);
      flush();
      return status;
    } catch (Exit e) {
      return e.status;
    } catch (FlakeException e) { // the library cannot be loaded: nothing else gets here
      complain(e.getMessage());
      return FAILED;
    }
  }

  private int chosen(Deque<String> arguments) throws Exit {
    if (arguments.isEmpty()) throw usage("name a command, such as next", true);
    String word = arguments.pop();
    switch (word) {
      case "-h", "--help" -> write(HELP);
      case "--version" -> write("flake " + Flakecore.version() + "\n");
      case "next", "decode" -> {
        name = PROGRAM + " " + word;
        return word.equals("next") ? next(arguments) : decode(arguments);
      }
      default -> {
        String kind = word.startsWith("-") ? "option" : "command";
        throw usage("there is no " + kind + " " + quoted(word), true);
      }
    }
    return DONE;
  }

  // ---- next and decode --------------------------------------------------------------------------

  private int next(Deque<String> arguments) throws Exit {
    Map<String, String> options = new HashMap<>();
    List<String> others = read(arguments, options, "node", "count", "layout", "space", "format");
    if (options.containsKey("help")) return DONE;
    if (!others.isEmpty())
      throw usage(
          quoted(others.get(0)) + " is not an option; for several IDs write -n N", true);
    long count = number("count", options.getOrDefault("count", "1"));
    if (count < 0) throw usage("--count " + quoted(options.get("count")) + " is below 0", false);
    TextFormat format = format(options);
    long done = 0;
    try (Generator gen = open(options)) {
      for (; done < count; done++) {
        var id = gen.tryNextId();
        if (id.isEmpty()) flush(); // what was printed must not wait together with the generator
        write(format.encode(id.isPresent() ? id.getAsLong() : gen.nextId()) + "\n");
      }
    } catch (FlakeException e) {
      throw failed("stopped after " + done + " of " + count + " IDs: " + e.getMessage());
    }
    return DONE;
  }

  private Generator open(Map<String, String> options) throws Exit {
    GeneratorBuilder builder = Generator.builder().layout(layout(options));
    String node = options.get("node");
    try {
      if (options.containsKey("space")) builder.space(options.get("space"));
      if (node != null && node.matches("(?s)|[+0-9-][^,]*")) builder.node(number("node", node));
      else if (node != null) builder.node(found(node, layout(options)));
      return builder.build();
    } catch (CallerException e) {
      boolean none = e.status() == Status.NO_NODE;
      throw usage(none ? e.getMessage() + ": --node N" : e.getMessage(), none);
    } catch (FlakeException e) {
      throw failed(e.getMessage());
    }
  }

  private long found(String chain, Layout layout) throws Exit {
    try {
      NodeFound found = layout.nodeFrom(chain);
      if (found.text().contains(" from random:")) complain(found.text());
      return found.node();
    } catch (FlakeException e) {
      String text = "--node " + quoted(chain) + ": " + e.getMessage();
      throw e instanceof CallerException ? usage(text, false) : failed(text);
    }
  }

  private int decode(Deque<String> arguments) throws Exit {
    Map<String, String> options = new HashMap<>();
    List<String> ids = read(arguments, options, "layout", "format");
    if (options.containsKey("help")) return DONE;
    Layout layout = layout(options);
    TextFormat format = format(options);
    int status = DONE;
    for (String id : ids) status = Math.max(status, decode(layout, format, id, ""));
    if (!ids.isEmpty()) return status;
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.ISO_8859_1));
    try {
      String line;
      for (int at = 1; (line = in.readLine()) != null; at++)
        status = Math.max(status, decode(layout, format, line, "line " + at + ": "));
    } catch (IOException e) {
      throw failed("cannot read standard input: " + e.getMessage());
    }
    return status;
  }

  private int decode(Layout layout, TextFormat format, String text, String place) throws Exit {
    try {
      long id = format.decodeText(text);
      Decoded parts = layout.decode(id);
      write(
          Long.toUnsignedString(id) + "  " + parts.iso() + "  node " + parts.node() + "  sequence "
              + parts.sequence() + "\n");
      return DONE;
    } catch (CallerException e) {
      boolean read = e.status() != Status.BAD_TEXT && !text.matches("0+");
      complain(
          place + quoted(text)
              + (read
                  ? " has more bits than layout " + layout + "; name its layout with --layout"
                  : " is not an ID in the format " + format));
      return FAILED;
    }
  }

  // ---- arguments --------------------------------------------------------------------------------

  /** Options into found, by name; what is none is returned. Shows the help when it is asked for. */
  private List<String> read(Deque<String> arguments, Map<String, String> found, String... names)
      throws Exit {
    List<String> others = new ArrayList<>();
    while (!arguments.isEmpty()) {
      String argument = arguments.pop();
      if (argument.equals("--")) {
        others.addAll(arguments);
        return others;
      }
      if (argument.equals("-h") || argument.equals("--help")) {
        found.put("help", "");
        write(HELP);
        return others;
      }
      if (!argument.startsWith("-") || argument.equals("-")) {
        others.add(argument);
        continue;
      }
      String[] parts = argument.split("=", 2);
      String option = parts[0].equals("-n") ? "count" : parts[0].replaceFirst("^--", "");
      if (!List.of(names).contains(option))
        throw usage("there is no option " + quoted(argument), true);
      if (parts.length == 1 && arguments.isEmpty())
        throw usage("option " + quoted(argument) + " needs a value", true);
      found.put(option, parts.length == 2 ? parts[1] : arguments.pop());
    }
    return others;
  }

  /** A whole number below 2^63, written as decimal digits without leading zeros. */
  private long number(String option, String value) throws Exit {
    String shown = "--" + option + " " + quoted(value);
    if (!value.matches("0|-?[1-9][0-9]*"))
      throw usage(
          shown + " is not a whole number; write decimal digits without leading zeros, such as 7",
          false);
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw usage(shown + " is out of range; it must lie below 2^63", false);
    }
  }

  private Layout layout(Map<String, String> options) throws Exit {
    String text = options.getOrDefault("layout", "snowflake");
    try {
      return Layout.parse(text);
    } catch (CallerException e) {
      throw usage("--layout " + quoted(text) + ": " + e.status().text(), false);
    }
  }

  private TextFormat format(Map<String, String> options) throws Exit {
    String text = options.getOrDefault("format", "dec");
    for (TextFormat format : TextFormat.values()) if (format.toString().equals(text)) return format;
    throw usage(
        "--format " + quoted(text) + " is unknown; write dec or hex or base32 or base58 or base62",
        false);
  }

  // ---- output -----------------------------------------------------------------------------------

  private void write(String text) throws Exit {
    lines.append(text);
    if (lines.length() > 65_536) flush();
  }

  /** A result that is lost must not look like success. */
  private void flush() throws Exit {
    out.print(lines);
    lines.setLength(0);
    if (out.checkError()) throw failed("cannot write to standard output");
  }

  /** A value that somebody gave: quoted, short, and harmless to a terminal. */
  private static String quoted(@Nullable String value) {
    StringBuilder plain = new StringBuilder("'");
    String text = String.valueOf(value);
    for (char one : text.substring(0, Math.min(SHOWN, text.length())).toCharArray())
      plain.append(one >= ' ' && one <= '~' ? one : '?');
    return plain.append(text.length() > SHOWN ? "'..." : "'").toString();
  }

  /** One line on standard error, after the results so far. */
  private void complain(String text) {
    out.print(lines);
    out.flush();
    lines.setLength(0);
    System.err.println(name + ": " + text.replaceAll("[^ -~]", "?"));
  }

  private Exit failed(String text) {
    complain(text);
    return new Exit(FAILED);
  }

  private Exit usage(String text, boolean seeHelp) {
    complain(seeHelp ? text + "; see " + name + " --help" : text);
    return new Exit(USAGE);
  }
}
