# SPDX-License-Identifier: MIT
"""Rows of clock.tsv in strict mode: what the generator does when the clock does what clocks do.

In the comments and reasons, T is the tick in which a script starts and T+1:0 is sequence 0 of the
next one. Layouts with 2 bits of sequence keep exhaustion four IDs away.
"""
from reference_clock import MS
from script import HOUR, SECOND, US, Script, at

SMALL = "41/10/2"  # four IDs a tick of 1 ms
SECONDS = "32/8/2*1s"  # four IDs a tick of 1 s


def steady(rows):
    s = Script(rows, "steady", at(0, 400), "a clock that runs; 400 us into tick T")
    s.open("snowflake", "node=1", "the default layout and options")
    s.next(1, (1, 0), (1, 0), "the first ID lies in the first tick that begins after open")
    s.elapsed(600 * US, "it slept to the edge of T+1 and no longer")
    s.next(3, (1, 1), (1, 3), "same tick: sequence + 1")
    s.elapsed(0, "no sleep")
    s.advance(5 * MS, "five ticks without a call")
    s.next(2, (6, 0), (6, 1), "a new tick resets the sequence to 0")
    s.advance(999 * US, "up to the last us of the tick")
    s.next(1, (6, 2), (6, 2), "still the same tick")
    s.advance(1 * US, "to the edge")
    s.next(1, (7, 0), (7, 0), "a tick begins exactly at its edge")
    s.close("the end")


def nodes(rows):
    for node, why in (("0", "node 0 is a node like any other"), ("1023", "the highest node")):
        s = Script(rows, f"node-{node}", at(0, 400), why)
        s.open("snowflake", f"node={node}", why)
        s.next(2, (1, 0), (1, 1), "sequence 0 first, also under node 0 (S38)")
        s.close("the end")
    s = Script(rows, "node-no-field", at(0), "a layout without node field")
    s.open("t41s2", "node=0", "node 0 is the only one")
    s.next(5, (1, 0), (2, 0), "IDs without node bits")
    s.close("the end")
    s = Script(rows, "node-not-needed", at(0), "a layout without node field")
    s.open("t41s2", "", "and without a choice of node there need be none")
    s.next(1, (1, 0), (1, 0), "the same as with node 0")
    s.close("the end")
    s = Script(rows, "no-sequence-field", at(0), "one ID a tick")
    s.open("t41n10", "node=5", "every ID is the last of its tick")
    s.next(3, (1, 0), (3, 0), "each call takes a tick of its own")
    s.elapsed(3 * MS, "three sleeps of a tick")
    s.close("the end")


def first_tick(rows):
    s = Script(rows, "open-on-the-edge", at(0), "exactly at the start of T")
    s.open("snowflake", "node=1", "T has begun already, so it is not the next to begin")
    s.next(1, (1, 0), (1, 0), "a whole tick later")
    s.elapsed(1 * MS, "a run that ended in this very ns may have used T")
    s.close("the end")

    s = Script(rows, "open-in-tick-0", at(0), "the epoch is now")
    s.open("41/10/12@1750000000000", "node=0", "tick 0 with node 0 and sequence 0 would be ID 0")
    s.next(1, (1, 0), (1, 0), "tick 1: 0 is never issued")
    s.close("the end")

    s = Script(rows, "restart-in-one-tick", at(300), "S47: a node restarts inside a 1 s tick")
    s.open(SECONDS, "node=7", "what ran before may have issued in T")
    s.next(1, (1, 0), (1, 0), "waits for the next tick")
    s.elapsed(700 * MS, "the rest of T")
    s.close("the end")

    s = Script(rows, "first-tick-no-wait", at(0, 400), "a caller that cannot wait")
    s.open("snowflake", "node=1,max_wait_ms=0", "max_wait_ms=0 never sleeps")
    s.fail(3, "deadline_passed", "the first tick has not begun; nothing was issued")
    s.elapsed(0, "and it did not sleep")
    s.advance(600 * US, "to the edge")
    s.next(1, (1, 0), (1, 0), "now it has; the refused calls used no number")
    s.close("the end")

    s = Script(rows, "first-tick-short-wait", at(0), "a 1 s tick and 400 ms of patience")
    s.open(SECONDS, "node=1,max_wait_ms=400", "the first tick begins in 1 s")
    s.fail(2, "deadline_passed", "each call sleeps to its deadline")
    s.elapsed(800 * MS, "two deadlines")
    s.next(1, (1, 0), (1, 0), "the third call reaches the tick")
    s.elapsed(200 * MS, "it slept the rest")
    s.close("the end")


