# SPDX-License-Identifier: MIT
"""The generator. Read next_id and _wait_for first: every other call goes the same way.

A step of the core never sleeps: it gives an ID, an error, or how long to wait. The waits are here,
by time.sleep or asyncio.sleep, so that Ctrl-C, other threads and the event loop go on meanwhile;
how long they last altogether is the core's to decide.
"""
from __future__ import annotations

import sys
import time
from collections import deque
from types import TracebackType
from typing import (
    Any,
    AsyncIterator,
    Callable,
    Deque,
    Dict,
    Iterator,
    List,
    NoReturn,
    Optional,
    SupportsIndex,
    Tuple,
    Type,
    TypeVar,
    Union,
)

from flakecore._arguments import INT64_MAX, limited, shown
from flakecore._config import ClockSource, HostGuard, Mode, config_of, explained
from flakecore._health import Health, Stats, health_of, stats_of
from flakecore._layout import Layout, LayoutLike, layout_of
from flakecore._native import ffi, lib
from flakecore._text import IdStr
from flakecore.errors import ArgumentTypeError, ClosedError, FlakeError, error_of
from flakecore.testing import TestClock

_AGAIN: int = lib.FLAKE_E_AGAIN
_NULL = ffi.NULL
_SHORT: int = lib.FLAKE_PYTHON_SHORT
_NATIVE_ORDERS = ("", "@", "=", "<" if sys.byteorder == "little" else ">")
_INT64_FORMATS = [order + kind for order in _NATIVE_ORDERS for kind in "ql"]
_next: Callable[[Any], int] = lib.flake_python_next
_range: Callable[[Any, int], int] = lib.flake_python_range

Self = TypeVar("Self", bound="Generator")

# The tasks behind the first one that waits: what each awaits, and where its waiting is kept.
_Line = Deque[Tuple[Any, Any]]


def _int64s_of(buffer: Any) -> memoryview:
    """A view of a buffer's int64s that can be written. ArgumentTypeError: it has none."""
    try:
        view = memoryview(buffer)
    except (TypeError, ValueError, BufferError):
        raise ArgumentTypeError(f"{shown(type(buffer))} is not a buffer of int64") from None
    if view.format not in _INT64_FORMATS or view.itemsize != 8:
        raise ArgumentTypeError(f"the buffer holds items of format {view.format!r}, not int64")
    if view.readonly or not view.c_contiguous:
        raise ArgumentTypeError("the buffer must be writable and contiguous")
    return view


def _rest_of(native: Any) -> Any:
    """What the step before left, when it did not end as asked."""
    rest = ffi.new("flake_python_rest *")
    lib.flake_python_take(native, rest)
    return rest


