# SPDX-License-Identifier: MIT
"""A clock for tests: it moves only when told, so that no test needs real time."""
from __future__ import annotations

from typing import Any, SupportsIndex

from flakecore._arguments import INT64_MAX, limited, shown
from flakecore._native import ffi, lib
from flakecore.errors import ArgumentTypeError, error_of

__all__ = ["TestClock"]


def _int64(name: str, value: Any) -> int:
    return limited(name, value, -INT64_MAX - 1, INT64_MAX)


class TestClock:
    """A wall clock and a monotonic clock, in ns, for Generator(..., clock=...).

    The generator's waits move it at once. It lives as long as a generator that uses it.

        clock = TestClock(1_750_000_000_000_000_000)
        with Generator(node=1, space="test", clock=clock) as gen:
            ids = gen.next_ids(2)
            clock.set_wall(clock.wall_ns() - 5_000_000_000)
            # gen.next_id() raises ClockRewoundError

    wall_ns: what the wall clock reads, Unix ns, >= 0. The monotonic clock reads 1 s.
    InvalidArgumentError, from all its calls: a value out of its range.
    """

    __test__ = False  # not a test itself, for pytest
    __slots__ = ("_native", "_sleeps_stopped")

    def __init__(self, wall_ns: SupportsIndex) -> None:
        made = ffi.new("flake_test_clock **")
        self._checked(lib.flake_test_clock_open(_int64("wall_ns", wall_ns), made))
        self._native = ffi.gc(made[0], lib.flake_test_clock_close)
        self._sleeps_stopped = False

    @staticmethod
    def _checked(status: int) -> None:
        if status < 0:
            raise error_of(status)

    def wall_ns(self) -> int:
        """What the wall clock reads, in Unix ns."""
        return int(lib.flake_test_clock_wall(self._native))

    def monotonic_ns(self) -> int:
        """What the monotonic clock reads, in ns."""
        return int(lib.flake_test_clock_monotonic(self._native))

    def set_wall(self, wall_ns: SupportsIndex) -> None:
        """Sets the wall clock (>= 0), also backwards; the monotonic clock stays."""
        self._checked(lib.flake_test_clock_set_wall(self._native, _int64("wall_ns", wall_ns)))

    def set_rate(self, rate_permille: SupportsIndex) -> None:
        """How many ns the wall clock gains for each 1,000 of monotonic time.

        -1000000..1000000: 1000 at first, 0 is frozen, -1000 retreats.
        """
        rate = _int64("rate_permille", rate_permille)
        self._checked(lib.flake_test_clock_set_rate(self._native, rate))

    def advance(self, ns: SupportsIndex) -> None:
        """Lets ns (>= 0) of monotonic time pass, as a sleep on this clock does."""
        self._checked(lib.flake_test_clock_advance(self._native, _int64("ns", ns)))

    def script(self, after_ns: SupportsIndex, step_ns: SupportsIndex) -> None:
        """When after_ns more have passed, the wall clock moves by step_ns. At most 16 may pend."""
        after, step = _int64("after_ns", after_ns), _int64("step_ns", step_ns)
        self._checked(lib.flake_test_clock_script(self._native, after, step))

    def stop_sleeps(self, stopped: bool) -> None:
        """Whether the generator's sleeps return at once and pass no time."""
        if not isinstance(stopped, bool):
            raise ArgumentTypeError(f"stopped must be True or False, not {shown(stopped)}")
        self._checked(lib.flake_test_clock_stop_sleeps(self._native, int(stopped)))
        self._sleeps_stopped = stopped

    def _sleep_until(self, wake_ns: int) -> None:
        """What a generator's wait does: several may sleep to one moment, the first moves it."""
        left_ns = wake_ns - self.monotonic_ns()
        if left_ns > 0 and not self._sleeps_stopped:
            self.advance(left_ns)