def exhaustion(rows):
    s = Script(rows, "exhaustion-carries", at(0, 400), "four IDs a tick, a fifth is asked for")
    s.open(SMALL, "node=3", "two bits of sequence")
    s.next(4, (1, 0), (1, 3), "all numbers of the tick")
    s.elapsed(600 * US, "only the wait for the first tick")
    s.next(1, (2, 0), (2, 0), "exhausted: waits for the edge and goes on in the next tick")
    s.elapsed(1 * MS, "one tick")
    s.next(10, (2, 1), (4, 2), "ten more over three ticks")
    s.elapsed(2 * MS, "two edges")
    s.advance(300 * US, "into the tick")
    s.next(2, (4, 3), (5, 0), "the last of the tick, then the next tick")
    s.elapsed(1 * MS, "300 us by hand, 700 us of sleep")
    s.close("the end")

    s = Script(rows, "exhaustion-no-wait", at(0), "max_wait_ms=0 at exhaustion")
    s.open(SMALL, "node=3,max_wait_ms=0", "never sleeps")
    s.advance(1 * MS, "to the first tick")
    s.next(4, (1, 0), (1, 3), "all numbers of the tick")
    s.fail(3, "exhausted", "no number left and no time to wait")
    s.advance(999 * US, "1 us before the edge")
    s.fail(1, "exhausted", "the wall clock moved, so it is not frozen")
    s.advance(1 * US, "to the edge")
    s.next(4, (2, 0), (2, 3), "refused calls left the sequence alone")
    s.elapsed(2 * MS, "all of it by hand")
    s.close("the end")

    s = Script(rows, "exhaustion-short-wait", at(950), "a 1 s tick and 100 ms of patience")
    s.open(SECONDS, "node=3,max_wait_ms=100", "the first tick begins in 50 ms")
    s.next(4, (1, 0), (1, 3), "all numbers of the tick")
    s.elapsed(50 * MS, "the wait for the first tick")
    s.fail(1, "exhausted", "the edge is 1 s away: sleeps to the deadline, then says why")
    s.elapsed(100 * MS, "max_wait_ms to the ns")
    s.advance(850 * MS, "50 ms before the edge")
    s.next(1, (2, 0), (2, 0), "within reach")
    s.elapsed(900 * MS, "850 by hand, 50 of sleep")
    s.close("the end")

    s = Script(rows, "wait-just-enough", at(0), "max_wait_ms is exactly the tick")
    s.open("41/10/0*10ms", "node=3,max_wait_ms=10", "one ID a tick of 10 ms")
    s.next(3, (1, 0), (3, 0), "deadline and edge are the same ns: the edge counts")
    s.elapsed(30 * MS, "three ticks")
    s.close("the end")


def rewind_within(rows, ms):
    s = Script(rows, f"rewind-{ms}ms", at(0, 400), f"a step back of {ms} ms, within max_wait_ms")
    s.open("snowflake", "node=1", "max_wait_ms is 1100")
    s.next(2, (1, 0), (1, 1), "two IDs at T+1")
    s.advance(200 * US, "into the tick")
    s.wall(at(1 - ms, 200), f"the step: -{ms} ms")
    s.elapsed(800 * US, "so far")
    s.next(1, (1, 2), (1, 2), "waits until the clock has caught up; the sequence goes on")
    s.elapsed(ms * MS - 200 * US, "to the start of T+1, not a ns more")
    s.next(2, (1, 3), (1, 4), "and on")
    s.advance(1 * MS, "a tick")
    s.next(1, (2, 0), (2, 0), "back to normal")
    s.close("the end")


def rewind_beyond(rows, name, ns):
    s = Script(rows, f"rewind-{name}", at(0, 400), f"a step back of {name}, beyond max_wait_ms")
    s.open("snowflake", "node=1", "max_wait_ms is 1100")
    s.next(2, (1, 0), (1, 1), "two IDs at T+1")
    s.wall(at(1) - ns, f"the step: -{name}")
    s.elapsed(600 * US, "so far")
    s.fail(3, "clock_rewound", "refused at once")
    s.elapsed(0, "without any sleep")
    s.advance(20 * MS, "the clock runs on, still behind")
    s.fail(1, "clock_rewound", "still refused")
    s.wall(at(1, 500), "the clock is mended")
    s.next(2, (1, 2), (1, 3), "recovers by itself; refused calls left the sequence alone")
    s.close("the end")


