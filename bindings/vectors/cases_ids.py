# SPDX-License-Identifier: MIT
"""Rows of ids.tsv: every field edge of every layout, what must be refused, and public facts."""
from itertools import product

from reference import PRESETS, Parts, SpecError, compose, decode, iso, pack, parse

COLUMNS = "layout id decode_status unix_ms tick node sequence iso compose_status why".split()

OTHERS = [
    "42/8/13",
    "41/12/10",
    "39/10/14",
    "t28n22s13*1s@1463673600000",
    "t41s12n10",
    "n10t41s12",
    "41/0/12",
    "41/10/0",
]
NAMES = {"t": "time", "n": "node", "s": "sequence"}


def id_row(text, number, why):
    """An ID in both directions: it decodes to the parts, and the parts compose to it."""
    layout = parse(text)
    parts = decode(layout, number)
    assert pack(layout, *parts[1:]) == number
    try:
        status = "ok"
        assert compose(layout, parts.unix_ms, parts.node, parts.sequence) == number
    except SpecError as refusal:
        status = refusal.args[0]
    # Only 64 bits keep an ID that decodes from being composed.
    assert status == ("not_supported" if layout.size() == 64 else "ok")
    return [text, number, "ok", *parts, iso(parts.unix_ms), status, why]


def bad_id_row(text, number, why):
    try:
        decode(parse(text), number)
        raise AssertionError(f"{text} decodes {number}")
    except SpecError as refusal:
        return [text, number, refusal.args[0], *[None] * 6, why]


def bad_parts_row(text, unix_ms, node, sequence, expected, why):
    try:
        compose(parse(text), unix_ms, node, sequence)
        raise AssertionError(f"{text} composes {unix_ms} {node} {sequence}")
    except SpecError as refusal:
        assert refusal.args[0] == expected, (text, why)
    return [text, None, None, unix_ms, None, node, sequence, None, expected, why]


def middle(width):
    """1010...: tells neighbouring bits and swapped fields apart."""
    return int(("10" * width)[:width], 2)


def edges(width):
    """The field's values worth a row, without repeats in narrow fields."""
    top = 2**width - 1
    named = [("0", 0), ("1", 1), ("middle", middle(width)), ("max-1", top - 1), ("max", top)]
    seen = {}
    for name, value in named:
        if value >= 0:
            seen.setdefault(value, name)
    return [(name, value) for value, name in seen.items()]


def edge_rows(text):
    layout = parse(text)
    fields = layout.fields
    center = {letter: middle(width) for letter, width in fields}
    for letter, width in fields:
        alone = {"t": 0, "n": 0, "s": 0, letter: 1}
        number = pack(layout, alone["t"], alone["n"], alone["s"])
        yield id_row(text, number, f"lowest {NAMES[letter]} bit alone: 2^{layout.shift(letter)}")
        for name, value in edges(width):
            at = {"t": 0, "n": 0, "s": 0, **center, letter: value}
            number = pack(layout, at["t"], at["n"], at["s"])
            yield id_row(text, number, f"{NAMES[letter]} {name}, the other fields 1010...")
    for corner in product((0, 1), repeat=len(fields)):
        if any(corner):
            at = {"t": 0, "n": 0, "s": 0}
            at.update({field[0]: bit * (2 ** field[1] - 1) for field, bit in zip(fields, corner)})
            said = ", ".join(
                f"{NAMES[field[0]]} {'max' if bit else '0'}" for field, bit in zip(fields, corner)
            )
            yield id_row(text, pack(layout, at["t"], at["n"], at["s"]), said)


def refused_rows(text):
    layout = parse(text)
    size, tick = layout.size(), layout.tick_ms
    begins, ends = layout.epoch_ms, layout.expires_ms()
    yield bad_id_row(text, 0, "0 is never an ID")
    if size == 64:
        return
    yield bad_id_row(text, 2**size, f"bit {size} is above the layout's {size} bits")
    yield bad_id_row(text, 2**size + 1, "a bit above the fields must not be masked away")
    yield bad_id_row(text, 2**64 - 1, "all 64 bits")
    nodes, numbers = 2 ** layout.bits("n"), 2 ** layout.bits("s")
    at = begins + tick
    refused = [
        (begins, 0, 0, "invalid_argument", "tick 0, node 0, sequence 0: the ID would be 0"),
        (begins - tick, 0, 1 % numbers, "before_epoch", "one tick before the epoch"),
        (ends, 0, 0, "time_used_up", "the first time that the field cannot express"),
        (at, nodes, 0, "node_out_of_range", "node max+1"),
        (at, -1, 0, "node_out_of_range", "node -1"),
        (at, 0, numbers, "invalid_argument", "sequence max+1"),
        (at, 0, -1, "invalid_argument", "sequence -1"),
    ]
    for unix_ms, node, sequence, expected, why in refused:
        yield bad_parts_row(text, unix_ms, node, sequence, expected, why)
    if tick > 1:
        for inside in (1, tick - 1):
            why = f"{inside} ms inside a tick of {tick} ms"
            yield bad_parts_row(text, begins + tick + inside, 0, 0, "invalid_argument", why)


