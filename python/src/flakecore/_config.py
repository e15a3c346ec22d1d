# SPDX-License-Identifier: MIT
"""The options of a Generator on their way into the core's config."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal, Mapping, Optional, Tuple, get_args

from flakecore._arguments import INT64_MAX, choice, shown, utf8, whole
from flakecore._layout import Layout, LayoutLike, layout_of, node_number
from flakecore._native import ffi, lib
from flakecore.errors import ArgumentTypeError, InvalidArgumentError, error_of

Mode = Literal["strict", "monotonic"]
ClockSource = Literal["precise", "coarse"]
HostGuard = Literal["on", "unsafe_off"]

MODES: Tuple[str, ...] = get_args(Mode)
CLOCK_SOURCES: Tuple[str, ...] = get_args(ClockSource)
HOST_GUARDS: Tuple[str, ...] = get_args(HostGuard)


@dataclass(frozen=True)
class NodeFound:
    """A node number from the surroundings. text: which source decided, in one sentence."""

    node: int
    text: str


def node_from(chain: str, layout: LayoutLike = "snowflake") -> NodeFound:
    """Finds a node number for a layout.

    chain lists sources, with commas, in the order in which they are asked; the first that is there
    decides: "7" (the number itself), "env:NAME", "file:PATH" (its first line), "hostname-ordinal"
    ("web-3" of a StatefulSet), "ipv4:PREFIX" or "ipv4:PREFIX@eth0" (the bits of the host's private
    address after so many bits of prefix), "random:FLEET" (two of a fleet may get the same one; the
    text says how probable that is). Nothing is looked up in the network.

    NoNodeError: no source is there. NodeOutOfRangeError: the number does not fit.
    InvalidArgumentError: not a chain, a source holds no number, or several addresses are there.
    """
    if not isinstance(chain, str):
        raise ArgumentTypeError(f"chain must be a str, not {shown(chain)}")
    try:
        given = os.fsencode(chain)
    except UnicodeEncodeError:
        raise InvalidArgumentError(f"{shown(chain)} is not a chain of sources") from None
    chars = ffi.new("char[]", lib.FLAKE_NODE_TEXT_SIZE)
    native = layout_of(layout)._native
    node = lib.flake_node_from(given, len(given), native, chars, lib.FLAKE_NODE_TEXT_SIZE)
    text = ffi.string(chars).decode("utf-8", "replace")
    if node < 0:
        raise error_of(node, text or None)
    return NodeFound(node, text)


def _node(node: Any, layout: Layout) -> Tuple[int, str]:
    if node is None:
        return int(lib.FLAKE_UNSET), ""
    if isinstance(node, str):
        found = node_from(node, layout)
        return found.node, found.text
    return node_number(node, layout), ""


def _space(space: Any) -> bytes:
    """What does not fit is left without its NUL; the core refuses it and says what a name is."""
    name = utf8("space", space)
    if b"\0" in name:
        raise InvalidArgumentError(f"space {shown(space)} is not a name; it holds a NUL")
    return name[: lib.FLAKE_SPACE_SIZE]


def _number(name: str, value: Any) -> int:
    """What no int64 can hold is refused here; every other range is the core's to check."""
    number = whole(name, value)
    if -INT64_MAX < number <= INT64_MAX:
        return number
    raise InvalidArgumentError(f"{name} is {shown(number)}; it must lie in 0..{INT64_MAX}")


def config_of(node: Any, layout: Layout, options: Mapping[str, Any]) -> Tuple[Any, str]:
    """The config, and the sentence on where the node came from ("" when it was given)."""
    config = ffi.new("flake_config *")
    status = lib.flake_config_init(config, ffi.sizeof("flake_config"))
    if status < 0:
        raise error_of(status)
    config.layout = layout._native[0]
    config.node, node_text = _node(node, layout)
    config.space = _space(options["space"])
    config.mode = choice("mode", options["mode"], MODES)
    config.clock_source = choice("clock_source", options["clock_source"], CLOCK_SOURCES)
    config.host_guard = choice("host_guard", options["host_guard"], HOST_GUARDS)
    for name in ("max_wait_ms", "seq_spread_bits"):
        setattr(config, name, _number(name, options[name]))
    for name in ("max_lead_ms", "start_floor_ms", "ceiling_ms"):
        if options[name] is not None:
            setattr(config, name, _number(name, options[name]))
    return config, node_text


def explained(config: Any, status: int) -> Optional[str]:
    """The core's sentence on why it did not open a generator with this config."""
    chars = ffi.new("char[]", lib.FLAKE_EXPLAIN_SIZE)
    length = lib.flake_explain(config, status, chars, lib.FLAKE_EXPLAIN_SIZE)
    return ffi.string(chars).decode("utf-8", "replace") if length > 0 else None
