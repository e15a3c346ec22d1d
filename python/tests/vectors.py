# SPDX-License-Identifier: MIT
"""Reads the conformance vectors as bindings/vectors/README.md says."""
import json
import os
from pathlib import Path


FOLDER = Path(__file__).resolve().parents[2] / "bindings" / "vectors"

# Each file that is there must be read by some test: file, and the names of its columns.
COLUMNS = {
    "layouts.tsv": "text status canonical time_bits time_shift node_bits node_shift seq_bits "
                   "seq_shift tick_ms epoch_ms expires_ms now_ms check why",
    "ids.tsv": "layout id decode_status unix_ms tick node sequence iso compose_status why",
    "bounds.tsv": "layout from_ms until_ms status min_id max_id why",
    "clock.tsv": "script step op arg1 arg2 expected first_id last_id why",
}


def unescaped(field):
    """One pass from left to right: \\xNN is a byte, \\\\ a backslash, \\e nothing."""
    out = bytearray()
    at = 0
    while at < len(field):
        if field[at] != "\\":
            assert "!" <= field[at] <= "~", f"an unescaped byte in {field!r}"
            out += field[at].encode()
            at += 1
        elif field[at + 1] == "x":
            out.append(int(field[at + 2:at + 4], 16))
            at += 4
        else:
            out += {"\\": b"\\", "e": b""}[field[at + 1]]
            at += 2
    return out.decode("utf-8", "surrogateescape")


class Row:
    def __init__(self, place, fields):
        self.place, self.fields = place, fields

    def __str__(self):
        return f"{self.place}: {self.fields['why']}"

    def has(self, column):
        return self.fields[column] != "-"

    def text(self, column):
        assert self.has(column), f"{column} has no value"
        return unescaped(self.fields[column])

    def number(self, column):
        return int(self.fields[column])

    def expect_no(self, *columns):
        """Of a row that is refused: nothing else is said."""
        assert not [column for column in columns if self.has(column)]


def rows_of(name):
    """The rows of a file; fails when it is missing or has other columns than this reader knows."""
    text = (FOLDER / name).read_text(encoding="ascii")
    assert text.endswith("\n"), f"{name} is cut off"
    head, *lines = text[:-1].split("\n")
    names = COLUMNS[name].split()
    assert head.split("\t") == names, f"{name}: other columns than this reader knows"
    assert lines, f"{name} has no rows"
    for number, line in enumerate(lines, 2):
        fields = line.split("\t")
        assert len(fields) == len(names) and all(fields), f"{name}:{number}: {fields}"
        yield Row(f"{name}:{number}", dict(zip(names, fields)))


def note(kind, names):
    """Notes for ci/parity what was read or played, when it asks for that."""
    target = os.environ.get("FLAKE_PARITY_NOTES")
    if target:
        with open(target, "a", encoding="ascii") as file:
            for name in sorted(names):
                file.write(json.dumps([kind, name]) + "\n")
