# SPDX-License-Identifier: MIT
"""What a generator says of itself: health for a probe, stats for a graph."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Tuple, get_args

from flakecore._native import ffi, lib

Level = Literal["ok", "warn", "fail"]
LEVELS: Tuple[Level, ...] = get_args(Level)


def _reason_bits() -> Tuple[Tuple[int, str], ...]:
    """Bit and name of each reason of the core, from its own names: FLAKE_REASON_REWOUND."""
    prefix = "FLAKE_REASON_"
    names = [name for name in dir(lib) if name.startswith(prefix)]
    bits = ((int(getattr(lib, name)), name[len(prefix):].lower()) for name in names)
    return tuple(sorted(bits))


#: The reasons that a Health may give: "rewound", "frozen", "lead", "guard_off", "guard_lost",
#: "expires", "ceiling_near", "pid_checked".
REASONS: Tuple[str, ...] = tuple(name for _, name in _reason_bits())


@dataclass(frozen=True)
class Health:
    """How a generator fares. str() of it is one line, "ok", or "warn: ...; ...".

    level: "ok", "warn" (it issues, but somebody should look at the reasons) or "fail" (next_id
    refuses now). reasons: names out of REASONS. status: the name of what next_id would end with
    now for longer than max_wait_ms, or "ok". wall_ms: what the wall clock reads. rewind_ms: how far
    that is below the highest reading. lead_ms: how far the last ID's tick is ahead of the clock.
    expires_ms, ceiling_ms: the end of the time field, and of the right to issue. Times are Unix ms.
    """

    level: Level
    reasons: Tuple[str, ...]
    status: str
    wall_ms: int
    rewind_ms: int
    lead_ms: int
    expires_ms: int
    ceiling_ms: int
    text: str

    @property
    def ok(self) -> bool:
        """Whether IDs can be had. For a readiness probe: answer 503 when it is False."""
        return self.level != "fail"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Stats:
    """Counters since the generator was first opened, and gauges.

    issued: IDs issued. dropped: numbers burnt, one at each re-opening. exhaustion_waits: waits for
    the next tick's edge. refusals: calls that ended with an error. rewinds: rewinds that were met.
    rewind_max_ms: the largest. lead_ms: how far the last ID is ahead of the clock. wall_high_ms:
    the highest wall time seen, in Unix ms.
    """

    issued: int
    dropped: int
    exhaustion_waits: int
    refusals: int
    rewinds: int
    rewind_max_ms: int
    lead_ms: int
    wall_high_ms: int


def health_of(native: Any) -> Health:
    """A Health from the core's struct."""
    chars = ffi.new("char[]", lib.FLAKE_HEALTH_TEXT_SIZE)
    length = lib.flake_health_text(native, chars, lib.FLAKE_HEALTH_TEXT_SIZE)
    level = LEVELS[native.level]
    return Health(
        level=level,
        reasons=tuple(name for bit, name in _reason_bits() if native.reasons & bit),
        status=ffi.string(lib.flake_status_name(native.status)).decode("ascii"),
        wall_ms=native.wall_ms,
        rewind_ms=native.rewind_ms,
        lead_ms=native.lead_ms,
        expires_ms=native.expires_ms,
        ceiling_ms=native.ceiling_ms,
        text=ffi.string(chars).decode("ascii") if length > 0 else level,
    )


def stats_of(native: Any) -> Stats:
    """A Stats from the core's struct."""
    names = Stats.__dataclass_fields__
    return Stats(**{name: getattr(native, name) for name in names})
