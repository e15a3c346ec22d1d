# SPDX-License-Identifier: MIT
"""Every value is taken as it is or refused with a typed error; nothing is masked or rounded."""
import datetime
import decimal
import enum
import fractions

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from conftest import NOW_MS, NS_PER_MS, fresh_space

import flakecore
from flakecore import FlakeError, Generator, Layout, bounds, compose, decode
from flakecore.testing import TestClock

NUMBERS = ("max_wait_ms", "max_lead_ms", "start_floor_ms", "ceiling_ms", "seq_spread_bits")
NO_WHOLE_NUMBERS = [7.5, 7.0, float("nan"), float("inf"), True, False, b"7", [7], (7,), {}, 7 + 0j,
                    decimal.Decimal(7), fractions.Fraction(7), object(), numpy.float64(7),
                    numpy.bool_(True), datetime.timedelta(7)]
HUGE = [2**31, 2**32, 1221865536, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 2**64 + 7, 10**400, -1,
        -(2**31), -(2**63) + 1, -(2**63), -(2**64), -(10**400)]


def opened(**options):
    clock = TestClock(NOW_MS * NS_PER_MS)
    return Generator(**{"node": 1, "space": fresh_space(), "clock": clock, **options})


class Unshowable:
    def __repr__(self):
        raise RuntimeError("no text")


class Seven(enum.IntEnum):
    SEVEN = 7


@pytest.mark.parametrize("node", [0, 1, 16, 1023, numpy.int64(5), numpy.uint8(5), Seven.SEVEN])
def test_a_node_that_fits_is_used_as_it_is(node):  # S31
    gen = opened(node=node)
    assert decode(gen.next_id()).node == int(node) == gen.node


@pytest.mark.parametrize("node", [1024, 70000, *HUGE])
def test_a_node_that_does_not_fit_is_refused(node):  # S3, S31
    with pytest.raises(flakecore.NodeOutOfRangeError, match="does not fit"):
        opened(node=node)
    with pytest.raises(flakecore.NodeOutOfRangeError):
        Layout().compose(NOW_MS, node, 0)


@pytest.mark.parametrize("node", NO_WHOLE_NUMBERS, ids=repr)
def test_a_node_that_is_no_whole_number_is_refused(node):
    with pytest.raises(flakecore.ArgumentTypeError):
        opened(node=node)


def test_a_value_that_cannot_be_shown_is_named_by_its_type():
    with pytest.raises(flakecore.ArgumentTypeError, match="Unshowable that cannot be shown"):
        opened(node=Unshowable())
    with pytest.raises(flakecore.ArgumentTypeError, match="True or False, not 'False'"):
        TestClock(0).stop_sleeps("False")


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_too_long_for_a_text_is_refused_like_any_other(sign):
    number = sign * 10**5000  # beyond what Python turns into decimal digits
    for call in (decode, flakecore.IdStr, flakecore.encode, TestClock, opened().next_ids,
                 lambda n: opened(node=n), lambda n: opened(max_wait_ms=n),
                 lambda n: bounds(n, n), lambda n: compose(n, n, n)):
        with pytest.raises(FlakeError):
            call(number)


def test_no_node_is_an_error_that_says_what_to_do():  # S7
    with pytest.raises(flakecore.NoNodeError, match="there is no default"):
        opened(node=None)
    with pytest.raises(flakecore.NoNodeError):
        Generator()


@pytest.mark.parametrize("chain, node", [("7", 7), ("0", 0), ("env:NOPE_NOPE,1023", 1023)])
def test_a_text_is_a_chain_of_sources(chain, node):
    assert opened(node=chain).node == node


@pytest.mark.parametrize("chain, error", [
    ("", flakecore.InvalidArgumentError), (" 7", flakecore.InvalidArgumentError),
    ("7 ", flakecore.InvalidArgumentError), ("0x7", flakecore.InvalidArgumentError),
    ("-1", flakecore.InvalidArgumentError), ("7.5", flakecore.InvalidArgumentError),
    ("NaN", flakecore.InvalidArgumentError), ("7\0", flakecore.InvalidArgumentError),
    ("\u0667", flakecore.InvalidArgumentError), ("\ud800", flakecore.InvalidArgumentError),
    ("1024", flakecore.NodeOutOfRangeError), ("env:NOPE_NOPE", flakecore.NoNodeError),
    ("file:/nope/nope", flakecore.NoNodeError), ("9" * 50, FlakeError),
])
def test_a_wrong_chain_is_refused(chain, error):
    with pytest.raises(error) as caught:
        opened(node=chain)
    assert isinstance(caught.value, flakecore.CallerError) and str(caught.value)


