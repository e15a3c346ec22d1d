# SPDX-License-Identifier: MIT
"""Draws three IDs as node 7 and takes the last one apart."""
from flakecore import FlakeError, Generator, decode


def main() -> int:
    try:
        with Generator(node=7) as gen:  # each live generator needs a number of its own
            for _ in range(3):
                id = gen.next_id()
                print(id)
    except FlakeError as error:  # its text says what to do
        print(error)
        return 1
    parts = decode(id)
    print(f"{parts.time}, node {parts.node}, sequence {parts.sequence}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
