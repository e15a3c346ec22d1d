# SPDX-License-Identifier: MIT
"""Writes the conformance vectors, or says which of them are stale.

    python3 generate.py            rewrites the .tsv files beside this file
    python3 generate.py --check    changes nothing; exit status 1 and the names of stale files

README.md has the format. Python 3.9 and its standard library are enough.
"""
import pathlib
import sys

sys.dont_write_bytecode = True  # the folder is part of a source tree

import cases_bounds  # noqa: E402
import cases_clock  # noqa: E402
import cases_faults  # noqa: E402
import cases_ids  # noqa: E402
import cases_layouts  # noqa: E402
import cases_limits  # noqa: E402
import cases_monotonic  # noqa: E402
import script  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent


def escape(value):
    """A field: never empty, never with a tab, a blank or a byte outside printable ASCII."""
    if value is None:
        return "-"
    text = str(value)
    if text == "":
        return "\\e"
    if text == "-":
        return "\\x2d"
    safe = range(0x21, 0x7F)
    return "".join(
        "\\\\" if byte == 0x5C else chr(byte) if byte in safe else f"\\x{byte:02x}"
        for byte in text.encode()
    )


def tsv(columns, rows):
    lines = ["\t".join(columns)]
    for row in rows:
        *fields, why = row
        assert len(row) == len(columns), row
        # Reasons are prose: blanks stay, and there is nothing in them to escape.
        assert why and why.isascii() and why.isprintable() and "\\" not in why, row
        lines.append("\t".join([*map(escape, fields), why]))
    return "\n".join(lines) + "\n"


def files():
    """Name and contents of every vector file."""
    parts = (cases_clock, cases_faults, cases_limits, cases_monotonic)
    clock = [row for part in parts for row in part.rows()]
    names = [row[0] for row in clock if row[1] == 1]
    assert len(set(names)) == len(names), "a script's name is its space: it must be unique"
    return {
        "layouts.tsv": tsv(cases_layouts.COLUMNS, cases_layouts.rows()),
        "ids.tsv": tsv(cases_ids.COLUMNS, cases_ids.rows()),
        "bounds.tsv": tsv(cases_bounds.COLUMNS, cases_bounds.rows()),
        "clock.tsv": tsv(script.COLUMNS, clock),
    }


def stale(wanted):
    """Names of files that differ, are missing, or are not written by this program."""
    present = {path.name: path.read_bytes() for path in FOLDER.glob("*.tsv")}
    names = sorted({*wanted, *present})
    return [name for name in names if present.get(name) != wanted.get(name)]


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    wanted = {name: text.encode("ascii") for name, text in files().items()}
    if arguments:
        names = stale(wanted)
        for name in names:
            print(f"stale: {FOLDER / name}; run {FOLDER / 'generate.py'}", file=sys.stderr)
        return 1 if names else 0
    for name, data in wanted.items():
        (FOLDER / name).write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