class Generator:
    """Makes IDs: positive ints of at most 63 bits, each larger than all before, on any thread.

    node: the number of this generator, 0..2^node_bits-1, which no other live generator of the space
        may have. A str is a chain of sources, as node_from takes it: "env:NODE,hostname-ordinal".
        There is no default.
    layout: a Layout or its text, "41/10/12" when not given.
    space: a named set of IDs that must all differ; 1..63 of A-Z a-z 0-9 . _ -
    mode: "strict" never runs ahead of the clock and waits, or refuses; "monotonic" never waits and
        runs ahead by at most max_lead_ms.
    max_wait_ms: bounds a whole call, 0..86400000.
    max_lead_ms: 0..86400000; monotonic mode must be given it, or start_floor_ms. Another process
        that opens the node this soon after the end of this one, however it ended, repeats IDs.
    start_floor_ms: no ID with an earlier time than this Unix ms.
    ceiling_ms: the first Unix ms not to be used.
    seq_spread_bits: start each tick's sequence at a random number below 2^this.
    clock_source: "precise", or "coarse" (cheaper, late by 1 to 10 ms).
    host_guard: "on" holds a lock file against other processes of the host; "unsafe_off" does not.
    clock: a flakecore.testing.TestClock instead of the system's clocks.

    Generators of a process with equal options share their numbers. The first ID lies in the first
    tick that begins after opening. Use it from any thread and any task; in a forked child it raises
    ForkedError. It closes at the end of a with block, by close(), or when the last reference goes.

    NoNodeError, NodeOutOfRangeError: no node, or it does not fit. NodeInUseError: open in this
    process with other options, or in another process of this host. LayoutDiffersError: the space is
    open with another layout. BadLayoutError, NotSupportedError, BeforeEpochError, TimeUsedUpError:
    the layout cannot generate now. CeilingReachedError: the first tick is not below ceiling_ms.
    InvalidArgumentError: another value is out of its range. NoRunDirError, OutOfMemoryError,
    NoEntropyError: the system refused. All are FlakeErrors, and their text says what to do.
    """

    __slots__ = (
        "_native", "_open_handles", "_clock", "_layout", "_config", "_node_text", "_stride",
        "_lines", "__weakref__",
    )

    def __init__(
        self,
        *,
        node: Union[SupportsIndex, str, None] = None,
        layout: LayoutLike = "snowflake",
        space: str = "default",
        mode: Mode = "strict",
        max_wait_ms: SupportsIndex = 1100,
        max_lead_ms: Optional[SupportsIndex] = None,
        start_floor_ms: Optional[SupportsIndex] = None,
        ceiling_ms: Optional[SupportsIndex] = None,
        seq_spread_bits: SupportsIndex = 0,
        clock_source: ClockSource = "precise",
        host_guard: HostGuard = "on",
        clock: Optional[TestClock] = None,
    ) -> None:
        options = dict(
            space=space, mode=mode, max_wait_ms=max_wait_ms, max_lead_ms=max_lead_ms,
            start_floor_ms=start_floor_ms, ceiling_ms=ceiling_ms, seq_spread_bits=seq_spread_bits,
            clock_source=clock_source, host_guard=host_guard,
        )
        self._native = _NULL
        self._open_handles: List[Any] = []
        if not (clock is None or isinstance(clock, TestClock)):
            raise ArgumentTypeError(f"clock must be a TestClock or None, not {shown(clock)}")
        self._clock = clock
        self._layout = layout_of(layout)
        self._config, self._node_text = config_of(node, self._layout, options)
        self._stride = 0
        self._lines: Dict[Any, _Line] = {}  # by event loop, while a task of it waits
        self._open()

    def _open(self) -> None:
        opened = ffi.new("flake_generator **")
        clock = self._clock._native if self._clock else _NULL
        status = lib.flake_open(self._config, clock, opened)
        if status < 0:
            raise error_of(status, explained(self._config, status))
        self._native = opened[0]
        self._open_handles.append(opened[0])
        self._stride = self._layout.stride

    # ---- one ID ----------------------------------------------------------------------------------

    def next_id(self) -> int:
        """The next ID. Sleeps at most max_wait_ms in all.

        ClockRewoundError, ClockFrozenError, BeforeEpochError: mend the clock; calls succeed again
        by themselves when it has caught up. ExhaustedError, DeadlinePassedError: max_wait_ms was
        too short; retry. TimeUsedUpError, CeilingReachedError: the end of the layout, or of
        ceiling_ms. ForkedError: opened before a fork; in the child, open one with a node of its
        own. ClosedError: closed.
        """
        id = _next(self._native)
        if id > 0:
            return id
        return self._next_after(id)

    def _next_after(self, status: int) -> int:
        """Goes on after a first step that gave no ID."""
        if status == _AGAIN:
            rest = _rest_of(self._handle())
            attempt = ffi.addressof(rest, "attempt")
            while status == _AGAIN:
                self._wait_for(attempt)
                status = lib.flake_next_step(self._handle(), attempt)
        if status < 0:
            self._refuse(status)
        return status

    def _wait_for(self, attempt: Any) -> None:
        if self._clock is not None:
            self._clock._sleep_until(attempt.wake_ns)
        elif attempt.wake_ns:
            left_ns = attempt.wake_ns - time.monotonic_ns()
            time.sleep(left_ns / 1e9 if left_ns > 0 else 0)

    def _handle(self) -> Any:
        """The core's handle. ClosedError: closed, maybe by another thread just now."""
        native = self._native
        if not native:
            raise ClosedError()
        return native

    @staticmethod
    def _refuse(status: int) -> NoReturn:
        raise error_of(status)

    def try_next_id(self) -> Optional[int]:
        """The next ID, or None when it would have to wait. Errors as next_id."""
        id = _next(self._native)
        if id > 0:
            return id
        if id != _AGAIN:
            self._refuse(id)
        return None

    async def next_id_async(self) -> int:
        """next_id for asyncio: waits by asyncio.sleep, so the event loop goes on meanwhile.

        Tasks of an event loop that wait stand in line: first come, first served. Who is cancelled
        meanwhile loses no ID, but for one that was handed to it in that moment.
        """
        if self._lines:
            rest = ffi.new("flake_python_rest *")
            rest.attempt.deadline_ns = self._monotonic_ns() + self._config.max_wait_ms * 1_000_000
            return await self._next_in_line(rest)
        id = _next(self._native)
        if id > 0:
            return id
        if id != _AGAIN:
            self._refuse(id)
        return await self._next_in_line(_rest_of(self._handle()))

    async def _next_in_line(self, rest: Any) -> int:
        """Goes on when the tasks that came before have their IDs: only the first of them waits."""
        import asyncio  # most programs do without

        loop, id = asyncio.get_running_loop(), 0
        line = self._lines.get(loop)
        if line is None:
            self._lines[loop] = line = deque()
        else:
            id = await self._stand(loop, line, rest)
        if id == 0:
            id = await self._lead(loop, line, ffi.addressof(rest, "attempt"))
        if id < 0:
            self._refuse(id)
        return id

    async def _stand(self, loop: Any, line: _Line, rest: Any) -> int:
        """What the first one handed on: an ID, a status, or 0 for the place of the first."""
        turn = loop.create_future()
        line.append((turn, rest))
        try:
            return int(await turn)
        except BaseException:  # maybe cancelled just after it had been handed the place
            if turn.done() and not turn.cancelled() and turn.result() == 0:
                self._hand_on(loop, line)
            raise

    async def _lead(self, loop: Any, line: _Line, attempt: Any) -> int:
        id = _AGAIN
        try:
            while id == _AGAIN:
                if attempt.wake_ns:
                    await self._wait_for_async(attempt)
                id = lib.flake_next_step(self._handle(), attempt)
            return id
        finally:
            self._hand_on(loop, line)

    def _hand_on(self, loop: Any, line: _Line) -> None:
        """Serves the line as far as nobody has to wait, and makes who has to the first."""
        while line and not loop.is_closed():
            turn, rest = line.popleft()
            if turn.done():  # cancelled
                continue
            native, attempt = self._native, ffi.addressof(rest, "attempt")
            id = lib.flake_next_step(native, attempt) if native else lib.FLAKE_E_CLOSED
            turn.set_result(0 if id == _AGAIN else id)
            if id == _AGAIN:
                return
        del self._lines[loop]

    def _monotonic_ns(self) -> int:
        return time.monotonic_ns() if self._clock is None else self._clock.monotonic_ns()

    async def _wait_for_async(self, attempt: Any) -> None:
        import asyncio  # most programs do without

        left_ns = 0
        if self._clock is not None:
            self._clock._sleep_until(attempt.wake_ns)
        elif attempt.wake_ns:
            left_ns = max(0, attempt.wake_ns - time.monotonic_ns())
        await asyncio.sleep(left_ns / 1e9)

    def next_id_str(self) -> IdStr:
        """next_id as an IdStr, for JSON."""
        return str.__new__(IdStr, self.next_id())

    # ---- many IDs --------------------------------------------------------------------------------

    def next_range(self, n: SupportsIndex) -> range:
        """Up to n (1..2^63-1) IDs that follow each other in one tick; at least 1, maybe fewer.

        One native call for any n. Waits and errors as next_id.
        """
        count = n if type(n) is int and 0 < n <= INT64_MAX else limited("n", n, 1, INT64_MAX)
        native, stride = self._native, self._stride
        first = _range(native, count)
        if first > 0:
            return range(first, first + count * stride, stride)
        return self._range_after(first, _rest_of(native), count)

    def _range_after(self, status: int, rest: Any, count: int) -> range:
        """Goes on after a first step that did not give count IDs, with what it left."""
        if status == _SHORT and rest.first:
            return range(rest.first, rest.first + rest.issued * self._stride, self._stride)
        if status == _AGAIN:
            self._wait_for(rest.attempt)
        elif status != _SHORT:
            self._refuse(status)
        return self._range_by_steps(rest, count)

    def _range_by_steps(self, rest: Any, count: int) -> range:
        attempt, issued = ffi.addressof(rest, "attempt"), ffi.addressof(rest, "issued")
        while True:
            first: int = lib.flake_next_range_step(self._handle(), attempt, count, issued)
            if first > 0:
                return range(first, first + rest.issued * self._stride, self._stride)
            if first != _AGAIN:
                self._refuse(first)
            self._wait_for(attempt)

    def next_ids(self, n: SupportsIndex) -> List[int]:
        """n (>= 0) IDs, rising. max_wait_ms bounds the whole call.

        Errors as next_id. When one comes after some IDs were drawn, they are its .issued: they are
        valid, and no other call returns them.
        """
        count = n if type(n) is int and 0 < n <= INT64_MAX else limited("n", n, 0, INT64_MAX)
        native, stride = self._native, self._stride
        if count == 0:
            return [] if native else self._refuse(lib.FLAKE_E_CLOSED)
        first = _range(native, count)
        if first > 0:
            return list(range(first, first + count * stride, stride))
        ids: List[int] = []
        try:
            rest = _rest_of(native)
            ids.extend(self._range_after(first, rest, count))
            while len(ids) < count:
                ids.extend(self._range_by_steps(rest, count - len(ids)))
        except FlakeError as error:
            error.issued = ids
            raise
        return ids

    def fill(self, buffer: Any) -> int:
        """Fills a buffer of int64 with rising IDs, without a copy; returns how many.

        buffer: writable, contiguous, of signed 64-bit integers: a NumPy int64 array, array("q"), or
        a memoryview of one. Fewer are issued only when max_wait_ms, which bounds the whole call, or
        a fault ended it; what was issued is valid, and the rest of the buffer is as it was. Errors
        as next_id, when there was none. ArgumentTypeError: another kind of buffer.
        """
        with ffi.from_buffer("int64_t[]", _int64s_of(buffer), require_writable=True) as ids:
            if len(ids) and int(ffi.cast("uintptr_t", ids)) % 8:
                raise ArgumentTypeError("the buffer does not start at a multiple of 8 bytes")
            return self._fill(ids, len(ids))

    def _fill(self, ids: Any, count: int) -> int:
        attempt, done = ffi.new("flake_attempt *"), 0
        self._handle()
        while done < count:
            got = lib.flake_next_many_step(self._handle(), attempt, ids + done, count - done)
            if got > 0:
                done += got
            elif got == _AGAIN:
                self._wait_for(attempt)
            elif done:
                break
            else:
                self._refuse(got)
        return done

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        return self.next_id()

    def __aiter__(self) -> AsyncIterator[int]:
        return self

    async def __anext__(self) -> int:
        return await self.next_id_async()

    # ---- how it fares ----------------------------------------------------------------------------

    def health(self) -> Health:
        """Reads the clock and says whether IDs can be had; issues none and never blocks.

        ClosedError: closed.
        """
        found = ffi.new("flake_health *")
        status = lib.flake_health_get(self._handle(), found, ffi.sizeof("flake_health"))
        if status < 0:
            self._refuse(status)
        return health_of(found)

    def stats(self) -> Stats:
        """Reads the counters. ForkedError, ClosedError: as next_id."""
        found = ffi.new("flake_stats *")
        status = lib.flake_stats_get(self._handle(), found, ffi.sizeof("flake_stats"))
        if status < 0:
            self._refuse(status)
        return stats_of(found)

    # ---- what it is ------------------------------------------------------------------------------

    @property
    def node(self) -> int:
        """Its node number; 0 in a layout without node field."""
        return max(0, int(self._config.node))

    @property
    def node_text(self) -> str:
        """Which source the node came from, in one sentence; "" when it was given as a number."""
        return self._node_text

    @property
    def layout(self) -> Layout:
        """Its layout."""
        return self._layout

    @property
    def space(self) -> str:
        """The name of its space."""
        return str(ffi.string(self._config.space).decode("ascii"))

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return not self._open_handles

    def __repr__(self) -> str:
        state = "closed" if self.closed else "open"
        return f"<flakecore.Generator node={self.node} {self.layout} {self.space!r}, {state}>"

    # ---- the end ---------------------------------------------------------------------------------

    def close(self) -> None:
        """Ends the right to issue; a second time it does nothing.

        Others with equal options stay open. A call that is waiting in another thread or task ends
        with ClosedError when its wait is over. In a forked child it gives up the inherited handle,
        and the parent's generator stays open.
        """
        try:
            native = self._open_handles.pop()
        except IndexError:
            return
        self._native = _NULL
        status = lib.flake_close(native)
        if status < 0:
            raise error_of(status)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __del__(
        self,
        is_finalizing: Callable[[], bool] = sys.is_finalizing,
        close: Callable[[Any], int] = lib.flake_close,
    ) -> None:
        # At the interpreter's exit the end of the process closes it; others may still be using it.
        handles = getattr(self, "_open_handles", None)
        if handles and not is_finalizing():
            close(handles.pop())

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Generator cannot be copied, pickled or sent to another process: two of them would "
            "make the same IDs; open one there, with a node of its own"
        )
