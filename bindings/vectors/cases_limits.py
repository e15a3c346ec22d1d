# SPDX-License-Identifier: MIT
"""Rows of clock.tsv about limits: epoch, end of time, ceiling, floor, re-open, options."""
from reference_clock import MS
from script import HOUR, SECOND, Script, at

SMALL = "41/10/2"


def epoch(rows):
    s = Script(rows, "before-epoch", at(0), "a layout whose epoch is an hour ahead (S30)")
    layout = "41/10/2@1750003600000"
    s.open(layout, "node=1", "an epoch in the future", "before_epoch")
    s.wall(at(3600000) - 1, "1 ns before the epoch")
    s.open(layout, "node=1", "still before it", "before_epoch")
    s.wall(at(3600000), "the epoch")
    s.open(layout, "node=1", "tick 0 has begun")
    s.next(1, (3600001, 0), (3600001, 0), "tick 1 of the layout")
    s.wall(at(3599999), "1 ms before the epoch")
    s.fail(2, "before_epoch", "at once, and not called rewound: no wait could give an ID here")
    s.elapsed(1 * MS, "only the first tick")
    s.wall(at(3600001), "the tick again")
    s.next(1, (3600001, 1), (3600001, 1), "the sequence was left alone")
    s.close("the end")


def end_of_time(rows):
    # 2^20 ticks of 1 ms; the epoch is put so that BASE is two ticks before the end.
    layout = f"20/10/2@{1750000000000 + 2 - 2**20}"
    s = Script(rows, "last-tick", at(0), "S28: the time field ends in 2 ms")
    s.open(layout, "node=1", "still good: the last tick has not begun")
    s.next(4, (1, 0), (1, 3), "the last tick, all of it")
    s.elapsed(1 * MS, "one wait")
    s.fail(2, "time_used_up", "its own error and at once: no wait can help")
    s.elapsed(0, "without any sleep")
    s.advance(1 * MS, "past the end")
    s.fail(1, "time_used_up", "and so it stays")
    s.wall(at(0, 500), "a rewind into the tick before the last")
    s.fail(1, "time_used_up", "the last tick is spent: what is needed lies past the end")
    s.close("the end")

    s = Script(rows, "last-tick-open", at(1), "open in the last tick of the time field")
    s.open(layout, "node=1", "the first tick after open would lie past the end", "time_used_up")

    s = Script(rows, "time-used-up-open", at(2), "open when the time field has ended")
    s.open(layout, "node=1", "now is the first ms that cannot be expressed", "time_used_up")
    s.wall(at(0) + 3652 * 24 * HOUR, "ten years later")
    s.open(layout, "node=1", "long past", "time_used_up")

    s = Script(rows, "clock-past-the-end", at(-3), "the clock steps past the end and comes back")
    s.open(layout, "node=1", "five ticks before the end")
    s.next(1, (1, 0), (1, 0), "an ID")
    s.wall(at(0) + HOUR, "+1 h: past the end")
    s.fail(1, "time_used_up", "the number needed lies past the end")
    s.wall(at(-1), "back")
    s.next(1, (2, 0), (2, 0), "nothing was issued there, so nothing has to be caught up with")
    s.close("the end")


def ceiling(rows):
    s = Script(rows, "ceiling", at(0, 400), "the right to issue ends before T+3")
    s.open(SMALL, "node=1,ceiling_ms=1750000000003", "ceiling_ms is the first ms not to be used")
    s.next(8, (1, 0), (2, 3), "two whole ticks")
    s.fail(2, "ceiling_reached", "at once: waiting for T+3 would not help")
    s.elapsed(1600 * 1000, "only the two edges")
    s.advance(5 * MS, "time goes on")
    s.fail(1, "ceiling_reached", "and so it stays")
    s.wall(at(2, 500), "back into the last tick below the ceiling")
    s.fail(1, "ceiling_reached", "it is spent: what is needed lies at the ceiling")
    s.close("the end")

    s = Script(rows, "ceiling-no-wait", at(0), "the ceiling goes before exhaustion")
    s.open(SMALL, "node=1,max_wait_ms=0,ceiling_ms=1750000000002", "one tick is allowed")
    s.fail(1, "deadline_passed", "T+1 has not begun")
    s.advance(1 * MS, "now it has")
    s.next(4, (1, 0), (1, 3), "all of it")
    s.fail(1, "ceiling_reached", "not exhausted: the next tick is not allowed")
    s.close("the end")

    s = Script(rows, "ceiling-inside-a-tick", at(3), "10 ms ticks; the ceiling lies inside T+2")
    s.open("41/10/2*10ms", "node=1,ceiling_ms=1750000000029", "a tick is allowed wholly or not")
    s.next(4, (1, 0), (1, 3), "T+1 is below the tick of the ceiling")
    s.fail(1, "ceiling_reached", "T+2 contains the ceiling")
    s.close("the end")

    s = Script(rows, "ceiling-behind", at(0), "the ceiling has passed when the generator opens")
    s.open(SMALL, "node=1,ceiling_ms=1749999999000", "a right that ended a second ago",
           "ceiling_reached")


