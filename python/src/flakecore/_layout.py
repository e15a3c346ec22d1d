# SPDX-License-Identifier: MIT
"""Layouts: how the bits of an ID are divided, and what follows for IDs that exist already."""
from __future__ import annotations

import datetime
import functools
import time
from dataclasses import dataclass
from typing import Any, List, Optional, SupportsIndex, Tuple, Union

from flakecore._arguments import (
    Time,
    datetime_of,
    iso_of,
    limited,
    shown,
    unix_ms,
    utf8,
    whole,
)
from flakecore._native import ffi, lib
from flakecore.errors import ArgumentTypeError, BadLayoutError, NodeOutOfRangeError, error_of


@dataclass(frozen=True)
class Decoded:
    """The parts of an ID.

    unix_ms: start of the ID's tick in Unix ms. tick: ticks since the layout's epoch.
    node, sequence: 0 in a layout without that field.
    """

    unix_ms: int
    tick: int
    node: int
    sequence: int

    @property
    def time(self) -> Optional[datetime.datetime]:
        """The start of the ID's tick as an aware datetime in UTC; None beyond the year 9999."""
        return datetime_of(self.unix_ms)

    @property
    def iso(self) -> str:
        """The same as text, "2016-04-30T11:18:25.796Z", whatever the time zone of the process."""
        return iso_of(self.unix_ms)


def _checked(status: int) -> int:
    if status < 0:
        raise error_of(status)
    return status


