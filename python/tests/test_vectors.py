# SPDX-License-Identifier: MIT
"""The conformance vectors, through the package's own API. What is missing fails, nothing is
skipped."""
import asyncio
import os
import time
from array import array

import pytest
from vectors import COLUMNS, FOLDER, note, rows_of

from flakecore import FlakeError, Generator, Layout
from flakecore.testing import TestClock

FIELDS = ("time_bits", "time_shift", "node_bits", "node_shift", "seq_bits", "seq_shift", "tick_ms",
          "epoch_ms", "expires_ms")


def outcome(call, *arguments, **options):
    """(status name, result) of a call."""
    try:
        return "ok", call(*arguments, **options)
    except FlakeError as error:
        return error.name, None


def test_no_file_of_vectors_is_unknown_here():
    assert {path.name for path in FOLDER.glob("*.tsv")} == set(COLUMNS)


def test_layouts_hold():
    for row in rows_of("layouts.tsv"):
        status, layout = outcome(Layout.parse, row.text("text"))
        assert status == row.text("status"), row
        if status != "ok":
            row.expect_no("canonical", "now_ms", "check", *FIELDS)
            continue
        assert str(layout) == row.text("canonical"), row
        assert Layout(str(layout)) == layout and hash(Layout(str(layout))) == hash(layout)
        assert [getattr(layout, name) for name in FIELDS] == [row.number(n) for n in FIELDS], row
        assert outcome(layout.check, row.number("now_ms"))[0] == row.text("check"), row
    note("vectors", ["layouts.tsv"])


@pytest.fixture(params=["UTC", "Asia/Shanghai", "America/New_York"])
def zone(request):
    before = os.environ.get("TZ")
    os.environ["TZ"] = request.param
    time.tzset()
    yield request.param
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def iso(decoded):
    """As datetime tells it; "-" beyond the year 9999."""
    at = decoded.time
    if at is None:
        return "-"
    assert at.utcoffset().total_seconds() == 0
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


def test_ids_hold_in_every_time_zone(zone):  # S39
    for row in rows_of("ids.tsv"):
        layout = Layout(row.text("layout"))
        assert row.has("decode_status") or row.has("compose_status"), row
        if row.has("decode_status"):
            status, parts = outcome(layout.decode, row.number("id"))
            assert status == row.text("decode_status"), row
            if parts:
                found = (parts.unix_ms, parts.tick, parts.node, parts.sequence)
                assert found == tuple(map(row.number, ("unix_ms", "tick", "node", "sequence"))), row
                assert iso(parts) == row.fields["iso"], row
                assert parts.iso == row.fields["iso"] or not row.has("iso"), row
        if row.has("compose_status"):
            numbers = map(row.number, ("unix_ms", "node", "sequence"))
            status, id = outcome(layout.compose, *numbers)
            assert status == row.text("compose_status"), row
            assert id is None or id == row.number("id"), row
    note("vectors", ["ids.tsv"])


def test_bounds_hold():
    for row in rows_of("bounds.tsv"):
        layout = Layout(row.text("layout"))
        status, found = outcome(layout.bounds, row.number("from_ms"), row.number("until_ms"))
        assert status == row.text("status"), row
        if found:
            assert found == (row.number("min_id"), row.number("max_id")), row
        else:
            row.expect_no("min_id", "max_id")
    note("vectors", ["bounds.tsv"])


# ---- clock scripts -------------------------------------------------------------------------------


def by_filling(gen):
    ids = array("q", [0])
    assert gen.fill(ids) == 1
    return ids[0]


# Every way to an ID waits by itself and must behave the same.
WAYS = {
    "next_id": Generator.next_id,
    "next": next,
    "next_id_str": lambda gen: gen.next_id_str().int,
    "next_id_async": lambda gen: asyncio.run(gen.next_id_async()),
    "next_range": lambda gen: gen.next_range(1)[0],
    "next_ids": lambda gen: gen.next_ids(1)[0],
    "fill": by_filling,
}


class Player:
    """Plays one script with a test clock and at most one open generator."""

    def __init__(self, space, draw):
        self.space, self.draw = space, draw
        self.clock = self.gen = None
        self.mark_ns = self.biggest = 0

    def play(self, row):
        getattr(self, "op_" + row.text("op"))(row)

    def answer(self, row, call, *columns):
        assert outcome(call, *map(row.number, columns))[0] == row.text("expected"), row

    def op_clock(self, row):
        self.clock = TestClock(row.number("arg1"))
        self.mark_ns = self.clock.monotonic_ns()

    def op_wall(self, row):
        self.answer(row, self.clock.set_wall, "arg1")

    def op_rate(self, row):
        self.answer(row, self.clock.set_rate, "arg1")

    def op_advance(self, row):
        self.answer(row, self.clock.advance, "arg1")

    def op_script(self, row):
        self.answer(row, self.clock.script, "arg1", "arg2")

    def op_stop_sleeps(self, row):
        self.answer(row, lambda stopped: self.clock.stop_sleeps(bool(stopped)), "arg1")

    def op_open(self, row):
        assert self.gen is None, row
        given = row.text("arg2").split(",") if row.has("arg2") else []
        options = dict(option.split("=") for option in given)
        options = {name: text if name == "mode" else int(text) for name, text in options.items()}
        status, self.gen = outcome(
            Generator, layout=row.text("arg1"), space=self.space, clock=self.clock, **options)
        assert status == row.text("expected"), row
        self.biggest = 0

    def op_close(self, row):
        self.gen.close()
        self.gen = None

    def op_elapsed(self, row):
        now_ns = self.clock.monotonic_ns()
        assert now_ns - self.mark_ns == row.number("expected"), row
        self.mark_ns = now_ns

    def op_next(self, row):
        ids = []
        for _ in range(row.number("arg1")):
            status, id = outcome(self.draw, self.gen)
            assert status == row.text("expected"), row
            ids.append(id)
        if row.text("expected") != "ok":
            row.expect_no("first_id", "last_id")
            return
        assert ids == sorted(set(ids)) and ids[0] > self.biggest, row
        assert (ids[0], ids[-1]) == (row.number("first_id"), row.number("last_id")), row
        self.biggest = ids[-1]


@pytest.mark.parametrize("way", WAYS)
def test_clock_scripts_hold(way):
    players, ops = {}, set()
    for row in rows_of("clock.tsv"):
        script = row.text("script")
        if script not in players:
            assert row.text("op") == "clock" and all(p.gen is None for p in players.values()), row
            players[script] = Player(f"{way}-{script}", WAYS[way])
        players[script].play(row)
        ops.add(row.text("op"))
    assert all(player.gen is None for player in players.values())
    note("vectors", ["clock.tsv"])
    note("script", players)
    note("op", ops)
