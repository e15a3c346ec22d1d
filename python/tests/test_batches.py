# SPDX-License-Identifier: MIT
"""Many IDs: lists, ranges, and buffers that are filled in place."""
import ctypes
from array import array

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from conftest import NOW_MS, NS_PER_MS, fresh_space

import flakecore
from flakecore import Generator, Layout
from flakecore.testing import TestClock

LAYOUTS = ["snowflake", "41/10/4", "sonyflake", "41/10/1", "32/2/24*1s"]


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(LAYOUTS),
       st.lists(st.tuples(st.sampled_from(["ids", "range", "fill", "one"]), st.integers(1, 70)),
                min_size=1, max_size=12))
def test_all_ways_to_many_ids_draw_rising_ones_from_the_same_numbers(layout, draws):
    clock = TestClock(NOW_MS * NS_PER_MS)
    gen = Generator(node=1, layout=layout, space=fresh_space(), clock=clock)
    ids = []
    for way, n in draws:
        if way == "ids":
            ids += gen.next_ids(n)
        elif way == "range":
            got = gen.next_range(n)
            assert isinstance(got, range) and 1 <= len(got) <= n and got.step == gen.layout.stride
            assert len({gen.layout.decode(id).tick for id in got}) == 1
            ids += got
        elif way == "fill":
            buffer = array("q", bytes(8 * n))
            assert gen.fill(buffer) == n
            ids += buffer
        else:
            ids.append(gen.next_id())
    assert ids == sorted(set(ids)) and gen.stats().issued == len(ids)
    gen.close()


@pytest.mark.parametrize("n", [0, 1, 2, 4095, 4096, 4097, 20_000])
def test_next_ids_gives_exactly_n(space, n):
    with Generator(node=1, space=space) as gen:
        ids = gen.next_ids(n)
    assert type(ids) is list and len(set(ids)) == n and ids == sorted(ids)
    assert all(type(id) is int for id in ids)


def test_an_error_in_the_middle_hands_over_what_was_issued(space, clock):
    gen = Generator(node=1, space=space, clock=clock, max_wait_ms=3)
    with pytest.raises(flakecore.ExhaustedError) as caught:
        gen.next_ids(100_000)
    issued = caught.value.issued
    assert len(set(issued)) == len(issued) == gen.stats().issued and len(issued) % 4096 == 0
    assert 1 <= len(issued) // 4096 <= 4
    assert gen.next_id() > issued[-1]
    buffer = array("q", [-1]) * 100_000
    filled = gen.fill(buffer)
    assert 0 < filled < 100_000 and set(buffer[filled:]) == {-1} and min(buffer[:filled]) > 0


def test_an_error_before_the_first_id_is_raised_by_all(space, clock):
    gen = Generator(node=1, space=space, clock=clock)
    gen.next_id()
    clock.set_wall((NOW_MS - 10_000) * NS_PER_MS)
    for call in (lambda: gen.next_ids(5), lambda: gen.next_range(5),
                 lambda: gen.fill(array("q", [0]))):
        with pytest.raises(flakecore.ClockRewoundError) as caught:
            call()
        assert list(caught.value.issued) == []


def test_a_range_counts_in_strides_where_the_sequence_is_not_lowest(space, clock):
    layout = Layout("sonyflake")
    gen = Generator(node=3, layout=layout, space=space, clock=clock)
    got = gen.next_range(5)
    assert layout.stride > 1 and got.step == layout.stride
    assert [layout.decode(id).sequence for id in got] == [0, 1, 2, 3, 4]
    assert {layout.decode(id).node for id in got} == {3}


def buffers():
    yield array("q", bytes(80)), lambda b: list(b)
    yield memoryview(array("q", bytes(80))), lambda b: b.tolist()
    yield memoryview(bytearray(80)).cast("q"), lambda b: b.tolist()
    yield (ctypes.c_int64 * 10)(), list
    yield numpy.zeros(10, numpy.int64), lambda b: b.tolist()
    yield numpy.zeros((2, 5), numpy.int64), lambda b: b.reshape(-1).tolist()
    yield numpy.zeros(20, numpy.int64)[5:15], lambda b: b.tolist()


@pytest.mark.parametrize("buffer, values", list(buffers()))
def test_int64_buffers_are_filled_in_place(space, buffer, values):
    with Generator(node=1, space=space) as gen:
        assert gen.fill(buffer) == 10
        ids = values(buffer)
        assert ids == sorted(set(ids)) and min(ids) > 0
        assert gen.next_id() > ids[-1]


@pytest.mark.parametrize("buffer", [
    None, 7, "text", [0, 0], b"12345678", bytes(8), bytearray(8), array("i", [0]),
    array("Q", [0]), array("d", [0.0]), numpy.zeros(4), numpy.zeros(4, numpy.int32),
    numpy.zeros(4, numpy.uint64), numpy.zeros(4, ">i8"), numpy.zeros(8, numpy.int64)[::2],
    numpy.zeros(4, "M8[ms]"), memoryview(bytearray(17))[1:].cast("q"),
    memoryview(array("q", [0])).toreadonly(),
], ids=repr)
def test_other_buffers_are_refused_and_untouched(space, buffer):
    with Generator(node=1, space=space) as gen:
        with pytest.raises(flakecore.ArgumentTypeError):
            gen.fill(buffer)
        assert gen.stats().issued == 0


def test_empty_buffers_and_counts_draw_nothing(space):
    with Generator(node=1, space=space) as gen:
        assert gen.fill(array("q")) == 0 and gen.fill(numpy.zeros(0, numpy.int64)) == 0
        assert gen.next_ids(0) == [] and gen.stats().issued == 0


@pytest.mark.parametrize("n", [-1, 2**63, 2**64, 10**30])
def test_counts_out_of_range_are_refused(space, n):
    with Generator(node=1, space=space) as gen:
        for call in (gen.next_ids, gen.next_range):
            with pytest.raises(flakecore.InvalidArgumentError, match="n is "):
                call(n)
        with pytest.raises(flakecore.InvalidArgumentError):
            gen.next_range(0)


@pytest.mark.parametrize("n", [1.0, 7.5, float("nan"), True, None, "7", [1]])
def test_counts_that_are_no_whole_numbers_are_refused(space, n):
    with Generator(node=1, space=space) as gen:
        for call in (gen.next_ids, gen.next_range):
            with pytest.raises(flakecore.ArgumentTypeError):
                call(n)


def test_counts_may_be_numpy_integers(space):
    with Generator(node=numpy.int64(1), space=space) as gen:
        assert len(gen.next_ids(numpy.int32(5))) == 5 == len(gen.next_range(numpy.uint8(5)))
