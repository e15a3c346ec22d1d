# SPDX-License-Identifier: MIT
"""The test clock and the generator as a plain sequential model of design.md, section 4.

No word, no gate, no compare-and-swap: the last number is a Python integer and every call looks at
the clock, works out the number it needs, and issues it, sleeps, or says why not. What the lock-free
core does must be told apart from this by nothing but speed.
"""
from reference import SpecError, check, first_tick_from, pack, parse, refuse

MS = 1_000_000  # ns
DAY_MS = 86_400_000


class Clock:
    """A wall and a monotonic clock in ns that move only when told."""

    def __init__(self, wall):
        self.wall, self.mono = wall, 1_000 * MS
        self.rate, self.stopped, self.pending = 1000, False, []

    def _pass(self, ns):
        moved, rest = divmod(ns * self.rate, 1000)
        # A remainder would make a vector depend on how an implementation rounds.
        assert rest == 0 and self.wall + moved >= 0, "choose times in whole us"
        self.mono += ns
        self.wall += moved

    def set_wall(self, wall):
        refuse("invalid_argument", wall < 0)
        self.wall = wall

    def set_rate(self, permille):
        refuse("invalid_argument", abs(permille) > 1_000_000)
        self.rate = permille

    def script(self, after, step):
        refuse("invalid_argument", len(self.pending) == 16)
        self.pending.append((self.mono + after, step))

    def advance(self, ns):
        refuse("invalid_argument", ns < 0)
        end = self.mono + ns
        for due, step in sorted(entry for entry in self.pending if entry[0] <= end):
            self._pass(due - self.mono)
            self.wall += step
            self.pending.remove((due, step))
        self._pass(end - self.mono)

    def sleep(self, ns):
        if not self.stopped:
            self.advance(ns)


class Config:
    """The options of flake_open with their defaults; None is unset."""

    def __init__(self, layout, options):
        self.layout = parse(layout)
        self.mode, self.node, self.max_wait_ms, self.max_lead_ms = "strict", None, 1100, None
        self.start_floor_ms, self.ceiling_ms, self.seq_spread_bits = None, None, 0
        for name, value in options.items():
            assert hasattr(self, name), name
            setattr(self, name, value if name == "mode" else int(value))

    def check(self, now_ms):
        check(self.layout, now_ms)
        nodes = 2 ** self.layout.bits("n")
        # The only node of a layout without node field is 0, so there it need not be given.
        node = 0 if self.node is None and nodes == 1 else self.node
        refuse("no_node", node is None)
        refuse("node_out_of_range", not 0 <= node < nodes)
        self.node = node
        refuse("invalid_argument", not 0 <= self.max_wait_ms <= DAY_MS)
        refuse("invalid_argument", not 0 <= self.seq_spread_bits <= self.layout.bits("s"))
        if self.mode == "monotonic":
            refuse("invalid_argument", self.max_lead_ms is None and self.start_floor_ms is None)
            refuse("invalid_argument", not 0 <= (self.max_lead_ms or 0) <= DAY_MS)


class Generator:
    """One generator of one space, layout and node; open() again is a re-open."""

    def __init__(self, clock):
        self.clock, self.config = clock, None
        self.free_tick = 0  # 1 + the largest tick in which anything was issued before a close
        self.closed = None  # the last number at the close; None before the first
        self.high = -1  # the highest wall tick seen
        self.seen_wall, self.seen_mono = None, 0  # since when the wall has read what it reads

    def open(self, config):
        config.check(self.clock.wall // MS)
        layout = config.layout
        self.config, self.issued = config, False
        first = self._now_tick() + 1
        if config.start_floor_ms is not None:
            floor = first_tick_from(layout, config.start_floor_ms)
            first, self.high = max(first, floor), max(self.high, floor)
        self.end = 2 ** layout.bits("t")
        self.ceiling = self.end
        if config.ceiling_ms is not None:
            self.ceiling = (config.ceiling_ms - layout.epoch_ms) // layout.tick_ms
        last = self._number(max(first, self.free_tick), 0) - 1
        if self.closed is not None:  # re-opened, the opening number is burnt
            last = max(last, self.closed) + 1
        tick = (last + 1) >> layout.bits("s")
        refuse("time_used_up", tick >= self.end)
        refuse("ceiling_reached", tick >= self.ceiling)
        self.last = last

    def close(self):
        self.closed = self.last
        if self.issued:
            self.free_tick = (self.last >> self.config.layout.bits("s")) + 1

    def next(self):
        """The next ID, or SpecError with the status; sleeps on the clock."""
        most = 64 + 4 * self.config.max_wait_ms // self.config.layout.tick_ms
        deadline = None
        for rounds in range(most + 1):
            now = self._now_tick()
            needed = max(self.last + 1, self._number(now, 0))
            tick = needed >> self.config.layout.bits("s")
            refuse("time_used_up", tick >= self.end)
            refuse("ceiling_reached", tick >= self.ceiling)
            if tick <= self._allowed_tick(now):
                return self._issue(needed)
            refuse(self._cause(now), self.config.mode == "monotonic")
            edge = self._start_ns(tick) - self.clock.wall
            refuse("clock_rewound", now < self.high and edge > self.config.max_wait_ms * MS)
            if deadline is None:
                deadline = self.clock.mono + self.config.max_wait_ms * MS
            refuse(self._cause(now), self.clock.mono >= deadline or rounds == most)
            self.clock.sleep(min(edge, deadline - self.clock.mono))
        raise AssertionError("unreachable: the last round refuses")

    def _number(self, tick, sequence):
        return (tick << self.config.layout.bits("s")) + sequence

    def _start_ns(self, tick):
        layout = self.config.layout
        return (layout.epoch_ms + tick * layout.tick_ms) * MS

    def _now_tick(self):
        """Looks at the wall clock and remembers what it saw."""
        wall = self.clock.wall
        refuse("before_epoch", wall < self._start_ns(0))
        if wall != self.seen_wall:
            self.seen_wall, self.seen_mono = wall, self.clock.mono
        now = (wall - self._start_ns(0)) // (self.config.layout.tick_ms * MS)
        self.high = max(self.high, now)
        return now

    def _allowed_tick(self, now):
        config = self.config
        if config.mode == "strict":
            return now
        if config.max_lead_ms is None:
            return self.end
        return now + config.max_lead_ms // config.layout.tick_ms

    def _issue(self, number):
        layout = self.config.layout
        self.last, self.issued = number, True
        tick, sequence = divmod(number, 2 ** layout.bits("s"))
        return pack(layout, tick, self.config.node, sequence)

    def _cause(self, now):
        """Why a number that is ahead of the clock cannot be had now."""
        if now < self.high:
            return "clock_rewound"
        if self.clock.mono - self.seen_mono >= 2 * self.config.layout.tick_ms * MS:
            return "clock_frozen"
        return "exhausted" if self.issued else "deadline_passed"
