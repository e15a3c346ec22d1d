# SPDX-License-Identifier: MIT
"""python -m flakecore next|decode: the command `flake`, for where only the package is installed."""
from __future__ import annotations

import os
import re
import sys
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

import flakecore
from flakecore import FORMATS
from flakecore._arguments import UINT64_MAX
from flakecore._command import (
    DONE,
    FAILED,
    PROGRAM,
    USAGE,
    Exit,
    Options,
    Output,
    input_lines,
    quoted,
    show_help,
)

HELP = """Usage: {program} COMMAND [OPTION...]

Time-ordered unique 64-bit IDs, made in process.

Commands:
  next             print new IDs
  decode           say what is in IDs: time, node, sequence

Options:
  -h, --help    print this
  --version     print the version

{program} COMMAND --help, or {program} help COMMAND, says more.
"""

HELP_NEXT = """Usage: {program} next --node CHAIN [OPTION...]

Prints new IDs, one a line, each larger than the one before.

      --node CHAIN        number of this generator: no two that live at the same
                          time may share it, so there is no default. Or sources of
                          it, with commas; the first that is there decides:
                          env:NAME          an environment variable
                          file:PATH         the first line of a file
                          hostname-ordinal  the number that ends the host's name
                          ipv4:PREFIX       the bits after the network's prefix of
                                            this host's private IPv4 address;
                                            ipv4:PREFIX@eth0 names an interface
                          random:FLEET      a random number, for a fleet of so many:
                                            says how probable it is that two of them
                                            get the same one
  -n, --count N           how many IDs (default 1)
      --layout LAYOUT     how the bits of an ID are divided (default 41/10/12)
      --space NAME        set of IDs that must all differ (default "default")
      --format FORMAT     dec (default), hex, base32, base58 or base62, as flake
                          encode writes them
      --mode MODE         strict: never ahead of the clock, may wait (default)
                          monotonic: never waits, may run ahead of the clock
      --max-wait-ms N     strict: the longest wait for an ID, 0 to 86400000 ms
                          (default 1100)
      --max-lead-ms N     monotonic: how far ahead of the clock, 0 to 86400000 ms.
                          No default: the next process to use the node this
                          soon could repeat IDs
      --start-floor-ms N  no ID with an earlier time than this, in Unix ms
                          (default none)
      --seq-spread-bits N start the sequence of each tick at a random number below
                          2^N, 0 to the width of the sequence (default 0)
  -h, --help              print this

Examples:
  {program} next --node 1
  {program} next --node 1 -n 5 | {program} decode
  {program} next --node env:NODE,hostname-ordinal
  {program} next --node 7 --layout sonyflake --format hex
"""

HELP_DECODE = """Usage: {program} decode [OPTION...] [ID...]

Says what is in IDs: the time in UTC, the node and the sequence number. Without an
ID it reads standard input, one ID a line. It prints lines of the form
  175928847299117063  2016-04-30T11:18:25.796Z  node 32  sequence 7

      --layout LAYOUT     how the bits of an ID are divided (default 41/10/12)
      --format FORMAT     how the IDs are written
                          dec: decimal, or 0x and 16 hexadecimal digits (default)
                          hex: 16 hexadecimal digits, with or without 0x
                          base32, base58, base62: as flake encode writes them
      --json              one JSON object a line: id (a string), time, unix_ms,
                          node, sequence, layout
  -h, --help              print this

What is not an ID is reported on standard error with its line number and left out.
An ID whose time is before 2006 or in the future is printed, with a warning: it is
probably of another layout.

Examples:
  {program} decode --layout discord 175928847299117063
  {program} next --node 1 -n 5 --format hex | {program} decode --format hex
  {program} decode --json < ids.txt
"""

NUMBERS = ("max-wait-ms", "max-lead-ms", "start-floor-ms", "seq-spread-bits")
YEAR_2006_MS = 1_136_073_600_000
SKEW_MS = 5000  # between the clock that made the ID and ours
WARNINGS_MAX = 10
FORMS = {
    "dec": "decimal, or 0x and 16 hexadecimal digits; --help names the other forms",
    "hex": "16 hexadecimal digits",
    "base32": "13 digits of Crockford's base32, 0-9 A-Z without I L O U, below 2^64",
    "base58": "11 digits of base58, 1-9 A-Z a-z without I O l, below 2^64",
    "base62": "11 digits of base62, 0-9 A-Z a-z, below 2^64",
}


