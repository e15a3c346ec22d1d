# SPDX-License-Identifier: MIT
"""One generator: IDs one by one, opening and closing, sharing, health, stats."""
import copy
import gc
import itertools
import pickle
import signal
import threading
import time

import pytest
from conftest import NOW_MS, NS_PER_MS, NS_PER_S, fresh_space

import flakecore
from flakecore import Generator, IdStr, Layout, decode
from flakecore.testing import TestClock


def test_ids_rise_and_say_their_node(space):
    with Generator(node=7, space=space) as gen:
        ids = [gen.next_id() for _ in range(10_000)]
    assert ids == sorted(set(ids)) and ids[0] > 0 and type(ids[0]) is int
    assert {decode(id).node for id in ids} == {7}
    assert abs(decode(ids[-1]).time.timestamp() - time.time()) < 10


def test_iteration_and_the_string_form_draw_from_the_same_numbers(space, clock):
    gen = Generator(node=1, space=space, clock=clock)
    ids = [gen.next_id(), *itertools.islice(gen, 2), gen.next_id_str(), next(gen)]
    assert isinstance(ids[3], IdStr)
    assert [int(id) for id in ids] == list(range(ids[0], ids[0] + 5))


def test_try_next_id_gives_none_instead_of_waiting(space, clock):
    gen = Generator(node=1, space=space, layout="41/10/2", clock=clock)
    assert gen.try_next_id() is None  # the first tick has not begun
    before_ns = clock.monotonic_ns()
    clock.advance(NS_PER_MS)
    assert [gen.try_next_id() is None for _ in range(5)] == [False] * 4 + [True]
    assert clock.monotonic_ns() - before_ns == NS_PER_MS
    clock.set_wall((NOW_MS - 5000) * NS_PER_MS)
    with pytest.raises(flakecore.ClockRewoundError):
        gen.try_next_id()


def test_a_thousand_generators_made_used_and_dropped_repeat_nothing(space):  # S4
    ids = []
    for _ in range(1000):
        gen = Generator(node=1, space=space)
        ids.append(gen.next_id())
    assert len(set(ids)) == 1000


def test_two_modules_that_open_one_node_share_or_are_refused(space):  # S5
    first, second = Generator(node=1, space=space), Generator(node=1, space=space)
    ids = [gen.next_id() for _ in range(500) for gen in (first, second)]
    assert len(set(ids)) == 1000
    with pytest.raises(flakecore.NodeInUseError, match="open in this process with other options"):
        Generator(node=1, space=space, max_wait_ms=7)
    with pytest.raises(flakecore.LayoutDiffersError, match=r"open with layout t41n10s12"):
        Generator(node=2, space=space, layout="40/11/12")


def test_each_of_the_equal_ones_closes_for_itself(space, clock):
    first, second = (Generator(node=1, space=space, clock=clock) for _ in range(2))
    first.close()
    first.close()
    assert first.closed and not second.closed
    for call in (first.next_id, first.try_next_id, first.health, first.stats,
                 lambda: first.next_ids(0), lambda: first.next_ids(2), lambda: next(first),
                 lambda: first.next_range(1), lambda: first.fill(bytearray(0))):
        with pytest.raises((flakecore.ClosedError, flakecore.ArgumentTypeError)) as caught:
            call()
        assert call.__name__ == "<lambda>" or caught.type is flakecore.ClosedError
    last = second.next_id()
    second.close()
    with Generator(node=1, space=space, clock=clock) as again:
        assert again.next_id() > last


def test_a_dropped_generator_gives_its_node_back(space):
    gen = Generator(node=1, space=space)
    with pytest.raises(flakecore.NodeInUseError):
        Generator(node=1, space=space, max_wait_ms=7)
    del gen
    gc.collect()
    Generator(node=1, space=space, max_wait_ms=7).close()


def test_a_generator_whose_opening_failed_is_collected_quietly(space):
    for options in ({}, {"node": 1024}, {"node": 1, "layout": 3}, {"node": 1, "clock": 3}):
        with pytest.raises(flakecore.FlakeError):
            Generator(space=space, **options)
    gc.collect()


