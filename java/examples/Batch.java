// SPDX-License-Identifier: MIT
import io.github.flakecore.Bounds;
import io.github.flakecore.Generator;
import io.github.flakecore.IdRange;
import io.github.flakecore.Layout;
import io.github.flakecore.RetryException;

/** Many IDs at once: a new array, a range of one tick, and an array that is filled in place. */
class Batch {
  public static void main(String[] arguments) {
    long[] ids;
    try (Generator gen = Generator.builder().node(7).space("batch").build()) {
      ids = gen.nextIds(10_000); // exactly so many, or an error
      System.out.println(ids.length + " IDs from " + ids[0] + " on");

      IdRange few = gen.nextRange(100); // at most so many, of one tick, in one native call
      System.out.println(few.count() + " IDs, the last is " + few.get(few.count() - 1));

      long[] place = new long[1000];
      System.out.println(gen.nextIds(place) + " IDs in an array");

      try {
        gen.nextIds(10_000_000); // more than the layout allows within maxWaitMs
      } catch (RetryException e) {
        System.out.println((e.issued().length > 0) + " - " + e.getMessage());
      }
    }

    long first = Layout.SNOWFLAKE.decode(ids[0]).unixMs();
    Bounds second = Layout.SNOWFLAKE.bounds(first, first + 1000);
    System.out.println(
        "SELECT * FROM orders WHERE id BETWEEN " + second.min() + " AND " + second.max());
  }
}