# ---- next ----------------------------------------------------------------------------------------


def next_request(out: Output, arguments: Sequence[bytes]) -> Tuple[Dict[str, Any], int, str]:
    """The generator's options, how many IDs, and their format."""
    words = ("node", "count", "layout", "space", "format", "mode")
    names = [f"{name}=" for name in (*NUMBERS, *words)]
    options = Options(out, [*names, "help"], {"n": "count", "h": "help"})
    found, others = options.read(arguments)
    chosen: Dict[str, Any] = {}
    count, format = 1, "dec"
    for name, value in found:
        if name == "help":
            show_help(out, HELP_NEXT.format(program=PROGRAM))
        elif name == "count":
            count = options.number(name, value)
            if count < 0:
                out.fail(USAGE, f"--count {quoted(value)} is below 0")
        elif name == "format":
            format = options.word(name, value, FORMATS)
        else:
            chosen[name.replace("-", "_")] = next_option(options, name, value)
    if others:
        out.fail(USAGE, f"{quoted(others[0])} is not an option; for several IDs write -n N", True)
    return chosen, count, format


def next_option(options: Options, name: str, value: bytes) -> Any:
    """The value of an option of the generator."""
    if name == "layout":
        return options.layout(value)
    if name == "space":
        return value.decode("latin-1")
    if name == "mode":
        return options.word(name, value, ("strict", "monotonic"))
    meant_as_number = not value or value[:1] in b"+-0123456789" and b"," not in value
    return value if name == "node" and not meant_as_number else options.number(name, value)


def find_node(out: Output, chosen: Dict[str, Any]) -> None:
    """Where a chain of sources was given, what it says. The odds of a random node must be seen."""
    chain = chosen.get("node")
    if not isinstance(chain, bytes):
        return
    try:
        found = flakecore.node_from(os.fsdecode(chain), chosen.get("layout", "snowflake"))
    except flakecore.FlakeError as error:
        status = USAGE if isinstance(error, flakecore.CallerError) else FAILED
        out.fail(status, f"--node {quoted(chain)}: {error}")
    if " from random:" in found.text:
        out.complain(found.text)
    chosen["node"] = found.node


def open_generator(out: Output, chosen: Dict[str, Any]) -> flakecore.Generator:
    try:
        return flakecore.Generator(**chosen)
    except flakecore.NoNodeError as error:
        out.fail(USAGE, f"{error}: --node N", see_help=True)
    except flakecore.CallerError as error:
        out.fail(USAGE, str(error))
    except flakecore.FlakeError as error:
        out.fail(FAILED, str(error))


def run_next(out: Output, arguments: Sequence[bytes]) -> int:
    chosen, count, format = next_request(out, arguments)
    find_node(out, chosen)
    text_of = str if format == "dec" else lambda id: flakecore.encode(id, format)
    done = 0
    with open_generator(out, chosen) as gen:
        try:
            while done < count:
                id = gen.try_next_id()
                if id is None:  # what was printed must not wait together with the generator
                    out.flush()
                    id = gen.next_id()
                out.write(text_of(id) + "\n")
                done += 1
        except flakecore.FlakeError as error:
            out.fail(FAILED, f"stopped after {done} of {count} IDs: {error}")
    return DONE


# ---- decode --------------------------------------------------------------------------------------