def floor(rows):
    s = Script(rows, "start-floor", at(0, 400), "no ID earlier than T+50")
    s.open(SMALL, "node=1,start_floor_ms=1750000000050", "an earlier run is known to end before it")
    s.next(2, (50, 0), (50, 1), "waits for the floor")
    s.elapsed(50 * MS - 400 * 1000, "49.6 ms")
    s.close("the end")

    s = Script(rows, "start-floor-behind", at(0, 400), "a floor in the past")
    s.open(SMALL, "node=1,start_floor_ms=1749999999000", "a second ago")
    s.next(1, (1, 0), (1, 0), "the first tick after open is later than the floor")
    s.close("the end")

    s = Script(rows, "start-floor-far", at(0), "a floor an hour ahead: the clock was set back")
    s.open(SMALL, "node=1,start_floor_ms=1750003600000", "the floor counts as seen")
    s.fail(2, "clock_rewound", "the clock reads earlier than it is known to have been: at once")
    s.elapsed(0, "without any sleep")
    s.wall(at(3600000), "the clock is mended")
    s.next(1, (3600000, 0), (3600000, 0), "the first tick at the floor")
    s.close("the end")

    s = Script(rows, "start-floor-no-wait", at(0), "a floor 5 ms ahead and no patience")
    s.open(SMALL, "node=1,max_wait_ms=0,start_floor_ms=1750000000005", "max_wait_ms=0 never sleeps")
    s.fail(1, "clock_rewound", "not deadline_passed: the clock is below what is known")
    s.advance(5 * MS, "to the floor")
    s.next(1, (5, 0), (5, 0), "there it starts")
    s.close("the end")

    s = Script(rows, "start-floor-inside-a-tick", at(3), "10 ms ticks; the floor lies inside T+2")
    s.open("41/10/2*10ms", "node=1,start_floor_ms=1750000000021", "T+2 begins before the floor")
    s.next(1, (3, 0), (3, 0), "the first tick that begins at or after it")
    s.elapsed(27 * MS, "to T+3")
    s.close("the end")


def reopen(rows):
    s = Script(rows, "reopen", at(0), "close, and open again in the same process (S4, S6)")
    s.open(SMALL, "node=1", "the first opening")
    s.next(2, (1, 0), (1, 1), "starts at sequence 0")
    s.close("T+1 was used")
    s.open(SMALL, "node=1", "opened again within T+1")
    s.next(2, (2, 1), (2, 2), "the next tick; number 0 of a re-opening is burnt")
    s.elapsed(2 * MS, "two waits")
    s.close("T+2 was used")
    s.advance(100 * MS, "a pause")
    s.open(SMALL, "node=1", "opened again later")
    s.next(4, (103, 1), (104, 0), "the first tick after open; three numbers, then exhausted")
    s.close("the end")

    s = Script(rows, "reopen-one-a-tick", at(0), "re-open without sequence field")
    s.open("t41n10", "node=1", "one ID a tick")
    s.next(1, (1, 0), (1, 0), "T+1")
    s.close("T+1 was used")
    s.open("t41n10", "node=1", "opened again within T+1")
    s.next(1, (3, 0), (3, 0), "T+2 holds one number only, and that is burnt")
    s.close("the end")

    s = Script(rows, "reopen-rewound", at(0), "the clock is set back between close and open (S17)")
    s.open(SMALL, "node=1", "max_wait_ms is 1100")
    s.next(1, (1, 0), (1, 0), "an ID at T+1")
    s.close("T+1 was used")
    s.wall(at(-5000), "5 s back")
    s.open(SMALL, "node=1", "opening does not judge the clock")
    s.fail(1, "clock_rewound", "but this process has seen T+1: at once")
    s.elapsed(1 * MS, "only the first tick")
    s.wall(at(-500), "500 ms back")
    s.next(1, (2, 1), (2, 1), "within reach: the tick after the last one used")
    s.elapsed(502 * MS, "to T+2")
    s.close("the end")


