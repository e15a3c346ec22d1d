# SPDX-License-Identifier: MIT
"""Python values on their way into the core: the right value or an error, never a narrowed one."""
from __future__ import annotations

import datetime
import operator
from typing import Any, Optional, Type, Union

from flakecore.errors import (
    ArgumentTypeError,
    BeforeEpochError,
    FlakeError,
    InvalidArgumentError,
    TimeUsedUpError,
)

INT64_MAX = 2**63 - 1
UINT64_MAX = 2**64 - 1
DAY_MS = 86_400_000

UTC = datetime.timezone.utc
UNIX_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = datetime.timedelta(milliseconds=1)

# A moment: Unix time in ms, or an aware datetime.
Time = Union[int, datetime.datetime]


def shown(value: object) -> str:
    """The repr of a value, short enough for an error; its type when it has none, as a huge int."""
    try:
        text = repr(value)
    except Exception:
        text = f"a value of type {type(value).__name__} that cannot be shown"
    return text if len(text) <= 80 else text[:77] + "..."


def whole(name: str, value: Any) -> int:
    """value as an int. ArgumentTypeError: not a whole number by its type; also bool."""
    if type(value) is int:
        return value
    numpy_kind = getattr(getattr(value, "dtype", None), "kind", "i")  # its bool may be an index
    if not isinstance(value, bool) and numpy_kind in ("i", "u"):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise ArgumentTypeError(f"{name} must be a whole number, not {shown(value)}")


def limited(name: str, value: Any, least: int, most: int) -> int:
    """value as an int of least..most. InvalidArgumentError: it is not."""
    number = whole(name, value)
    if least <= number <= most:
        return number
    raise InvalidArgumentError(f"{name} is {shown(number)}; it must lie in {least}..{most}")


def id_bits(value: Any) -> int:
    """An ID as the core reads it: 64 bits, unsigned; it decides on 0."""
    return limited("id", value, 0, UINT64_MAX)


def choice(name: str, value: Any, names: tuple[str, ...]) -> int:
    """The place of value among names. InvalidArgumentError: it is none of them."""
    if isinstance(value, str) and value in names:
        return names.index(value)
    error = InvalidArgumentError if isinstance(value, str) else ArgumentTypeError
    raise error(f"{name} is {shown(value)}; it must be one of {', '.join(names)}")


def utf8(name: str, value: Any) -> bytes:
    """A str as bytes; those that are no text at all come out as bytes that the core refuses."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    raise ArgumentTypeError(f"{name} must be a str, not {shown(value)}")


def _ms_of_datetime(name: str, value: datetime.datetime) -> tuple[int, bool]:
    """Whole ms, rounded down, and whether that was exact."""
    if value.tzinfo is None or value.utcoffset() is None:
        raise ArgumentTypeError(f"{name} is {shown(value)}, without time zone; give an aware one")
    ms, rest = divmod(value - UNIX_EPOCH, MILLISECOND)
    return ms, not rest


def _fits(name: str, ms: int, low: Type[FlakeError], high: Type[FlakeError]) -> int:
    if ms < -INT64_MAX:
        raise low(f"{name} is {shown(ms)}, before every epoch")
    if ms > INT64_MAX:
        raise high(f"{name} is {shown(ms)}, after the end of every layout")
    return ms


def unix_ms(name: str, value: Any, exact: bool) -> int:
    """A moment in Unix ms. A datetime between two ms is refused when exact, else rounded up.

    ArgumentTypeError: neither a whole number nor an aware datetime. InvalidArgumentError: between
    two ms. BeforeEpochError, TimeUsedUpError: beyond what any layout can express.
    """
    if not isinstance(value, datetime.datetime):
        return _fits(name, whole(name, value), BeforeEpochError, TimeUsedUpError)
    ms, whole_ms = _ms_of_datetime(name, value)
    if whole_ms:
        return ms
    if exact:
        raise InvalidArgumentError(f"{name} is {shown(value)}; it must be a whole millisecond")
    return ms + 1


def datetime_of(ms: int) -> Optional[datetime.datetime]:
    """Unix ms as an aware datetime in UTC; None beyond the year 9999."""
    try:
        return UNIX_EPOCH + ms * MILLISECOND
    except OverflowError:
        return None


def iso_of(ms: int) -> str:
    """Unix ms (>= 0) as "2016-04-30T11:18:25.796Z"; a year beyond 9999 with a "+" in front.

    Years repeat every 400, which are 146,097 days: what datetime cannot hold is moved by that.
    """
    eras, rest = divmod(ms, 146_097 * DAY_MS)
    time = UNIX_EPOCH + rest * MILLISECOND
    year = time.year + 400 * eras
    sign = "+" if year > 9999 else ""
    return f"{sign}{year:04}-{time:%m-%dT%H:%M:%S}.{time.microsecond // 1000:03}Z"
