# SPDX-License-Identifier: MIT
"""Many IDs at once: a list, a range of one tick, and a buffer that is filled in place."""
from array import array

from flakecore import ExhaustedError, Generator, bounds, decode


def main() -> None:
    with Generator(node=7, space="batch") as gen:
        ids = gen.next_ids(10_000)  # exactly so many, or an error
        print(len(ids), "IDs, rising:", ids == sorted(set(ids)))

        few = gen.next_range(100)  # at most so many, of one tick, in one native call
        print(len(few), "IDs from", few[0], "on")

        buffer = array("q", bytes(8 * 1000))  # or a NumPy array of int64
        print(gen.fill(buffer), "IDs in a buffer")

        try:
            gen.next_ids(10_000_000)  # more than the layout allows within max_wait_ms
        except ExhaustedError as error:
            print(len(error.issued) > 0, "-", error)

    first = decode(ids[0]).unix_ms
    low, high = bounds(first, first + 1000)  # one second
    print(f"SELECT * FROM orders WHERE id BETWEEN {low} AND {high}")


if __name__ == "__main__":
    main()
