# SPDX-License-Identifier: MIT
"""Rows of bounds.tsv: the smallest and largest ID of a time range, for "id BETWEEN"."""
from reference import PRESETS, SpecError, bounds, decode, parse

COLUMNS = "layout from_ms until_ms status min_id max_id why".split()

NOW_MS = 1750000000000  # 2025-06-15T15:06:40Z, the start of a tick in every layout here
OTHERS = ["42/8/13", "41/12/10", "39/10/14", "t28n22s13*1s@1463673600000", "t41s12n10", "t41n10"]


def row(text, from_ms, until_ms, expected, why):
    layout = parse(text)
    try:
        low, high = bounds(layout, from_ms, until_ms)
    except SpecError as refusal:
        assert refusal.args[0] == expected, (text, why, refusal)
        return [text, from_ms, until_ms, expected, None, None, why]
    assert expected == "ok", (text, why)
    # S34: both ends decode to times inside the range, and their neighbours outside.
    assert from_ms <= decode(layout, low).unix_ms and decode(layout, high).unix_ms < until_ms
    assert low == 1 or decode(layout, low - 1).unix_ms < from_ms
    assert high + 1 == 2 ** layout.size() or decode(layout, high + 1).unix_ms >= until_ms
    return [text, from_ms, until_ms, expected, low, high, why]


def life_rows(text):
    """Both ends of the time field, and one tick on either side of them."""
    layout = parse(text)
    begins, ends, tick = layout.epoch_ms, layout.expires_ms(), layout.tick_ms
    yield row(text, begins, begins + tick, "ok", "tick 0: begins with ID 1, as 0 is never an ID")
    yield row(text, begins + tick, begins + 2 * tick, "ok", "tick 1")
    yield row(text, ends - tick, ends, "ok", "the last tick: ends with the largest ID")
    yield row(text, begins, ends, "ok", "all of it: 1 to the largest ID")
    yield row(text, begins - 1, ends, "before_epoch", "from_ms is 1 ms before the epoch")
    yield row(text, begins, ends + 1, "time_used_up", "until_ms is 1 ms after the end")
    yield row(text, ends, ends, "invalid_argument", "empty, at the end")


def edge_rows():
    """S34: millisecond edges of the default layout; ranges that touch do not overlap."""
    text, hour, now = "snowflake", 3600000, NOW_MS
    yield row(text, now - 1, now, "ok", "1 ms; the next row begins where this one ends")
    yield row(text, now, now + 1, "ok", "1 ms; min_id is the max_id above plus 1")
    yield row(text, now + 1, now + 2, "ok", "1 ms; min_id is the max_id above plus 1")
    yield row(text, now - 1, now + 2, "ok", "the three together")
    yield row(text, now, now + hour, "ok", "an hour")
    yield row(text, 1749945600000, 1750032000000, "ok", "the UTC day 2025-06-15")
    yield row(text, now, now, "invalid_argument", "empty")
    yield row(text, now + 1, now, "invalid_argument", "reversed by 1 ms")
    yield row(text, now + hour, now, "invalid_argument", "reversed by an hour")
    lowest, highest = -(2**63), 2**63 - 1
    yield row(text, 0, now, "before_epoch", "from 1970, before the layout's epoch")
    yield row(text, -1, now, "before_epoch", "from before 1970")
    yield row(text, lowest, now, "before_epoch", "the lowest int64: must not wrap")
    yield row(text, now, highest, "time_used_up", "the highest int64: must not wrap")
    yield row("41/10/12@0", lowest, now, "before_epoch", "epoch 0 and the lowest int64")


def tick_rows():
    """Ticks longer than 1 ms: what counts is where a tick starts."""
    text, now = "sonyflake", NOW_MS
    yield row(text, now, now + 10, "ok", "exactly one tick of 10 ms")
    yield row(text, now, now + 1, "ok", "the tick starts at from_ms, so it is in")
    yield row(text, now - 9, now + 1, "ok", "the same tick: no other starts in the range")
    yield row(text, now - 9, now + 10, "ok", "the same tick: the next starts at until_ms")
    yield row(text, now - 9, now + 11, "ok", "two ticks: the next starts 1 ms before until_ms")
    yield row(text, now - 10, now + 1, "ok", "two ticks: the one before starts at from_ms")
    yield row(text, now + 1, now + 10, "invalid_argument", "inside a tick: none starts here")
    yield row(text, now + 1, now + 9, "invalid_argument", "inside a tick, both edges")
    yield row(text, now - 9, now, "invalid_argument", "inside a tick, up to the next")
    yield row(text, now + 5, now + 5, "invalid_argument", "empty, inside a tick")
    text, first = "t29n21s13*1s@1474300800000", 1474300800000
    yield row(text, first + 1, first + 1001, "ok", "1 s ticks: the tick that starts inside")
    yield row(text, first + 1, first + 1000, "invalid_argument", "1 s ticks: inside tick 0")


def rows():
    yield from edge_rows()
    yield from tick_rows()
    for text in [*PRESETS, *OTHERS]:
        yield from life_rows(text)
    for text in ("n10t41s12", "s12t41n10", "n10s12t41"):
        why = "time is not on top: the IDs of a range are not together"
        yield row(text, NOW_MS, NOW_MS + 1, "not_supported", why)