def forward(rows, name, ns):
    s = Script(rows, f"forward-{name}", at(0, 400), f"the clock steps forward {name}, then back")
    s.open("snowflake", "node=1", "max_wait_ms is 1100")
    s.next(2, (1, 0), (1, 1), "two IDs at T+1")
    s.wall(at(1) + ns, f"the step: +{name}")
    s.next(2, (1 + ns // MS, 0), (1 + ns // MS, 1), "a new tick, as far as the generator can know")
    s.wall(at(2), "back to the right time")
    s.fail(2, "clock_rewound", "now it is behind what was seen: refused at once")
    s.elapsed(600 * US, "only the wait for the first tick")
    s.wall(at(2) + ns, "forward again")
    s.next(1, (2 + ns // MS, 0), (2 + ns // MS, 0), "above all that was issued")
    s.close("the end")


def steps(rows):
    for ms in (1, 5, 50, 1000):
        rewind_within(rows, ms)
    rewind_beyond(rows, "5s", 5 * SECOND)
    rewind_beyond(rows, "1h", HOUR)
    forward(rows, "1h", HOUR)
    forward(rows, "10years", 3652 * 24 * HOUR)

    s = Script(rows, "rewind-on-the-limit", at(0, 400), "a rewind of just max_wait_ms, and more")
    s.open("snowflake", "node=1,max_wait_ms=50", "50 ms of patience")
    s.next(1, (1, 0), (1, 0), "an ID at T+1")
    s.wall(at(-49), "T+1 begins in 50 ms")
    s.next(1, (1, 1), (1, 1), "just reached: the edge and the deadline are the same ns")
    s.elapsed(50 * MS + 600 * US, "50 ms and the first tick")
    s.wall(at(-49) - 1 * US, "T+1 begins in 50 ms and 1 us")
    s.fail(1, "clock_rewound", "out of reach: refused at once")
    s.elapsed(0, "without any sleep")
    s.close("the end")

    s = Script(rows, "rewind-inside-a-tick", at(0, 400), "a step back that stays in the tick")
    s.open("snowflake", "node=1", "max_wait_ms is 1100")
    s.next(1, (1, 0), (1, 0), "an ID at T+1")
    s.advance(900 * US, "to the end of the tick")
    s.wall(at(1, 100), "800 us back")
    s.next(1, (1, 1), (1, 1), "the tick is what counts: no rewind")
    s.elapsed(1500 * US, "no sleep beyond the first tick")
    s.close("the end")


def sequence_after_rewind(rows):
    s = Script(rows, "five-then-back", at(0), "T: 5 IDs; T-1: error; T again: sequence 5")
    s.open("snowflake", "node=1,max_wait_ms=0", "never sleeps")
    s.advance(1 * MS, "to T+1")
    s.next(5, (1, 0), (1, 4), "five IDs")
    s.wall(at(0, 900), "100 us before the tick: the tick before")
    s.fail(4, "clock_rewound", "refused; the sequence stays")
    s.wall(at(1), "the tick again")
    s.next(1, (1, 5), (1, 5), "sequence 5, neither 0 nor 9")
    s.close("the end")

    s = Script(rows, "leap-second", at(998, 500), "S22: a second is fed twice, by a step of -1 s")
    s.open(SMALL, "node=1", "max_wait_ms is 1100 for this")
    s.next(4, (1, 0), (1, 3), "the last ms of the second")
    s.script(1 * MS, -SECOND, "at the end of the second the clock steps back 1 s")
    s.next(2, (2, 0), (2, 1), "exhausted; the step comes in the wait; the second passes again")
    s.elapsed(SECOND + 1500 * US, "500 us, 1 ms, and the second once more")
    s.close("the end")

    s = Script(rows, "rewind-nothing-issued", at(0, 400), "a step back before the first ID")
    s.open("snowflake", "node=1,max_wait_ms=0", "open has seen T")
    s.wall(at(-50), "50 ms back")
    s.fail(1, "clock_rewound", "below what was seen, so not just early")
    s.wall(at(1), "to the first tick")
    s.next(1, (1, 0), (1, 0), "as if nothing had been")
    s.close("the end")


def other_ticks(rows):
    s = Script(rows, "sonyflake-order", at(3), "10 ms ticks, the node in the lowest bits")
    s.open("sonyflake", "node=513", "39/8/16")
    s.next(1, (1, 0), (1, 0), "ID mod 65536 is the node 513")
    s.elapsed(7 * MS, "to the edge of the tick")
    s.next(255, (1, 1), (1, 255), "the next ID is 65536 larger")
    s.next(1, (2, 0), (2, 0), "256 a tick: waits")
    s.elapsed(10 * MS, "one tick")
    s.wall(at(12), "8 ms back: the tick before")
    s.next(1, (2, 1), (2, 1), "waits")
    s.elapsed(8 * MS, "to the start of the tick")
    s.close("the end")

    s = Script(rows, "sequence-in-the-middle", at(0), "t41s2n10: what sonyflake-order does, 1 ms")
    s.open("t41s2n10", "node=1023", "all bits of the node set")
    s.next(6, (1, 0), (2, 1), "the node does not leak into sequence or time")
    s.close("the end")

    s = Script(rows, "second-ticks", at(250), "ticks of 1 s")
    s.open(SECONDS, "node=1", "max_wait_ms is 1100")
    s.next(4, (1, 0), (1, 3), "750 ms to the first tick")
    s.next(1, (2, 0), (2, 0), "exhausted: 1 s to the next, within 1100 ms")
    s.elapsed(1750 * MS, "both waits")
    s.wall(at(1900), "100 ms back: the tick before")
    s.next(1, (2, 1), (2, 1), "waits")
    s.elapsed(100 * MS, "100 ms")
    s.rate(0, "the clock stands still at the start of a tick")
    s.next(2, (2, 2), (2, 3), "numbers are left")
    s.fail(1, "exhausted", "1.1 s is less than two ticks: not frozen yet")
    s.elapsed(1100 * MS, "max_wait_ms")
    s.fail(1, "clock_frozen", "2.2 s is more")
    s.elapsed(1100 * MS, "max_wait_ms")
    s.close("the end")


def rows():
    rows = []
    for case in (
        steady,
        nodes,
        first_tick,
        exhaustion,
        steps,
        sequence_after_rewind,
        other_ticks,
    ):
        case(rows)
    return rows
