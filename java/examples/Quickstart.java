// SPDX-License-Identifier: MIT
import io.github.flakecore.Decoded;
import io.github.flakecore.FlakeException;
import io.github.flakecore.Generator;
import io.github.flakecore.Layout;

/** Draws three IDs as node 7 and takes the last one apart. */
class Quickstart {
  public static void main(String[] arguments) {
    long id = 0;
    try (Generator gen = Generator.builder().node(7).build()) { // a number of its own for each
      for (int i = 0; i < 3; i++) {
        id = gen.nextId();
        System.out.println(id);
      }
    } catch (FlakeException e) { // its text says what to do
      System.out.println(e.getMessage());
      System.exit(1);
    }
    Decoded parts = Layout.SNOWFLAKE.decode(id);
    System.out.println(
        parts.time() + ", node " + parts.node() + ", sequence " + parts.sequence());
  }
}
