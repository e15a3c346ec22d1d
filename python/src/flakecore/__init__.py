# SPDX-License-Identifier: MIT
"""Time-ordered unique 64-bit IDs (Snowflake: time, node, sequence), made in process.

    from flakecore import Generator, decode

    with Generator(node=7) as gen:
        id = gen.next_id()        # a positive int
        decode(id).time           # an aware datetime in UTC

Each live generator of a space needs a node number of its own. Errors are FlakeErrors, one class for
each status of the core; see flakecore.errors.
"""
from flakecore import errors
from flakecore._config import NodeFound, node_from
from flakecore._generator import Generator
from flakecore._health import REASONS, Health, Stats
from flakecore._layout import Decoded, Layout, bounds, compose, decode
from flakecore._native import ffi as _ffi
from flakecore._native import lib as _lib
from flakecore._text import FORMATS, IdStr, decode_text, encode
from flakecore.errors import (
    AgainError,
    ArgumentTypeError,
    BadFileError,
    BadLayoutError,
    BadTextError,
    BeforeEpochError,
    CallerError,
    CeilingReachedError,
    ClockFrozenError,
    ClockRewoundError,
    ClosedError,
    DeadlinePassedError,
    ExhaustedError,
    FlakeError,
    ForkedError,
    InvalidArgumentError,
    LayoutDiffersError,
    LeaseLostError,
    NodeInUseError,
    NodeOutOfRangeError,
    NoEntropyError,
    NoNodeError,
    NoRunDirError,
    NotSupportedError,
    OperatorError,
    OutOfMemoryError,
    RetryError,
    StoreUnreachableError,
    TimeUsedUpError,
)

#: The version of the core inside; the package has the same.
__version__: str = _ffi.string(_lib.flake_version()).decode("ascii")

__all__ = [
    "AgainError",
    "ArgumentTypeError",
    "BadFileError",
    "BadLayoutError",
    "BadTextError",
    "BeforeEpochError",
    "CallerError",
    "CeilingReachedError",
    "ClockFrozenError",
    "ClockRewoundError",
    "ClosedError",
    "DeadlinePassedError",
    "Decoded",
    "ExhaustedError",
    "FORMATS",
    "FlakeError",
    "ForkedError",
    "Generator",
    "Health",
    "IdStr",
    "InvalidArgumentError",
    "Layout",
    "LayoutDiffersError",
    "LeaseLostError",
    "NoEntropyError",
    "NoNodeError",
    "NoRunDirError",
    "NodeFound",
    "NodeInUseError",
    "NodeOutOfRangeError",
    "NotSupportedError",
    "OperatorError",
    "OutOfMemoryError",
    "REASONS",
    "RetryError",
    "Stats",
    "StoreUnreachableError",
    "TimeUsedUpError",
    "bounds",
    "compose",
    "decode",
    "decode_text",
    "encode",
    "errors",
    "node_from",
]
