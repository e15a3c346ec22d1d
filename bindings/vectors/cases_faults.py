# SPDX-License-Identifier: MIT
"""Rows of clock.tsv about broken clocks, strict: standing, retreating, stepping in a wait."""
from reference_clock import MS
from script import HOUR, US, Script, at

SMALL = "41/10/2"  # four IDs a tick of 1 ms


def frozen(rows):
    s = Script(rows, "frozen-exhausted", at(0, 400), "S21: the clock stops, a tick is spent")
    s.open(SMALL, "node=1", "max_wait_ms is 1100")
    s.next(1, (1, 0), (1, 0), "an ID at T+1")
    s.rate(0, "the wall clock stands still, monotonic time passes")
    s.next(3, (1, 1), (1, 3), "a standing clock is no fault while there are numbers")
    s.elapsed(600 * US, "no sleep beyond the first tick")
    s.fail(1, "clock_frozen", "waits for an edge that never comes, ends at the deadline")
    s.elapsed(1100 * MS, "max_wait_ms to the ns")
    s.rate(1000, "the clock runs again")
    s.next(1, (2, 0), (2, 0), "recovers by itself")
    s.elapsed(1 * MS, "one tick")
    s.close("the end")

    s = Script(rows, "frozen-first-tick", at(0, 400), "the clock stands still from the start")
    s.open(SMALL, "node=1", "max_wait_ms is 1100")
    s.rate(0, "the wall clock stands still")
    s.fail(1, "clock_frozen", "frozen goes before deadline_passed: it says what to mend")
    s.elapsed(1100 * MS, "max_wait_ms to the ns")
    s.close("the end")

    s = Script(rows, "frozen-before-the-edge", at(1, 999), "stands still 1 us before an edge")
    s.open(SMALL, "node=1", "max_wait_ms is 1100")
    s.rate(0, "each sleep is 1 us long, so the bound on rounds may come before the deadline")
    s.fail(1, "clock_frozen", "either way it is frozen; how long it took is not said")
    s.close("the end")


def frozen_or_not(rows):
    s = Script(rows, "frozen-not-yet", at(0), "frozen means two ticks of monotonic time")
    s.open(SMALL, "node=1,max_wait_ms=1", "a deadline of one tick")
    s.next(1, (1, 0), (1, 0), "an ID at the start of T+1")
    s.rate(0, "the wall clock stands still")
    s.next(3, (1, 1), (1, 3), "the rest of the tick")
    s.fail(1, "exhausted", "stood for one tick only: that may be a slow clock")
    s.elapsed(2 * MS, "one tick, and one deadline")
    s.fail(1, "clock_frozen", "now it has stood for two ticks, over two calls")
    s.elapsed(1 * MS, "one deadline")
    s.close("the end")

    s = Script(rows, "frozen-then-moves", at(0), "a clock with a coarse hand")
    s.open(SMALL, "node=1,max_wait_ms=20", "20 ticks of patience")
    s.next(4, (1, 0), (1, 3), "the tick is spent")
    s.rate(0, "the wall clock stands still")
    s.script(15 * MS, 15 * MS, "after 15 ms it jumps by 15 ms")
    s.next(1, (16, 0), (16, 0), "it moved before the deadline: an ID, no error")
    s.elapsed(16 * MS, "the first tick and 15 ms of waiting")
    s.close("the end")


def frozen_calls(rows):
    s = Script(rows, "frozen-5000-calls", at(0), "S27: 5000 calls while the clock stands still")
    s.open("snowflake", "node=1,max_wait_ms=0", "never sleeps")
    s.advance(1 * MS, "to T+1")
    s.rate(0, "the wall clock stands still")
    s.next(4096, (1, 0), (1, 4095), "every number of the tick")
    s.fail(904, "exhausted", "then an error each, never a repeat")
    s.elapsed(1 * MS, "no sleep")
    s.close("the end")


