# SPDX-License-Identifier: MIT
"""Rows of clock.tsv in monotonic mode: never waits, goes on counting, ahead by max_lead_ms."""
from reference_clock import MS
from script import HOUR, US, Script, at

SMALL = "41/10/2"


def lead(rows):
    s = Script(rows, "mono-lead", at(0, 400), "exhaustion carries into the next tick at once")
    s.open(SMALL, "node=1,mode=monotonic,max_lead_ms=10", "at most 10 ms ahead of the clock")
    s.next(1, (1, 0), (1, 0), "the first tick after open, without waiting for it")
    s.next(39, (1, 1), (10, 3), "ten ticks ahead, four IDs each")
    s.fail(3, "exhausted", "T+11 is more than 10 ms ahead")
    s.advance(1 * MS, "the clock moves a tick")
    s.next(4, (11, 0), (11, 3), "one more tick is free")
    s.fail(1, "exhausted", "and only one")
    s.advance(100 * MS, "the clock overtakes")
    s.next(2, (101, 0), (101, 1), "the clock's own tick")
    s.elapsed(101 * MS, "all of it by hand: this mode never sleeps")
    s.close("the end")

    s = Script(rows, "mono-no-lead", at(0, 400), "max_lead_ms=0")
    s.open(SMALL, "node=1,mode=monotonic,max_lead_ms=0", "never ahead, but never waits either")
    s.fail(2, "deadline_passed", "the first tick has not begun; nothing was issued")
    s.advance(600 * US, "to T+1")
    s.next(4, (1, 0), (1, 3), "now it has")
    s.fail(1, "exhausted", "the tick is spent")
    s.advance(1 * MS, "to T+2")
    s.next(1, (2, 0), (2, 0), "refused calls left the sequence alone")
    s.close("the end")

    s = Script(rows, "mono-lead-in-ticks", at(3), "10 ms ticks: the lead is rounded down to ticks")
    s.open("41/10/0*10ms", "node=1,mode=monotonic,max_lead_ms=29", "29 ms are two ticks")
    s.next(2, (1, 0), (2, 0), "two ticks ahead")
    s.fail(1, "exhausted", "not three")
    s.close("the end")

    s = Script(rows, "mono-lead-below-a-tick", at(3), "10 ms ticks and a lead of 9 ms")
    s.open("41/10/0*10ms", "node=1,mode=monotonic,max_lead_ms=9", "9 ms are no tick")
    s.fail(1, "deadline_passed", "T+1 would be a tick ahead")
    s.advance(7 * MS, "to T+1")
    s.next(1, (1, 0), (1, 0), "now it is not")
    s.close("the end")


def rewind(rows):
    s = Script(rows, "mono-rewind", at(0), "steps back: keeps the last tick, goes on counting")
    s.open(SMALL, "node=1,mode=monotonic,max_lead_ms=20", "at most 20 ms ahead")
    s.advance(5 * MS, "to T+5")
    s.next(2, (5, 0), (5, 1), "the clock's tick")
    s.wall(at(2), "3 ms back")
    s.next(4, (5, 2), (6, 1), "same tick, then carries on")
    s.wall(at(-14), "16 ms more: T+6 is 20 ticks ahead")
    s.next(2, (6, 2), (6, 3), "on the limit")
    s.fail(2, "clock_rewound", "beyond it: the clock is the cause")
    s.wall(at(-3600000), "an hour back")
    s.fail(1, "clock_rewound", "at once")
    s.wall(at(5, 100), "mended")
    s.next(1, (7, 0), (7, 0), "goes on where it stopped")
    s.elapsed(5 * MS, "no sleep")
    s.close("the end")

    s = Script(rows, "mono-rewind-hour", at(0), "an hour back, a lead of a day")
    s.open("snowflake", "node=1,mode=monotonic,max_lead_ms=86400000", "the longest lead")
    s.next(2, (1, 0), (1, 1), "ahead by the first tick")
    s.wall(at(0) - HOUR, "-1 h")
    s.next(3, (1, 2), (1, 4), "goes on")
    s.wall(at(0) + HOUR, "+1 h")
    s.next(1, (3600000, 0), (3600000, 0), "the clock's tick: it has overtaken")
    s.close("the end")

    s = Script(rows, "mono-rewind-first", at(0), "steps back before the first ID")
    s.open(SMALL, "node=1,mode=monotonic,max_lead_ms=5", "at most 5 ms ahead")
    s.wall(at(-10), "10 ms back")
    s.fail(1, "clock_rewound", "T+1 is 11 ticks ahead, because the clock is behind")
    s.wall(at(-4), "6 ms forward")
    s.next(1, (1, 0), (1, 0), "5 ticks ahead: allowed")
    s.close("the end")