def test_a_random_node_is_taken_only_when_asked_for_and_says_the_odds():  # S11
    found = flakecore.node_from("random:10")
    assert 0 <= found.node < 1024 and "%" in found.text
    with pytest.raises(flakecore.InvalidArgumentError):
        flakecore.node_from("random")


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", NO_WHOLE_NUMBERS + ["7", "", "7.5"], ids=repr)
def test_an_option_that_is_no_whole_number_is_refused(name, value):
    with pytest.raises(flakecore.ArgumentTypeError, match=name):
        opened(**{name: value})


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", [n for n in HUGE if n < 0 or n > 2**53 + 1])
def test_an_option_out_of_range_is_refused_by_name(name, value):
    with pytest.raises(flakecore.InvalidArgumentError, match=f"^{name} is "):
        opened(**{name: value})


@pytest.mark.parametrize("options, message", [
    ({"max_wait_ms": 86_400_001}, "max_wait_ms is 86400001; it must lie in 0..86400000"),
    ({"seq_spread_bits": 13}, "seq_spread_bits is 13; it must lie in 0..12"),
    ({"mode": "Strict"}, "mode is 'Strict'; it must be one of strict, monotonic"),
    ({"mode": 0}, "mode is 0"),
    ({"clock_source": None}, "clock_source is None"),
    ({"host_guard": "off"}, "host_guard is 'off'; it must be one of on, unsafe_off"),
    ({"layout": None}, "layout must be a Layout or its text"),
    ({"clock": 7}, "clock must be a TestClock"),
])
def test_a_wrong_option_is_refused_and_explained(options, message):
    with pytest.raises(flakecore.InvalidArgumentError) as caught:
        opened(**options)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("space", ["", " ", ".x", "a/b", "a\0b", "ab\0", "\u00e9", "\ud800",
                                   "x" * 64, "x" * 10_000, "a\nb"])
def test_a_space_that_is_no_name_is_refused(space):
    with pytest.raises(flakecore.InvalidArgumentError, match="(?s)space .* is not a name"):
        opened(space=space)


@pytest.mark.parametrize("space", [None, 7, b"default", ["default"]])
def test_a_space_that_is_no_text_is_refused(space):
    with pytest.raises(flakecore.ArgumentTypeError):
        opened(space=space)


def test_the_longest_space_is_a_space_of_its_own():
    name = "x" * 60 + fresh_space()[-3:].replace("-", "_")
    assert opened(space=name[:63]).space == name[:63]


@given(st.integers())
@settings(deadline=None, max_examples=200)
def test_any_whole_number_as_a_node_is_used_or_refused(node):
    layout = Layout("41/10/12")
    if 0 <= node < 1024:
        assert layout.decode(layout.compose(NOW_MS, node, 1)).node == node
    else:
        with pytest.raises(flakecore.NodeOutOfRangeError):
            layout.compose(NOW_MS, node, 1)


@given(st.one_of(st.floats(), st.text(), st.booleans(), st.none(), st.binary(), st.decimals()))
@settings(deadline=None, max_examples=200)
def test_whatever_is_no_whole_number_is_refused_everywhere(value):
    layout = Layout()
    for call in (layout.decode, lambda v: layout.compose(NOW_MS, v, 0), flakecore.encode,
                 lambda v: layout.compose(NOW_MS, 0, v), lambda v: layout.compose(v, 0, 0),
                 lambda v: layout.bounds(v, NOW_MS), TestClock):
        with pytest.raises(flakecore.ArgumentTypeError):
            call(value)


@pytest.mark.parametrize("id", [0, -1, 2**63, 2**64 - 1, 2**64, 2**64 + 5, -(2**63), 10**400])
def test_what_is_no_id_does_not_decode(id):
    with pytest.raises(flakecore.InvalidArgumentError):
        decode(id)


@pytest.mark.parametrize("ns", [-1, 2**63, 2**64])
def test_the_test_clock_refuses_what_it_cannot_hold(ns):
    with pytest.raises(flakecore.InvalidArgumentError):
        TestClock(ns)
    clock = TestClock(0)
    for call in (clock.set_wall, clock.advance, lambda v: clock.script(v, 0)):
        with pytest.raises(flakecore.InvalidArgumentError):
            call(ns)
    with pytest.raises(flakecore.InvalidArgumentError):
        clock.set_rate(1_000_001)
