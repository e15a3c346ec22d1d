# SPDX-License-Identifier: MIT
"""The builder of clock scripts: each method is one row of clock.tsv.

A case states by hand what must come out (a status, or tick and sequence of the first ID relative to
the script's start), and the model works it out on its own; a row is written only when both agree.
"""
from reference import SpecError
from reference_clock import MS, Clock, Config, Generator

COLUMNS = "script step op arg1 arg2 expected first_id last_id why".split()

BASE_MS = 1750000000000  # 2025-06-15T15:06:40Z, the start of a tick of 1 ms, 10 ms and 1 s
US = 1_000  # ns
SECOND = 1_000 * MS
HOUR = 3_600 * SECOND


def at(ms, us=0):
    """Unix ns of a moment given in ms and us from BASE_MS."""
    return (BASE_MS + ms) * MS + us * US


class Script:
    """One script: a test clock, a space of its own, at most one open generator."""

    def __init__(self, rows, name, wall, why):
        self.rows, self.name, self.start, self.step = rows, name, wall, 0
        self.clock, self.generators, self.generator = Clock(wall), {}, None
        self.marked, self.biggest, self.tick0 = self.clock.mono, 0, None
        self._row("clock", [wall], "ok", why)

    def _row(self, op, args, expected, why, ids=(None, None)):
        self.step += 1
        arg1, arg2 = [*args, None, None][:2]
        self.rows.append([self.name, self.step, op, arg1, arg2, expected, *ids, why])

    def _do(self, op, args, expected, why, call):
        try:
            call(*args)
            status = "ok"
        except SpecError as refusal:
            status = refusal.args[0]
        assert status == expected, (self.name, self.step + 1, op, status, why)
        self._row(op, args, expected, why)

    def wall(self, wall, why, expected="ok"):
        self._do("wall", [wall], expected, why, self.clock.set_wall)

    def rate(self, permille, why, expected="ok"):
        self._do("rate", [permille], expected, why, self.clock.set_rate)

    def advance(self, ns, why, expected="ok"):
        self._do("advance", [ns], expected, why, self.clock.advance)

    def script(self, after, step, why, expected="ok"):
        self._do("script", [after, step], expected, why, self.clock.script)

    def stop_sleeps(self, stopped, why):
        self.clock.stopped = bool(stopped)
        self._row("stop_sleeps", [stopped], "ok", why)

    def open(self, layout, options, why, expected="ok"):
        assert self.generator is None
        named = dict(option.split("=") for option in options.split(",") if option)
        try:
            config = Config(layout, named)
            generator = self.generators.get((config.layout, config.node)) or Generator(self.clock)
            generator.open(config)
            self.generators[config.layout, config.node] = self.generator = generator
            status = "ok"
        except SpecError as refusal:
            status = refusal.args[0]
        assert status == expected, (self.name, self.step + 1, status, why)
        if status == "ok" and self.tick0 is None:
            epoch, length = config.layout.epoch_ms, config.layout.tick_ms
            self.tick0 = (self.start // MS - epoch) // length
        self._row("open", [layout, options or None], expected, why)

    def close(self, why):
        self.generator.close()
        self.generator = None
        self._row("close", [], "ok", why)

    def elapsed(self, ns, why):
        """The monotonic time since the script's start or the last elapsed row."""
        passed, self.marked = self.clock.mono - self.marked, self.clock.mono
        assert passed == ns, (self.name, self.step + 1, passed, why)
        self._row("elapsed", [], ns, why)

    def fail(self, count, expected, why):
        """count calls that all end with the status."""
        for _ in range(count):
            try:
                number = self.generator.next()
                raise AssertionError((self.name, self.step + 1, "issued", number, why))
            except SpecError as refusal:
                status = refusal.args[0]
                assert status == expected, (self.name, self.step + 1, status, why)
        self._row("next", [count], expected, why)

    def next(self, count, first, last, why):
        """count IDs, from and to (tick relative to the script's start, sequence)."""
        ids, seen = [], []
        for _ in range(count):
            number = self.generator.next()
            assert number > self.biggest, (self.name, "order")
            self.biggest = number
            ids.append(number)
            width = self.generator.config.layout.bits("s")
            tick, sequence = divmod(self.generator.last, 2**width)
            seen.append((tick - self.tick0, sequence))
        assert (seen[0], seen[-1]) == (first, last), (self.name, self.step + 1, seen, why)
        said = f"{why} [{said_as(first)}" + (f" to {said_as(last)}]" if count > 1 else "]")
        self._row("next", [count], "ok", said, (ids[0], ids[-1]))


def said_as(where):
    tick, sequence = where
    name = "T" if tick == 0 else f"T{tick:+d}"
    return f"{name}:{sequence}"
