# SPDX-License-Identifier: MIT
"""One exception for each status of the core, under a base for each class of them.

    FlakeError
      CallerError     your mistake: the same call will fail again
      RetryError      may pass by itself: retry later
      OperatorError   somebody must mend the clock, a file, a limit or the host

A code that this version does not know is raised as FlakeError itself.
"""
from __future__ import annotations

from typing import Any, Optional, Sequence

from flakecore._native import ffi, lib


#: The classes of statuses by number; the first is no error.
KINDS = ("ok", "caller", "retry", "operator")


def _text(chars: Any) -> str:
    return str(ffi.string(chars).decode("ascii"))


class FlakeError(Exception):
    """The base of all errors of this package.

    code: the status, a negative number. name: its stable name, such as "clock_rewound".
    issued: of next_ids, the IDs that were drawn before the error; they are valid.
    """

    code: int = 0
    name: str = "unknown"
    issued: Sequence[int] = ()

    def __init__(self, message: Optional[str] = None, code: Optional[int] = None) -> None:
        if code is not None and code != self.code:
            self.code = code
            self.name = _text(lib.flake_status_name(code))
        super().__init__(_text(lib.flake_status_text(self.code)) if message is None else message)

    @property
    def kind(self) -> str:
        """Whose turn it is: "caller", "retry" or "operator", also for codes that are unknown."""
        return KINDS[lib.flake_status_class(self.code)]


class CallerError(FlakeError):
    """The caller's mistake: the same call will fail again."""


class RetryError(FlakeError):
    """May pass by itself: retry later."""


class OperatorError(FlakeError):
    """Somebody must mend the clock, a file, a limit or the host."""


class InvalidArgumentError(CallerError, ValueError):
    """A value outside its documented range."""

    code = lib.FLAKE_E_INVALID_ARGUMENT
    name = "invalid_argument"


class ArgumentTypeError(InvalidArgumentError, TypeError):
    """A value of the wrong type, such as 7.5, NaN, True or None where a whole number stands."""


class BadLayoutError(CallerError, ValueError):
    """Fields that do not fit, or a text that is not a layout."""

    code = lib.FLAKE_E_BAD_LAYOUT
    name = "bad_layout"


class NodeOutOfRangeError(CallerError, ValueError):
    """The node does not fit the layout's node field."""

    code = lib.FLAKE_E_NODE_OUT_OF_RANGE
    name = "node_out_of_range"


class NoNodeError(CallerError):
    """No node is configured, and there is no default."""

    code = lib.FLAKE_E_NO_NODE
    name = "no_node"


class NodeInUseError(OperatorError):
    """Another generator holds this node of this space."""

    code = lib.FLAKE_E_NODE_IN_USE
    name = "node_in_use"


class ClockRewoundError(OperatorError):
    """The clock reads earlier than it was seen, or than start_floor_ms."""

    code = lib.FLAKE_E_CLOCK_REWOUND
    name = "clock_rewound"


class ClockFrozenError(OperatorError):
    """The clock stands still."""

    code = lib.FLAKE_E_CLOCK_FROZEN
    name = "clock_frozen"


class BeforeEpochError(OperatorError):
    """A time before the layout's epoch."""

    code = lib.FLAKE_E_BEFORE_EPOCH
    name = "before_epoch"


class TimeUsedUpError(OperatorError):
    """The layout's time field has ended."""

    code = lib.FLAKE_E_TIME_USED_UP
    name = "time_used_up"


class ExhaustedError(RetryError):
    """Every sequence number that may be used now is spent."""

    code = lib.FLAKE_E_EXHAUSTED
    name = "exhausted"


class DeadlinePassedError(RetryError):
    """max_wait_ms ended before the generator's first tick began."""

    code = lib.FLAKE_E_DEADLINE_PASSED
    name = "deadline_passed"


class CeilingReachedError(OperatorError):
    """The generator's right to issue ends here."""

    code = lib.FLAKE_E_CEILING_REACHED
    name = "ceiling_reached"


class LeaseLostError(RetryError):
    """The lease belongs to another holder."""

    code = lib.FLAKE_E_LEASE_LOST
    name = "lease_lost"


class ForkedError(CallerError):
    """Opened before a fork and used in the child: open one there, with a node of its own."""

    code = lib.FLAKE_E_FORKED
    name = "forked"


class ClosedError(CallerError):
    """The generator is closed."""

    code = lib.FLAKE_E_CLOSED
    name = "closed"


class LayoutDiffersError(CallerError):
    """The space is pinned to another layout."""

    code = lib.FLAKE_E_LAYOUT_DIFFERS
    name = "layout_differs"


class StoreUnreachableError(RetryError):
    """The lease store does not answer."""

    code = lib.FLAKE_E_STORE_UNREACHABLE
    name = "store_unreachable"


class BadFileError(OperatorError):
    """A state file is short, damaged, foreign or copied."""

    code = lib.FLAKE_E_BAD_FILE
    name = "bad_file"


class BadTextError(CallerError, ValueError):
    """A text that is not an ID in the format asked for."""

    code = lib.FLAKE_E_BAD_TEXT
    name = "bad_text"


class NoEntropyError(OperatorError):
    """The kernel gave no random bytes."""

    code = lib.FLAKE_E_NO_ENTROPY
    name = "no_entropy"


class OutOfMemoryError(OperatorError):
    """The system gave no memory or descriptor."""

    code = lib.FLAKE_E_OUT_OF_MEMORY
    name = "out_of_memory"


class NotSupportedError(CallerError):
    """This build, system or layout cannot do that."""

    code = lib.FLAKE_E_NOT_SUPPORTED
    name = "not_supported"


class AgainError(RetryError):
    """Nothing is to be had yet. The package waits by itself, so no call of it raises this."""

    code = lib.FLAKE_E_AGAIN
    name = "again"


class NoRunDirError(OperatorError):
    """No directory can hold the node's lock file."""

    code = lib.FLAKE_E_NO_RUN_DIR
    name = "no_run_dir"


_by_code = {
    kind.code: kind
    for base in (CallerError, RetryError, OperatorError)
    for kind in base.__subclasses__()
}


def error_of(status: int, message: Optional[str] = None) -> FlakeError:
    """The exception for a negative status. message: a sentence to say instead of the general one.

    A code that this version does not know gives FlakeError, with its code.
    """
    kind = _by_code.get(status)
    return FlakeError(message, status) if kind is None else kind(message)
