# SPDX-License-Identifier: MIT
"""Layouts, and what the module's functions say of IDs."""
import copy
import datetime
import pickle

import pytest
from conftest import NOW_MS
from hypothesis import given, settings
from hypothesis import strategies as st

import flakecore
from flakecore import Layout, bounds, compose, decode

UTC = datetime.timezone.utc
PLUS_8 = datetime.timezone(datetime.timedelta(hours=8))
NOW = datetime.datetime(2025, 6, 15, 15, 6, 40, tzinfo=UTC)


def layouts():
    """Layouts that generate: time on top, in whatever bits are left."""
    sizes = st.tuples(st.integers(30, 43), st.integers(0, 16), st.integers(0, 16))
    return sizes.filter(lambda s: sum(s) <= 63).map(lambda s: Layout("{}/{}/{}".format(*s)))


@settings(deadline=None, max_examples=200)
@given(layouts(), st.data())
def test_decode_is_the_inverse_of_compose(layout, data):
    tick = data.draw(st.integers(1, 2**layout.time_bits - 1))
    node = data.draw(st.integers(0, 2**layout.node_bits - 1))
    sequence = data.draw(st.integers(0, 2**layout.seq_bits - 1))
    ms = layout.epoch_ms + tick * layout.tick_ms
    id = layout.compose(ms, node, sequence)
    assert layout.decode(id) == flakecore.Decoded(ms, tick, node, sequence)
    assert 0 < id < 2**63
    assert layout.bounds(ms, ms + 1)[0] <= id <= layout.bounds(ms, ms + 1)[1]


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=40))
def test_any_text_is_a_layout_or_refused(text):
    try:
        layout = Layout(text)
    except flakecore.BadLayoutError as error:
        assert "41/10/12" in str(error)
    else:
        assert Layout(str(layout)) == layout


@pytest.mark.parametrize("text", [None, 7, b"41/10/12", ["41/10/12"]])
def test_what_is_no_text_is_no_layout(text):
    with pytest.raises(flakecore.ArgumentTypeError):
        Layout(text)
    with pytest.raises(flakecore.ArgumentTypeError):
        decode(1, text)


def test_it_is_a_value():
    layout = Layout("41/10/12")
    assert layout == Layout("snowflake") and layout != Layout("twitter") and layout != "snowflake"
    assert {layout: 1}[Layout("snowflake")] == 1
    assert copy.deepcopy(layout) == pickle.loads(pickle.dumps(layout)) == layout
    assert repr(layout) == "Layout('t41n10s12@1735689600000')"
    for change in (lambda: setattr(layout, "epoch_ms", 0), lambda: delattr(layout, "_text"),
                   lambda: setattr(layout, "_native", 0)):
        with pytest.raises(AttributeError):
            change()


def test_the_presets_are_layouts():
    names = Layout.presets()
    assert names[0] == "snowflake" and len(names) == len(set(names)) == 10
    assert all(Layout(name).time_bits for name in names)


def test_expiry_is_a_datetime_unless_the_calendar_ends_first():
    assert Layout().expires == datetime.datetime(2094, 9, 7, 15, 47, 35, 552_000, tzinfo=UTC)
    assert Layout().expires_ms == 3_934_712_855_552
    assert Layout("47/0/16").expires.year < 9999 and Layout("48/0/15").expires is None
    assert Layout("43/0/12*10s").expires is None


def test_the_time_of_an_id_is_aware_utc():
    parts = decode(1462015105796 - 1420070400000 << 22 | 32 << 12 | 7, "discord")
    assert parts.time == datetime.datetime(2016, 4, 30, 11, 18, 25, 796_000, tzinfo=UTC)
    assert parts.time.tzinfo is UTC and parts.iso == "2016-04-30T11:18:25.796Z"


def test_times_may_be_aware_datetimes_of_any_zone():
    assert compose(NOW, 1, 2) == compose(NOW_MS, 1, 2) == compose(NOW.astimezone(PLUS_8), 1, 2)
    assert decode(compose(NOW, 1, 2)).time == NOW
    day = datetime.timedelta(days=1)
    assert bounds(NOW, NOW + day) == bounds(NOW_MS, NOW_MS + 86_400_000)