def steps(rows):
    """S20: steps back of every size against one lead."""
    for ms in (1, 5, 50, 1000):
        s = Script(rows, f"mono-rewind-{ms}ms", at(0), f"a step back of {ms} ms, within the lead")
        s.open(SMALL, "node=1,mode=monotonic,max_lead_ms=1100", "at most 1100 ms ahead")
        s.advance(2 * MS, "to T+2")
        s.next(2, (2, 0), (2, 1), "the clock's tick")
        s.wall(at(2 - ms), f"the step: -{ms} ms")
        s.next(4, (2, 2), (3, 1), "goes on at once")
        s.elapsed(2 * MS, "no sleep")
        s.close("the end")
    for ns, name in ((5000 * MS, "5s"), (HOUR, "1h")):
        s = Script(rows, f"mono-rewind-{name}", at(0), f"a step back of {name}, beyond the lead")
        s.open(SMALL, "node=1,mode=monotonic,max_lead_ms=1100", "at most 1100 ms ahead")
        s.advance(2 * MS, "to T+2")
        s.next(2, (2, 0), (2, 1), "the clock's tick")
        s.wall(at(2) - ns, f"the step: -{name}")
        s.fail(3, "clock_rewound", "refused at once")
        s.elapsed(2 * MS, "no sleep")
        s.wall(at(2, 300), "mended")
        s.next(1, (2, 2), (2, 2), "the sequence was left alone")
        s.close("the end")


def frozen(rows):
    s = Script(rows, "mono-frozen", at(0), "a standing clock shows at the end of the lead")
    s.open(SMALL, "node=1,mode=monotonic,max_lead_ms=2", "at most 2 ms ahead")
    s.rate(0, "the wall clock stands still")
    s.next(8, (1, 0), (2, 3), "the lead")
    s.fail(1, "exhausted", "no monotonic time has passed, so nobody can call it frozen")
    s.advance(1999 * US, "1 us short of two ticks")
    s.fail(1, "exhausted", "not yet")
    s.advance(1 * US, "two ticks of monotonic time")
    s.fail(1, "clock_frozen", "the clock has read the same for two ticks")
    s.rate(1000, "it runs again")
    s.advance(1 * MS, "to T+1")
    s.next(4, (3, 0), (3, 3), "recovers by itself")
    s.close("the end")


def floor_and_limits(rows):
    s = Script(rows, "mono-floor", at(0), "a start_floor_ms instead of max_lead_ms: no bound")
    s.open(SMALL, "node=1,mode=monotonic,start_floor_ms=1750003600000", "an hour ahead")
    s.next(6, (3600000, 0), (3600001, 1), "starts at the floor, at once, and carries on")
    s.wall(at(0) - HOUR, "an hour back")
    s.next(3, (3600001, 2), (3600002, 0), "no bound, so nothing to refuse")
    s.elapsed(0, "no sleep")
    s.close("the end")

    s = Script(rows, "mono-floor-and-lead", at(0), "both given: the lead bounds")
    options = "node=1,mode=monotonic,max_lead_ms=5,start_floor_ms=1750000000007"
    s.open(SMALL, options, "the floor is 7 ms ahead, the lead 5")
    s.fail(1, "clock_rewound", "the floor counts as seen, and the clock is below it")
    s.advance(2 * MS, "to T+2")
    s.next(1, (7, 0), (7, 0), "5 ticks ahead: allowed")
    s.close("the end")

    s = Script(rows, "mono-ceiling", at(0), "the ceiling holds in this mode too")
    s.open(SMALL, "node=1,mode=monotonic,max_lead_ms=1000,ceiling_ms=1750000000003", "before T+3")
    s.next(8, (1, 0), (2, 3), "two ticks ahead, up to the ceiling")
    s.fail(2, "ceiling_reached", "although the lead would allow more")
    s.close("the end")

    s = Script(rows, "mono-last-tick", at(0), "the time field ends in 2 ms")
    layout = f"20/10/2@{1750000000000 + 2 - 2**20}"
    s.open(layout, "node=1,mode=monotonic,max_lead_ms=1000", "one more tick")
    s.next(4, (1, 0), (1, 3), "the last tick, all of it")
    s.fail(2, "time_used_up", "a carry must not run over into the sign bit")
    s.close("the end")

    s = Script(rows, "mono-before-epoch", at(2), "steps back before the epoch")
    s.open("41/10/2@1750000000000", "node=1,mode=monotonic,max_lead_ms=1000", "this is tick 2")
    s.next(1, (1, 0), (1, 0), "an ID")
    s.wall(at(0) - 1, "1 ns before the epoch")
    s.fail(1, "before_epoch", "a clock that is this wrong is an error in every mode")
    s.wall(at(0), "the epoch")
    s.next(1, (1, 1), (1, 1), "goes on")
    s.close("the end")


def reopen(rows):
    s = Script(rows, "mono-reopen", at(0), "re-open above everything issued ahead of the clock")
    s.open(SMALL, "node=1,mode=monotonic,max_lead_ms=3", "at most 3 ms ahead")
    s.next(12, (1, 0), (3, 3), "the lead")
    s.close("T+3 was used")
    s.open(SMALL, "node=1,mode=monotonic,max_lead_ms=3", "opened again in T")
    s.fail(1, "deadline_passed", "T+4 is too far ahead; nothing was issued since opening")
    s.advance(1 * MS, "to T+1")
    s.next(3, (4, 1), (4, 3), "T+4 without its burnt number 0")
    s.fail(1, "exhausted", "the lead is used up again")
    s.close("the end")


def rows():
    rows = []
    for case in (lead, rewind, steps, frozen, floor_and_limits, reopen):
        case(rows)
    return rows