class Layout:
    """How up to 64 bits are divided into time, node and sequence. Immutable and hashable.

    Layout("41/10/12")                     bits of time/node/sequence, ticks of 1 ms
    Layout("t39s8n16*10ms@1735689600000")  from the highest bit down, tick, epoch in Unix ms
    Layout("twitter")                      a preset, one of Layout.presets()

    BadLayoutError: anything else. str(layout) is the full form.
    """

    __slots__ = ("_native", "_text")
    _native: Any
    _text: str

    def __init__(self, text: str = "snowflake") -> None:
        layout = ffi.new("flake_layout *")
        given = utf8("layout", text)
        if lib.flake_layout_parse(given, len(given), layout) != lib.FLAKE_OK:
            general = str(error_of(lib.FLAKE_E_BAD_LAYOUT))
            raise BadLayoutError(f"{shown(text)}: {general}")
        chars = ffi.new("char[]", lib.FLAKE_LAYOUT_TEXT_SIZE)
        _checked(lib.flake_layout_format(layout, chars, lib.FLAKE_LAYOUT_TEXT_SIZE))
        object.__setattr__(self, "_native", layout)
        object.__setattr__(self, "_text", ffi.string(chars).decode("ascii"))

    @classmethod
    def parse(cls, text: str) -> Layout:
        """The same as Layout(text)."""
        return cls(text)

    @staticmethod
    def presets() -> Tuple[str, ...]:
        """The names of all presets; the first is the default."""
        names: List[str] = []
        while (name := lib.flake_layout_preset(len(names))) != ffi.NULL:
            names.append(ffi.string(name).decode("ascii"))
        return tuple(names)

    # ---- what it is ------------------------------------------------------------------------------

    @property
    def time_bits(self) -> int:
        """Width of the time field in bits, 1..48."""
        return int(self._native.time_bits)

    @property
    def time_shift(self) -> int:
        """Position of the lowest bit of the time field."""
        return int(self._native.time_shift)

    @property
    def node_bits(self) -> int:
        """Width of the node field in bits, 0..32."""
        return int(self._native.node_bits)

    @property
    def node_shift(self) -> int:
        """Position of the lowest bit of the node field."""
        return int(self._native.node_shift)

    @property
    def seq_bits(self) -> int:
        """Width of the sequence field in bits, 0..32."""
        return int(self._native.seq_bits)

    @property
    def seq_shift(self) -> int:
        """Position of the lowest bit of the sequence field."""
        return int(self._native.seq_shift)

    @property
    def tick_ms(self) -> int:
        """Length of a tick in ms, 1..10000."""
        return int(self._native.tick_ms)

    @property
    def epoch_ms(self) -> int:
        """Unix ms of tick 0."""
        return int(self._native.epoch_ms)

    @property
    def expires_ms(self) -> int:
        """The first Unix ms that the time field can no longer express."""
        return _checked(lib.flake_layout_expires_ms(self._native))

    @property
    def expires(self) -> Optional[datetime.datetime]:
        """expires_ms as an aware datetime in UTC; None beyond the year 9999."""
        return datetime_of(self.expires_ms)

    @property
    def stride(self) -> int:
        """What lies between two IDs that follow each other in a tick: 1, or more.

        NotSupportedError: the sequence is bit 63.
        """
        return _checked(lib.flake_layout_stride(self._native))

    def check(self, now: Optional[Time] = None) -> None:
        """Raises unless a generator can use this layout at the time now (None: the clock's).

        NotSupportedError: it only decodes. BeforeEpochError: the epoch is in the future.
        TimeUsedUpError: its time field has ended.
        """
        now_ms = time.time_ns() // 1_000_000 if now is None else unix_ms("now", now, exact=False)
        _checked(lib.flake_layout_check(self._native, now_ms))

    # ---- IDs -------------------------------------------------------------------------------------

    def decode(self, id: SupportsIndex) -> Decoded:
        """Takes an ID (1..2^64-1) apart. InvalidArgumentError: 0, or bits above the fields."""
        parts = ffi.new("flake_decoded *")
        bits = self.time_bits + self.node_bits + self.seq_bits
        _checked(lib.flake_decode(self._native, limited("id", id, 1, 2**bits - 1), parts))
        return Decoded(parts.unix_ms, parts.tick, parts.node, parts.sequence)

    def compose(self, time: Time, node: SupportsIndex, sequence: SupportsIndex) -> int:
        """Puts an ID together, the inverse of decode. Says nothing of its being unique.

        time: the start of a tick, in Unix ms or as an aware datetime.
        BeforeEpochError, TimeUsedUpError, NodeOutOfRangeError: that part does not fit.
        InvalidArgumentError: the sequence does not fit, the time lies inside a tick, or the ID
        would be 0. NotSupportedError: the layout has 64 bits.
        """
        ms = unix_ms("time", time, exact=True)
        number = node_number(node, self)
        sequence = limited("sequence", sequence, 0, 2**self.seq_bits - 1)
        id: int = lib.flake_compose(self._native, ms, number, sequence)
        if id < 0:
            raise error_of(id, self._why_no_id(id, ms))
        return id

    def bounds(self, since: Time, until: Time) -> Tuple[int, int]:
        """The smallest and largest ID with since <= start of its tick < until.

        For "WHERE id BETWEEN low AND high". Times are Unix ms or aware datetimes.
        InvalidArgumentError: no tick starts in the range. BeforeEpochError: since is before the
        epoch. TimeUsedUpError: until is after expires_ms. NotSupportedError: time is not on top.
        """
        low, high = ffi.new("uint64_t *"), ffi.new("uint64_t *")
        since_ms = unix_ms("since", since, exact=False)
        until_ms = unix_ms("until", until, exact=False)
        status = lib.flake_bounds(self._native, since_ms, until_ms, low, high)
        if status < 0:
            raise error_of(status, self._why_no_bounds(status, since_ms, until_ms))
        return low[0], high[0]

    # ---- why not ---------------------------------------------------------------------------------

    def _why_no_time(self, status: int, name: str, ms: int) -> Optional[str]:
        if status == lib.FLAKE_E_BEFORE_EPOCH:
            return f"{name} is {ms}, before the layout's epoch; give {self.epoch_ms} or later"
        if status == lib.FLAKE_E_TIME_USED_UP:
            end_ms = self.expires_ms
            return f"{name} is {ms}, after the end of the time field; give {end_ms} or earlier"
        return None

    def _why_no_id(self, status: int, ms: int) -> Optional[str]:
        if status != lib.FLAKE_E_INVALID_ARGUMENT:
            return self._why_no_time(status, "time", ms)
        into_ms = (ms - self.epoch_ms) % self.tick_ms
        if into_ms:
            return f"time is {ms}, inside a tick of {self.tick_ms} ms; give {ms - into_ms}"
        return "these parts make 0, which is never an ID; give a later time"

    def _why_no_bounds(self, status: int, since_ms: int, until_ms: int) -> Optional[str]:
        if status == lib.FLAKE_E_INVALID_ARGUMENT:
            return (f"no tick of {self.tick_ms} ms starts in {since_ms} <= Unix ms < {until_ms}; "
                    "give a later until")
        early = status == lib.FLAKE_E_BEFORE_EPOCH
        return self._why_no_time(status, *(("since", since_ms) if early else ("until", until_ms)))

    # ---- as a value ------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Layout does not change; parse another one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a Layout does not change; parse another one")

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Layout({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, Layout) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> Any:
        return Layout, (self._text,)


# Where a layout is asked for, its text will do.
LayoutLike = Union[Layout, str]


def node_number(node: Any, layout: Layout) -> int:
    """A node as an int. NodeOutOfRangeError: it does not fit the layout."""
    number = whole("node", node)
    most = 2**layout.node_bits - 1
    if 0 <= number <= most:
        return number
    raise NodeOutOfRangeError(
        f"node {shown(number)} does not fit layout {layout}; give a number in 0..{most}" if most
        else f"layout {layout} has no node field; leave node {shown(number)} out"
    )


@functools.lru_cache(maxsize=64)
def _parsed(text: str) -> Layout:
    return Layout(text)


def layout_of(layout: Any) -> Layout:
    """A Layout, or the one that a text means. ArgumentTypeError: neither."""
    if isinstance(layout, Layout):
        return layout
    if isinstance(layout, str):
        return _parsed(layout)
    raise ArgumentTypeError(f"layout must be a Layout or its text, not {shown(layout)}")


def decode(id: SupportsIndex, layout: LayoutLike = "snowflake") -> Decoded:
    """Takes an ID apart; see Layout.decode."""
    return layout_of(layout).decode(id)


def compose(
    time: Time, node: SupportsIndex, sequence: SupportsIndex, layout: LayoutLike = "snowflake"
) -> int:
    """Puts an ID together; see Layout.compose."""
    return layout_of(layout).compose(time, node, sequence)


def bounds(since: Time, until: Time, layout: LayoutLike = "snowflake") -> Tuple[int, int]:
    """The smallest and largest ID of a range of time; see Layout.bounds."""
    return layout_of(layout).bounds(since, until)