def test_between_two_milliseconds_bounds_round_and_compose_refuses():
    micro = datetime.timedelta(microseconds=1)
    assert bounds(NOW - micro, NOW + micro) == bounds(NOW, NOW_MS + 1)
    with pytest.raises(flakecore.InvalidArgumentError, match="whole millisecond"):
        compose(NOW + micro, 1, 2)


@pytest.mark.parametrize("since, until, error, text", [
    (NOW, NOW, flakecore.InvalidArgumentError, f"starts in {NOW_MS} <= Unix ms < {NOW_MS}"),
    (NOW_MS + 1, NOW_MS, flakecore.InvalidArgumentError, "give a later until"),
    (0, NOW, flakecore.BeforeEpochError, "since is 0, .*; give 1735689600000 or later"),
    (NOW, NOW_MS * 100, flakecore.TimeUsedUpError, f"give {Layout().expires_ms} or earlier"),
])
def test_bounds_that_cannot_be_are_told_with_what_can(since, until, error, text):
    with pytest.raises(error, match=text):
        bounds(since, until)


@pytest.mark.parametrize("call, error, text", [
    (lambda: compose(NOW, 1024, 0), flakecore.NodeOutOfRangeError, "node 1024 .* in 0..1023"),
    (lambda: compose(NOW, 1, 4096), flakecore.InvalidArgumentError, "sequence is 4096; .* 0..4095"),
    (lambda: compose(NOW, 1, -1), flakecore.InvalidArgumentError, "sequence is -1; .* 0..4095"),
    (lambda: compose(0, 1, 1), flakecore.BeforeEpochError, "time is 0, .* 1735689600000 or later"),
    (lambda: compose(Layout().expires_ms, 1, 1), flakecore.TimeUsedUpError, "or earlier"),
    (lambda: compose(Layout().epoch_ms, 0, 0), flakecore.InvalidArgumentError, "make 0, which"),
    (lambda: compose(NOW_MS + 7, 1, 1, "sonyflake"), flakecore.InvalidArgumentError,
     f"time is {NOW_MS + 7}, inside a tick of 10 ms; give {NOW_MS}"),
    (lambda: decode(0), flakecore.InvalidArgumentError, "id is 0; it must lie in 1.."),
    (lambda: decode(2**53, "js53"), flakecore.InvalidArgumentError, f"in 1..{2**53 - 1}"),
])
def test_parts_that_do_not_fit_are_told_with_what_does(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("time", [NOW.replace(tzinfo=None), NOW.date(), 1.5, "2025-06-15"])
def test_a_time_without_zone_or_of_another_type_is_refused(time):
    with pytest.raises(flakecore.ArgumentTypeError):
        compose(time, 1, 2)
    with pytest.raises(flakecore.ArgumentTypeError):
        bounds(time, NOW)


@pytest.mark.parametrize("time, error", [
    (datetime.datetime.min.replace(tzinfo=UTC), flakecore.BeforeEpochError),
    (datetime.datetime.max.replace(tzinfo=UTC), flakecore.FlakeError),
    (-(2**70), flakecore.BeforeEpochError), (2**70, flakecore.TimeUsedUpError),
])
def test_a_time_beyond_every_layout_is_refused(time, error):  # S30
    until = NOW if error is flakecore.BeforeEpochError else time
    for call in (lambda: compose(time, 1, 2), lambda: bounds(time, until)):
        with pytest.raises(error):
            call()


def test_check_says_whether_it_can_generate():
    Layout().check()
    Layout().check(NOW)
    with pytest.raises(flakecore.NotSupportedError):
        Layout("instagram").check()
    with pytest.raises(flakecore.BeforeEpochError):
        Layout("41/10/12@4102444800000").check()
    with pytest.raises(flakecore.TimeUsedUpError):
        Layout().check(3_934_712_855_552)


def test_js53_stays_below_two_to_the_53():  # S36
    layout = Layout("js53")
    assert layout.compose(layout.expires_ms - layout.tick_ms, 2**layout.node_bits - 1,
                          2**layout.seq_bits - 1) == 2**53 - 1