def open_errors(rows):
    s = Script(rows, "open-node", at(0), "which nodes are refused (S7, S31)")
    s.open("snowflake", "", "there is no default node", "no_node")
    for node in (-1, 1024, 1040, 65536, 2**31, 2**32, 2**32 + 1, 1221865536, 2**53 + 1, 2**63 - 1):
        why = f"node {node} is not in 0..1023; never masked or narrowed"
        s.open("snowflake", f"node={node}", why, "node_out_of_range")
    s.open("snowflake", "node=1023", "the highest node that fits")
    s.close("the end")
    s = Script(rows, "open-node-no-field", at(0), "a layout without node field")
    s.open("41/0/12", "node=1", "only node 0 fits", "node_out_of_range")
    s.open("41/0/12", "node=-1", "only node 0 fits", "node_out_of_range")
    s.open("41/0/12", "node=0", "node 0 fits")
    s.close("the end")
    s = Script(rows, "open-layout", at(0), "which layouts do not generate")
    refused = [
        ("41/10", "bad_layout", "no layout at all"),
        ("41/12/12", "bad_layout", "65 bits"),
        ("41/10/13", "not_supported", "64 bits"),
        ("44/9/10", "not_supported", "44 bits of time"),
        ("n10t41s12", "not_supported", "time is not on top"),
        ("discord", "not_supported", "64 bits"),
        ("t48n1s10", "not_supported", "48 bits of time"),
        ("41/10/12@1750003600000", "before_epoch", "the epoch is an hour ahead"),
        ("t28n22s13*1s@1463673600000", "time_used_up", "Baidu's default ended in 2024"),
    ]
    for layout, status, why in refused:
        s.open(layout, "node=1", why, status)
    s.open("t41s12n10", "node=1", "time is on top; the order below it is free")
    s.close("the end")


def option_errors(rows):
    s = Script(rows, "open-options", at(0), "options outside their range")
    refused = [
        ("max_wait_ms=-1", "max_wait_ms is 0..86400000"),
        ("max_wait_ms=86400001", "max_wait_ms is 0..86400000"),
        ("max_wait_ms=9223372036854775807", "times 1000000 this passes 2^63"),
        ("seq_spread_bits=-1", "seq_spread_bits is 0..12 here"),
        ("seq_spread_bits=13", "seq_spread_bits is 0..12 here"),
        ("seq_spread_bits=4294967296", "2^32 must not be read as 0"),
        ("mode=monotonic", "monotonic needs max_lead_ms or start_floor_ms"),
        ("mode=monotonic,max_lead_ms=-1", "max_lead_ms is 0..86400000"),
        ("mode=monotonic,max_lead_ms=86400001", "max_lead_ms is 0..86400000"),
    ]
    for options, why in refused:
        s.open("snowflake", f"node=1,{options}", why, "invalid_argument")
    for options, why in [
        ("max_wait_ms=86400000", "the longest wait"),
        ("seq_spread_bits=12", "the widest spread; where a tick starts is random, so no ID here"),
        ("mode=monotonic,max_lead_ms=86400000", "the longest lead"),
        ("mode=monotonic,max_lead_ms=0", "no lead"),
    ]:
        s.open("snowflake", f"node=1,{options}", why)
        s.close("and closed")


def clock_errors(rows):
    s = Script(rows, "test-clock", at(0), "the test clock refuses what it cannot do")
    s.wall(-1, "wall time before 1970", "invalid_argument")
    s.advance(-1, "monotonic time does not go back", "invalid_argument")
    s.rate(1000001, "the rate is -1000000..1000000", "invalid_argument")
    s.rate(-1000001, "the rate is -1000000..1000000", "invalid_argument")
    for number in range(16):
        s.script(1 * MS, 0 if number else SECOND, f"step {number + 1} of at most 16")
    s.script(1 * MS, 0, "one too many", "invalid_argument")
    s.open(SMALL, "node=1", "and it still works")
    s.next(1, (1001, 0), (1001, 0), "+1 s comes in the wait for the first tick")
    s.script(1 * MS, 0, "the 16 have happened: there is room again")
    s.close("the end")


def rows():
    rows = []
    for case in (
        epoch,
        end_of_time,
        ceiling,
        floor,
        reopen,
        open_errors,
        option_errors,
        clock_errors,
    ):
        case(rows)
    return rows