def retreating(rows):
    s = Script(rows, "retreating", at(0), "S46: the clock loses 1 ms for each ms slept")
    s.open("snowflake", "node=1", "max_wait_ms is 1100")
    s.next(1, (1, 0), (1, 0), "an ID at T+1")
    s.wall(at(-4), "5 ms back, within max_wait_ms")
    s.rate(-1000, "and it runs backwards")
    s.fail(1, "clock_rewound", "sleeps 5, 10, ... 320 ms, then to the one deadline")
    s.elapsed(1101 * MS, "1 ms for the first tick, then max_wait_ms to the ns")
    s.fail(2, "clock_rewound", "too far behind now: refused at once")
    s.elapsed(0, "without any sleep")
    s.rate(1000, "it runs forward again")
    s.wall(at(1, 100), "and is mended")
    s.next(1, (1, 1), (1, 1), "the sequence was left alone")
    s.close("the end")

    s = Script(rows, "retreating-exhausted", at(0), "S46: the same during exhaustion")
    s.open(SMALL, "node=1", "max_wait_ms is 1100")
    s.next(4, (1, 0), (1, 3), "the tick is spent")
    s.rate(-1000, "the clock runs backwards")
    s.fail(1, "clock_rewound", "it began as exhaustion and ends as a rewind")
    s.elapsed(1101 * MS, "1 ms for the first tick, then max_wait_ms to the ns")
    s.close("the end")

    s = Script(rows, "fast-clock", at(0), "the clock runs at double speed")
    s.open(SMALL, "node=1", "max_wait_ms is 1100")
    s.rate(2000, "2 ms for each ms")
    s.next(4, (2, 0), (2, 3), "the sleep overshoots T+1, so the tick is T+2")
    s.next(1, (4, 0), (4, 0), "exhausted: overshoots again")
    s.elapsed(2 * MS, "two sleeps of 1 ms")
    s.close("the end")

    s = Script(rows, "retreating-before-epoch", at(2), "the clock runs back past the epoch")
    s.open("41/10/2@1750000000000", "node=1", "this is tick 2")
    s.next(1, (1, 0), (1, 0), "an ID")
    s.rate(-1000, "the clock runs backwards")
    s.wall(at(0, 500), "2.5 ms back, into tick 0")
    s.fail(1, "before_epoch", "found after the first sleep")
    s.close("the end")


def steps_in_a_wait(rows):
    s = Script(rows, "rewind-in-a-wait", at(0), "the clock steps back while a call sleeps")
    s.open(SMALL, "node=1", "max_wait_ms is 1100")
    s.next(4, (1, 0), (1, 3), "the tick is spent")
    s.script(500 * US, -5 * MS, "-5 ms, half a tick into the wait")
    s.next(1, (2, 0), (2, 0), "sleeps, looks again, sleeps what is left")
    s.elapsed(7 * MS, "1 ms for the first tick, 1 ms to the edge, 5 ms more")
    s.script(500 * US, -HOUR, "-1 h, half a tick into the next wait")
    s.next(3, (2, 1), (2, 3), "the rest of the tick")
    s.fail(1, "clock_rewound", "found at the edge: out of reach, so no more sleep")
    s.elapsed(1 * MS, "to the edge")
    s.close("the end")

    s = Script(rows, "rewinds-at-one-deadline", at(0), "one deadline for all waits of a call")
    s.open(SMALL, "node=1,max_wait_ms=10", "10 ms of patience")
    s.next(4, (1, 0), (1, 3), "the tick is spent")
    s.script(500 * US, -6 * MS, "-6 ms in the wait for the edge")
    s.script(4 * MS, -6 * MS, "and -6 ms again in the wait after it")
    s.fail(1, "clock_rewound", "1 + 6 ms, then 3 ms: the deadline counts from the first wait")
    s.elapsed(11 * MS, "1 ms for the first tick, then max_wait_ms to the ns")
    s.next(1, (2, 0), (2, 0), "a new call has a new deadline")
    s.elapsed(3 * MS, "what was left")
    s.close("the end")

    s = Script(rows, "forward-in-a-wait", at(0), "the clock steps forward while a call sleeps")
    s.open(SMALL, "node=1", "max_wait_ms is 1100")
    s.next(4, (1, 0), (1, 3), "the tick is spent")
    s.script(500 * US, HOUR, "+1 h, half a tick into the wait")
    s.next(1, (3600002, 0), (3600002, 0), "the tick that the clock shows, from 0")
    s.elapsed(2 * MS, "the first tick and the one edge")
    s.close("the end")


def stopped_sleeps(rows):
    s = Script(rows, "sleeps-return-at-once", at(0, 400), "sleeps end at once, no time passes")
    s.open(SMALL, "node=1", "max_wait_ms is 1100")
    s.stop_sleeps(1, "from here")
    s.fail(1, "deadline_passed", "the rounds are bounded: ends without spinning for ever")
    s.stop_sleeps(0, "sleeps work again")
    s.next(4, (1, 0), (1, 3), "the tick, and all of it")
    s.stop_sleeps(1, "and again")
    s.fail(1, "exhausted", "the same bound; the cause is the tick")
    s.wall(at(-5), "6 ms back, within max_wait_ms")
    s.fail(1, "clock_rewound", "the same bound; the cause is the clock")
    s.elapsed(600 * US, "only the wait that worked")
    s.stop_sleeps(0, "sleeps work again")
    s.next(1, (2, 0), (2, 0), "nothing was lost")
    s.elapsed(7 * MS, "from -5 ms to T+2")
    s.close("the end")


def rows():
    rows = []
    for case in (
        frozen,
        frozen_or_not,
        frozen_calls,
        retreating,
        steps_in_a_wait,
        stopped_sleeps,
    ):
        case(rows)
    return rows
