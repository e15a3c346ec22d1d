# SPDX-License-Identifier: MIT
"""What the subcommands of "python -m flakecore" share: arguments, input, output, messages.

Options, output and exit status are those of the command `flake`. Exit status: 0 done; 1 failed, or
a part of the input was bad; 2 wrong usage, a wrong value included.
"""
from __future__ import annotations

import os
import re
from typing import Dict, Iterator, List, NoReturn, Sequence, Tuple

from flakecore._layout import Layout
from flakecore.errors import BadLayoutError

PROGRAM = "python -m flakecore"
DONE, FAILED, USAGE = 0, 1, 2

HELP_END = """
LAYOUT says how the bits of an ID are divided:
  41/10/12                      bits of time/node/sequence, the default
  41/10/12@1735689600000        the same, with the epoch in Unix ms
  t39s8n16*10ms@1735689600000   fields from the highest bit down, ticks of 10 ms
  a preset:                    {presets}

Exit status: 0 done; 1 failed, or a part of the input was bad; 2 wrong usage.
"""


class Exit(Exception):
    """Ends the command with a status; what there was to say has been said."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def quoted(value: bytes) -> str:
    """A value that somebody gave: quoted, short, and harmless to a terminal."""
    plain = (chr(b) if 0x20 <= b <= 0x7E else f"\\x{b:02x}" for b in value[:40])
    return "'" + "".join(plain) + ("'..." if len(value) > 40 else "'")


class Output:
    """Standard output through one buffer; a result that is lost must not look like success."""

    def __init__(self, name: str = "") -> None:
        self.name = name  # of the subcommand, or nothing
        self._lines: List[str] = []
        self._size = 0

    def write(self, text: str) -> None:
        self._lines.append(text)
        self._size += len(text)
        if self._size >= 65536:
            self.flush()

    def flush(self) -> None:
        rest = memoryview("".join(self._lines).encode())
        self._lines, self._size = [], 0
        try:
            while rest:
                rest = rest[os.write(1, rest):]
        except OSError as error:
            self._fail(error)

    def close(self) -> None:
        self.flush()

    def _fail(self, error: OSError) -> NoReturn:
        if not isinstance(error, BrokenPipeError):
            self.complain(f"cannot write to standard output: {error.strerror}")
        raise Exit(FAILED)

    def complain(self, text: str, see_help: bool = False) -> None:
        """One line on standard error, after the results so far."""
        self.flush()
        name = f"{PROGRAM} {self.name}" if self.name else PROGRAM
        plain = re.sub(rb"[^ -~]", b"?", text.encode("utf-8", "replace"))
        hint = f"; see {name} --help" if see_help else ""
        try:
            os.write(2, f"{name}: {plain.decode()}{hint}\n".encode())
        except OSError:
            pass

    def fail(self, status: int, text: str, see_help: bool = False) -> NoReturn:
        self.complain(text, see_help)
        raise Exit(status)


# ---- arguments -----------------------------------------------------------------------------------


class Options:
    """Arguments as getopt_long reads them, but that no option may be shortened.

    names: each option, with "=" behind it when it needs a value; letters: the same for one letter,
    with the name that it stands for.
    """

    def __init__(self, out: Output, names: Sequence[str], letters: Dict[str, str]) -> None:
        self.out = out
        self._needs = {name.rstrip("="): name.endswith("=") for name in names}
        self._letters = letters

    def read(self, arguments: Sequence[bytes]) -> Tuple[List[Tuple[str, bytes]], List[bytes]]:
        """(name, value) of each option in order, and the arguments that are none."""
        found: List[Tuple[str, bytes]] = []
        others: List[bytes] = []
        rest = list(arguments)
        while rest:
            argument = rest.pop(0)
            if argument == b"--":
                return found, others + rest
            if argument.startswith(b"--"):
                found.append(self._long(argument, rest))
            elif argument.startswith(b"-") and len(argument) > 1:
                found.extend(self._short(argument, rest))
            else:
                others.append(argument)
            if found and found[-1][0] == "help":
                break
        return found, others

    def _long(self, argument: bytes, rest: List[bytes]) -> Tuple[str, bytes]:
        word, equals, value = argument[2:].partition(b"=")
        name = word.decode("ascii", "replace")
        if name not in self._needs:
            self._wrong(f"there is no option {quoted(argument)}")
        if not self._needs[name]:
            if equals:
                self._wrong(f"option {quoted(argument)} takes no value")
            return name, b""
        if equals:
            return name, value
        if not rest:
            self._wrong(f"option {quoted(argument)} needs a value")
        return name, rest.pop(0)

    def _short(self, argument: bytes, rest: List[bytes]) -> Iterator[Tuple[str, bytes]]:
        for at in range(1, len(argument)):
            name = self._letters.get(argument[at:at + 1].decode("latin-1"))
            if name is None:
                self._wrong(f"there is no option {quoted(b'-' + argument[at:at + 1])}")
            if not self._needs[name]:
                yield name, b""
                if name == "help":
                    return
                continue
            value = argument[at + 1:]
            if not value and not rest:
                self._wrong(f"option {quoted(argument)} needs a value")
            yield name, value or rest.pop(0)
            return

    def _wrong(self, text: str) -> NoReturn:
        self.out.fail(USAGE, text, see_help=True)

    # ---- values ----------------------------------------------------------------------------------

    def number(self, name: str, value: bytes) -> int:
        """A whole number below 2^63, written as decimal digits without leading zeros."""
        if not re.fullmatch(rb"0|-?[1-9][0-9]*", value):
            self.out.fail(USAGE, f"--{name} {quoted(value)} is not a whole number; write decimal "
                          "digits without leading zeros, such as 7")
        if len(value) > 20 or not -(2**63) + 1 < int(value) < 2**63:
            self.out.fail(
                USAGE, f"--{name} {quoted(value)} is out of range; it must lie below 2^63")
        return int(value)

    def word(self, name: str, value: bytes, words: Sequence[str]) -> str:
        for word in words:
            if word.encode() == value:
                return word
        self.out.fail(
            USAGE, f"--{name} {quoted(value)} is unknown; write {' or '.join(words)}")

    def layout(self, value: bytes) -> Layout:
        try:
            return Layout(value.decode("latin-1"))
        except BadLayoutError:
            self.out.fail(USAGE, f"--layout {quoted(value)}: {BadLayoutError()}")


def show_help(out: Output, text: str) -> NoReturn:
    """Prints the help of a subcommand and ends the command."""
    presets = "".join(
        ("" if i == 0 else "," if i % 5 else ",\n                               ") + " " + name
        for i, name in enumerate(Layout.presets())
    )
    out.write(text + HELP_END.format(presets=presets))
    out.close()
    raise Exit(DONE)


# ---- input ---------------------------------------------------------------------------------------


def input_lines(out: Output) -> Iterator[Tuple[int, bytes]]:
    """(number, line without its end) of standard input; flushes before it waits for more."""
    number, rest = 0, b""
    while True:
        out.flush()
        try:
            more = os.read(0, 65536)
        except OSError as error:
            out.fail(FAILED, f"cannot read standard input: {error.strerror}")
        lines = (rest + more).split(b"\n")
        rest = lines.pop()
        if len(rest) > 65536:
            rest = rest[:4096]  # longer than whatever can be read from a line
        for line in lines if more else lines + [rest] * bool(rest):
            number += 1
            yield number, line[:-1] if line.endswith(b"\r") else line
        if not more:
            return
