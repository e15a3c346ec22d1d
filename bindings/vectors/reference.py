# SPDX-License-Identifier: MIT
"""Layouts, IDs and bounds as design.md and flakecore.h state them, with plain big integers.

This is the second opinion that the C core is compared with, so it is written from the text and
shares no code and no trick with core/: no masks kept in 64 bits, no overflow to think about, one
regular expression instead of a scanner.
"""
import datetime
import re
from typing import NamedTuple, Tuple

DEFAULT_EPOCH_MS = 1735689600000  # 2025-01-01T00:00:00Z
LATEST_EPOCH_MS = 4102444800000  # 2100-01-01T00:00:00Z

PRESETS = {
    "snowflake": "t41n10s12@1735689600000",
    "twitter": "t41n10s12@1288834974657",
    "discord": "t42n10s12@1420070400000",
    "instagram": "t41n13s10@1314220021721",
    "mastodon": "t48s16@0",
    "sonyflake": "t39s8n16*10ms@1735689600000",
    "sonyflake1": "t39s8n16*10ms@1409529600000",
    "tsid": "t42n10s12@1577836800000",
    "pgedge": "t41n10s12@1672531200000",
    "js53": "t41n5s7@1735689600000",
}

# [0-9] and fullmatch, because \d takes other scripts' digits and $ stops before a line feed.
NUMBER = "(?:0|[1-9][0-9]*)"
TAIL = rf"(?:\*(?P<tick>{NUMBER})(?P<unit>ms|s))?(?:@(?P<epoch>{NUMBER}))?"
SHORT = re.compile(rf"(?P<t>{NUMBER})/(?P<n>{NUMBER})/(?P<s>{NUMBER}){TAIL}")
FULL = re.compile(rf"(?P<fields>(?:[tns]{NUMBER}){{1,3}}){TAIL}")


class SpecError(Exception):
    """A refusal; args[0] is the status name."""


def refuse(status, when):
    """Raises the status when the condition holds: the order of calls is the order of checks."""
    if when:
        raise SpecError(status)


class Layout(NamedTuple):
    """Fields from the highest bit down as (letter, width), zero-width ones left out."""

    fields: Tuple[Tuple[str, int], ...]
    tick_ms: int
    epoch_ms: int

    def bits(self, letter):
        return dict(self.fields).get(letter, 0)

    def shift(self, letter):
        """Position of the field's lowest bit; a field that is not there has shift 0."""
        letters = [name for name, _ in self.fields]
        if letter not in letters:
            return 0
        return sum(width for _, width in self.fields[letters.index(letter) + 1 :])

    def size(self):
        return sum(width for _, width in self.fields)

    def time_on_top(self):
        return self.fields[0][0] == "t"

    def expires_ms(self):
        return self.epoch_ms + self.tick_ms * 2 ** self.bits("t")

    def text(self):
        """The canonical form."""
        fields = "".join(f"{letter}{width}" for letter, width in self.fields)
        tick = ""
        if self.tick_ms % 1000 == 0:
            tick = f"*{self.tick_ms // 1000}s"
        elif self.tick_ms != 1:
            tick = f"*{self.tick_ms}ms"
        return f"{fields}{tick}@{self.epoch_ms}"


def parse(text):
    """Reads a layout or raises bad_layout."""
    text = PRESETS.get(text, text)
    short, full = SHORT.fullmatch(text), FULL.fullmatch(text)
    match = short or full
    refuse("bad_layout", match is None)
    if short:
        fields = [(letter, int(match[letter])) for letter in "tns"]
    else:
        fields = [(part[0], int(part[1:])) for part in re.findall("[tns][0-9]+", match["fields"])]
    letters = [letter for letter, _ in fields]
    refuse("bad_layout", len(set(letters)) != len(letters))
    tick_ms = int(match["tick"] or 1) * (1000 if match["unit"] == "s" else 1)
    epoch_ms = DEFAULT_EPOCH_MS if match["epoch"] is None else int(match["epoch"])
    layout = Layout(tuple(field for field in fields if field[1]), tick_ms, epoch_ms)
    refuse("bad_layout", not 1 <= layout.bits("t") <= 48)
    refuse("bad_layout", layout.bits("n") > 32 or layout.bits("s") > 32 or layout.size() > 64)
    refuse("bad_layout", not 1 <= tick_ms <= 10000 or epoch_ms > LATEST_EPOCH_MS)
    return layout


def check(layout, now_ms):
    """Whether a generator can use the layout at this time."""
    refuse("not_supported", layout.size() > 63 or not layout.time_on_top())
    refuse("not_supported", layout.bits("t") > 43)
    refuse("before_epoch", now_ms < layout.epoch_ms)
    refuse("time_used_up", now_ms >= layout.expires_ms())


class Parts(NamedTuple):
    """What an ID says."""

    unix_ms: int
    tick: int
    node: int
    sequence: int


def pack(layout, tick, node, sequence):
    """The bits, without any check."""
    values = {"t": tick, "n": node, "s": sequence}
    return sum(values[letter] << layout.shift(letter) for letter, _ in layout.fields)


def decode(layout, number):
    refuse("invalid_argument", number == 0 or number >= 2 ** layout.size())
    value = {f: number >> layout.shift(f) & 2**width - 1 for f, width in layout.fields}
    unix_ms = layout.epoch_ms + value["t"] * layout.tick_ms
    return Parts(unix_ms, value["t"], value.get("n", 0), value.get("s", 0))


def compose(layout, unix_ms, node, sequence):
    refuse("not_supported", layout.size() == 64)
    refuse("before_epoch", unix_ms < layout.epoch_ms)
    refuse("time_used_up", unix_ms >= layout.expires_ms())
    refuse("node_out_of_range", not 0 <= node < 2 ** layout.bits("n"))
    refuse("invalid_argument", not 0 <= sequence < 2 ** layout.bits("s"))
    tick, inside = divmod(unix_ms - layout.epoch_ms, layout.tick_ms)
    number = pack(layout, tick, node, sequence)
    refuse("invalid_argument", inside or number == 0)
    return number


def first_tick_from(layout, unix_ms):
    """The first tick that starts at or after a time."""
    return -((layout.epoch_ms - unix_ms) // layout.tick_ms)


def bounds(layout, from_ms, until_ms):
    """The smallest and largest ID of the ticks that start in from_ms <= t < until_ms."""
    refuse("not_supported", not layout.time_on_top())
    refuse("before_epoch", from_ms < layout.epoch_ms)
    refuse("time_used_up", until_ms > layout.expires_ms())
    first, end = first_tick_from(layout, from_ms), first_tick_from(layout, until_ms)
    refuse("invalid_argument", first >= end)
    shift = layout.shift("t")
    # 0 is never an ID, so tick 0 begins with ID 1.
    return max(first << shift, 1), (end << shift) - 1


def iso(unix_ms):
    """UTC with milliseconds, or None beyond the year 9999, where the form has no digits left."""
    try:
        time = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=unix_ms)
    except OverflowError:
        return None
    return time.isoformat(timespec="milliseconds") + "Z"