def test_it_is_neither_copied_nor_pickled(space):
    gen = Generator(node=1, space=space)
    for use in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="open one there, with a node of its own"):
            use(gen)


def test_it_says_what_it_is(space, clock, monkeypatch):
    monkeypatch.setenv("FLAKE_TEST_NODE", "9")
    gen = Generator(node="env:NOT_THERE_AT_ALL,env:FLAKE_TEST_NODE", space=space, clock=clock)
    assert (gen.node, gen.space, gen.layout) == (9, space, Layout("snowflake"))
    assert "FLAKE_TEST_NODE" in gen.node_text
    assert repr(gen) == (
        f"<flakecore.Generator node=9 t41n10s12@1735689600000 {space!r}, open>")


def test_a_layout_without_node_field_needs_no_node(space, clock):
    gen = Generator(layout="41/0/12", space=space, clock=clock)
    assert gen.node == 0 and gen.next_id() > 0


def test_the_test_clock_lives_as_long_as_a_generator_uses_it(space):
    gen = Generator(node=1, space=space, clock=TestClock(NOW_MS * NS_PER_MS))
    gc.collect()
    churn = [TestClock(0) for _ in range(100)]
    assert gen.next_id() > 0 and len(churn) == 100


# ---- clocks --------------------------------------------------------------------------------------


def test_a_frozen_clock_gives_ids_and_then_errors_never_a_repeat(space, clock):  # S27
    gen = Generator(node=1, space=space, clock=clock, max_wait_ms=5)
    gen.next_id()
    clock.set_rate(0)
    ids, errors = [], []
    for _ in range(5000):
        try:
            ids.append(gen.next_id())
        except flakecore.ClockFrozenError as error:
            errors.append(error)
    assert len(ids) == 4095 == len(set(ids)) and min(ids) > 0 and len(errors) == 905


def test_a_rewind_is_waited_out_within_the_limit_and_refused_beyond(space, clock):
    gen = Generator(node=1, space=space, clock=clock, max_wait_ms=1100)
    first = gen.next_id()
    clock.set_wall(clock.wall_ns() - NS_PER_S)
    before_ns = clock.monotonic_ns()
    assert gen.next_id() == first + 1
    assert clock.monotonic_ns() - before_ns == NS_PER_S
    clock.set_wall(clock.wall_ns() - 3600 * NS_PER_S)
    for _ in range(5):
        with pytest.raises(flakecore.ClockRewoundError, match="docs/clock.md"):
            gen.next_id()
    health = gen.health()
    assert (health.level, health.ok, health.status) == ("fail", False, "clock_rewound")
    assert health.reasons == ("rewound",) and health.rewind_ms == 3_600_000
    assert str(health).startswith("fail: ")
    clock.set_wall(clock.wall_ns() + 3600 * NS_PER_S)
    assert gen.next_id() == first + 2
    stats = gen.stats()
    assert (stats.issued, stats.refusals, stats.rewinds > 0) == (3, 5, True)
    assert stats.rewind_max_ms == 3_600_000 and gen.health().ok


def test_exhaustion_is_counted_once_for_each_wait(space, clock):
    gen = Generator(node=1, space=space, layout="41/10/4", clock=clock)
    ids = [gen.next_id() for _ in range(16 * 5)]
    assert gen.stats().exhaustion_waits == 4 and len(set(ids)) == 80
    assert gen.stats().issued == 80


def test_monotonic_mode_goes_on_ahead_of_the_clock(space, clock):
    with pytest.raises(flakecore.InvalidArgumentError, match="monotonic mode needs max_lead_ms"):
        Generator(node=1, space=space, clock=clock, mode="monotonic")
    gen = Generator(node=1, space=space, clock=clock, mode="monotonic", max_lead_ms=10)
    before_ns = clock.monotonic_ns()
    assert len(set(gen.next_ids(4096 * 5))) == 4096 * 5
    assert clock.monotonic_ns() == before_ns and gen.stats().lead_ms in (4, 5)