def narrowed_rows():
    """Values that would be valid if something masked or narrowed them."""
    text, now = "snowflake", 1750000000000
    for node in (16 + 2**10, 2**16, 2**31, 2**32, 2**32 + 7, 1221865536, 2**53 + 1, 2**63 - 1):
        yield bad_parts_row(text, now, node, 0, "node_out_of_range", f"node {node} is not masked")
    yield bad_parts_row(text, now, -(2**63), 0, "node_out_of_range", "the lowest int64 as node")
    for sequence in (2**12 + 3, 2**32, 2**32 + 3, 2**63 - 1, -(2**63)):
        why = f"sequence {sequence} is not masked"
        yield bad_parts_row(text, now, 7, sequence, "invalid_argument", why)
    yield bad_parts_row(text, 0, 1, 0, "before_epoch", "1970 in a layout that begins in 2025")
    yield bad_parts_row(text, -1, 1, 0, "before_epoch", "a time before 1970")
    why = "the lowest int64: time minus epoch must not wrap"
    yield bad_parts_row(text, -(2**63), 1, 0, "before_epoch", why)
    why = "the highest int64: time minus epoch must not wrap"
    yield bad_parts_row(text, 2**63 - 1, 1, 0, "time_used_up", why)
    why = "epoch 0 and the lowest int64"
    yield bad_parts_row("41/10/12@0", -(2**63), 1, 0, "before_epoch", why)


def fact(text, number, time, node, sequence, why):
    """A public ID with what its source says of it; "" or None is what the source leaves open."""
    parts = decode(parse(text), number)
    assert iso(parts.unix_ms).startswith(time), (number, iso(parts.unix_ms))
    assert node in (None, parts.node) and sequence in (None, parts.sequence), number
    return id_row(text, number, why)


def fact_rows():
    yield fact("discord", 175928847299117063, "2016-04-30T11:18:25.796Z", 32, 7,
               "fact: the example in Discord's API reference (worker 1, process 0: 1 << 5 | 0)")
    yield fact("twitter", 1541815603606036480, "2022-06-28T16:07:40.105Z", 378, 0,
               "fact: the Snowflake example of June 2022, machine 378, sequence 0")
    yield fact("instagram", 2384288897814875714, "2020-08-26T13:43:27", None, None,
               "fact: a post of 2020-08-26T13:43:27Z; its source gives whole seconds")
    yield fact("mastodon", 103270115826048975, "2019-12-08T03:48:33", None, None,
               "fact: the Status example in Mastodon's docs, created_at 03:48:33.901Z, 52 ms later")
    yield fact("t29n21s13*1s@1474300800000", 180363646902239241, "2017-01-19T04:15:46", 4, 9,
               "fact: the README of Baidu's uid-generator: 2017-01-19 12:15:46 in China, node 4")
    yield fact("twitter", 653247040368672768, "2015-10-11", None, None,
               "S35: JavaScript prints this as 653247040368672800; through JSON it must stay exact")
    seconds = decode(parse("pgedge"), 136169504773242881).unix_ms - parse("pgedge").epoch_ms
    assert seconds == 32465339845
    yield fact("pgedge", 136169504773242881, "2024-01-11", None, None,
               "fact: pgEdge's snowflake extension says 32465339.845 s since 2023-01-01")


def constructed_rows():
    default = parse("snowflake")
    tick = 1750000000000 - default.epoch_ms
    number = pack(default, tick, 496, 0)
    number += (37 - number) % 100
    assert number % 100 == 37 and decode(default, number).node == 496
    yield id_row("snowflake", number,
                 "ends in 37 and its node is 496: the last decimal digits say nothing of the node")
    yield id_row("snowflake", pack(default, tick, 0, 0),
                 "S38: node 0 and sequence 0 is an ID like any other")
    yield id_row("snowflake", pack(default, tick, 1023, 4095), "the same ms, node and sequence max")
    js53 = 2**53 - 1
    assert decode(parse("js53"), js53) == Parts(parse("js53").expires_ms() - 1, 2**41 - 1, 31, 127)
    yield id_row("js53", js53, "S36: the last ID of js53 is the largest safe integer of JavaScript")
    yield id_row("snowflake", 2**63 - 1, "the largest ID of all fits int64")
    yield id_row("discord", 2**63, "bit 63 set: unsigned layouts decode, but do not compose")
    yield id_row("mastodon", 2**64 - 1, "the largest uint64; the year 10889 has no ISO text here")


def rows():
    yield from fact_rows()
    yield from constructed_rows()
    for text in [*PRESETS, *OTHERS]:
        yield from edge_rows(text)
        yield from refused_rows(text)
    yield from narrowed_rows()