class Decode:
    """One run of decode: a bad ID is reported and left out; the others go on."""

    def __init__(self, out: Output, layout: flakecore.Layout, format: str, json: bool) -> None:
        self.out, self.layout, self.format, self.json = out, layout, format, json
        self.implausible = 0
        self.status = DONE

    def one(self, text: bytes, place: str) -> None:
        id = self._read(text)
        if id is None or not 0 < id <= UINT64_MAX:
            self._report(text, place, id)
            return
        try:
            parts = self.layout.decode(id)
        except flakecore.FlakeError:
            self._report(text, place, id)
            return
        self.out.write(self._json(id, parts) if self.json else self._text(id, parts))
        self._warn_of_time(id, parts.unix_ms, place)

    def _read(self, text: bytes) -> Optional[int]:
        """The number of a text; None when it is none."""
        marked = self.format in ("dec", "hex") and len(text) > 2 and text.startswith(b"0x")
        if marked or self.format == "hex":
            digits = text[2:] if marked else text
            return int(digits, 16) if re.fullmatch(rb"[0-9A-Fa-f]{16}", digits) else None
        if self.format == "dec":
            known = re.fullmatch(rb"0|[1-9][0-9]*", text)
            return None if not known else int(text) if len(text) <= 20 else UINT64_MAX + 1
        try:
            return flakecore.decode_text(text.decode("latin-1"), self.format)
        except flakecore.BadTextError:
            return None

    @staticmethod
    def _text(id: int, parts: flakecore.Decoded) -> str:
        return f"{id}  {parts.iso}  node {parts.node}  sequence {parts.sequence}\n"

    def _json(self, id: int, parts: flakecore.Decoded) -> str:
        return (
            f'{{"id":"{id}","time":"{parts.iso}","unix_ms":{parts.unix_ms},"node":{parts.node},'
            f'"sequence":{parts.sequence},"layout":"{self.layout}"}}\n'
        )

    def _report(self, text: bytes, place: str, id: Optional[int]) -> None:
        self.status = FAILED
        if not text:
            what = "blank, where an ID should be"
        elif id is None:
            what = f"{quoted(text)} is not an ID; write it as {FORMS[self.format]}"
        elif id > UINT64_MAX:
            what = f"{quoted(text)} is not an ID; the largest is 2^64 - 1"
        elif id == 0:
            what = f"{quoted(text)} is not an ID; 0 is never issued"
        else:
            what = (f"{quoted(text)} has more bits than layout {self.layout}; name its layout "
                    "with --layout")
        self.out.complain(place + what)

    def _warn_of_time(self, id: int, unix_ms: int, place: str) -> None:
        early = unix_ms < YEAR_2006_MS
        if not early and unix_ms <= time.time_ns() // 1_000_000 + SKEW_MS:
            return
        self.implausible += 1
        if self.implausible <= WARNINGS_MAX:
            when = "before 2006" if early else "in the future"
            self.out.complain(f"warning: {place}the time of {id} lies {when}; is {self.layout} "
                              "its layout? see --layout")


def run_decode(out: Output, arguments: Sequence[bytes]) -> int:
    options = Options(out, ["layout=", "format=", "json", "help"], {"h": "help"})
    found, ids = options.read(arguments)
    layout, format, json = flakecore.Layout(), "dec", False
    for name, value in found:
        if name == "help":
            show_help(out, HELP_DECODE.format(program=PROGRAM))
        elif name == "layout":
            layout = options.layout(value)
        elif name == "format":
            format = options.word(name, value, FORMATS)
        else:
            json = True
    job = Decode(out, layout, format, json)
    for text in ids:
        job.one(text, "")
    if not ids:
        for number, line in input_lines(out):
            job.one(line, f"line {number}: ")
    if job.implausible > WARNINGS_MAX:
        out.complain(f"warning: {job.implausible - WARNINGS_MAX} more such times")
    return job.status


# ---- the command ---------------------------------------------------------------------------------

COMMANDS = {"next": run_next, "decode": run_decode}


def run(out: Output, arguments: List[bytes]) -> int:
    if not arguments:
        out.fail(USAGE, "name a command, such as next", see_help=True)
    word = arguments[0].decode("latin-1")
    asks_help = word == "help"
    if word == "--version":
        out.write(f"flake {flakecore.__version__}\n")
        return DONE
    if word in ("--help", "-h") or asks_help and (
            len(arguments) == 1 or arguments[1].startswith(b"-")):
        out.write(HELP.format(program=PROGRAM))
        return DONE
    if asks_help:
        word = arguments[1].decode("latin-1")
        arguments = [b"", b"--help"]
    if word not in COMMANDS:
        kind = "option" if word.startswith("-") else "command"
        out.fail(USAGE, f"there is no {kind} {quoted(word.encode('latin-1'))}", see_help=True)
    out.name = word
    return COMMANDS[word](out, arguments[1:])


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit status."""
    out = Output()
    try:
        status = run(out, [os.fsencode(argument) for argument in arguments])
        out.close()
    except Exit as end:
        return end.status
    except KeyboardInterrupt:
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