def test_floor_and_ceiling(space, clock):
    gen = Generator(node=1, space=space, clock=clock, start_floor_ms=NOW_MS + 50,
                    ceiling_ms=NOW_MS + 52)
    assert decode(gen.next_id()).unix_ms == NOW_MS + 50
    clock.advance(60 * NS_PER_MS)
    with pytest.raises(flakecore.CeilingReachedError):
        gen.next_id()


def test_random_starts_spread_the_low_digits(space, clock):
    gen = Generator(node=1, space=space, clock=clock, seq_spread_bits=8)
    starts = set()
    for _ in range(200):
        clock.advance(NS_PER_MS)
        starts.add(decode(gen.next_id()).sequence)
    assert len(starts) > 80 and max(starts) < 256


def test_the_coarse_clock_gives_ids(space):
    with Generator(node=1, space=space, clock_source="coarse") as gen:
        assert gen.next_id() < gen.next_id()


def test_with_the_guard_off_health_warns(space):
    with Generator(node=1, space=space, host_guard="unsafe_off") as gen:
        health = gen.health()
        assert (health.level, health.ok) == ("warn", True) and "guard_off" in health.reasons


# ---- waits ---------------------------------------------------------------------------------------


def test_a_wait_ends_at_the_one_deadline(space):
    gen = Generator(node=1, space=space, layout="32/10/2*10s", max_wait_ms=50)
    started = time.monotonic()
    with pytest.raises((flakecore.DeadlinePassedError, flakecore.ExhaustedError)):
        gen.next_ids(9)
    assert 0.01 < time.monotonic() - started < 1


def test_ctrl_c_ends_a_wait(space):
    gen = Generator(node=1, space=space, layout="32/10/2*10s", max_wait_ms=20_000)

    def interrupt(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    started = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            gen.next_ids(9)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - started < 2


def test_other_threads_run_while_one_waits(space):
    gen = Generator(node=1, space=space, layout="32/10/2*1s", max_wait_ms=3000)
    waiter = threading.Thread(target=lambda: gen.next_ids(5))
    waiter.start()
    turns = 0
    while waiter.is_alive():
        time.sleep(0.01)
        turns += 1
    waiter.join()
    assert turns > 5


def test_a_signal_handler_that_draws_ids_disturbs_nothing(space):
    gen = Generator(node=1, space=space, layout="41/10/6")
    ids, nested = [], []
    before = signal.signal(signal.SIGALRM, lambda *_: nested.append(gen.next_id()))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        for _ in range(20):
            ids += [gen.next_id() for _ in range(100)] + gen.next_ids(100)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert nested and len(set(ids + nested)) == len(ids) + len(nested) and ids == sorted(ids)


@pytest.mark.parametrize("threads", [2, 8])
def test_threads_get_ids_that_differ_and_rise(space, threads):
    gen = Generator(node=1, space=space)
    results = [[] for _ in range(threads)]

    def work(ids):
        for _ in range(50):
            ids.extend(gen.next_id() for _ in range(50))
            ids.extend(gen.next_ids(20))
            ids.extend(gen.next_range(20))

    workers = [threading.Thread(target=work, args=(ids,)) for ids in results]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    everything = list(itertools.chain(*results))
    assert all(ids == sorted(ids) for ids in results)
    assert len(set(everything)) == len(everything) == gen.stats().issued


def test_closing_under_load_ends_every_thread_with_an_id_or_closed(space):
    for _ in range(30):
        gen = Generator(node=1, space=space)
        odd = []

        def work():
            try:
                while True:
                    gen.next_id(), gen.next_ids(3), gen.next_range(3), gen.try_next_id()
            except flakecore.ClosedError:
                pass
            except BaseException as error:
                odd.append(error)

        workers = [threading.Thread(target=work) for _ in range(3)]
        for worker in workers:
            worker.start()
        gen.close()
        for worker in workers:
            worker.join()
        assert not odd


def test_closing_from_two_threads_closes_once(space):
    for _ in range(50):
        keeper = Generator(node=1, space=space)
        gen = Generator(node=1, space=space)
        workers = [threading.Thread(target=gen.close) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert keeper.next_id() > 0
        keeper.close()


def test_spaces_do_not_meet():
    first, second = (Generator(node=1, space=fresh_space()) for _ in range(2))
    assert first.next_id() > 0 < second.next_id()
