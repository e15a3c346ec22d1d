# SPDX-License-Identifier: MIT
"""What the package is measured against: a careful generator in pure Python, and snowflake-id."""
import threading
import time

from snowflake import SnowflakeGenerator

EPOCH_MS = 1_735_689_600_000


class PureGenerator:
    """As one writes it with care: a lock, no repeat, a wait for the next tick, no rewind.

    wide: 24 bits of sequence instead of 12, so that it is never exhausted.
    """

    def __init__(self, node, wide=False):
        self._lock = threading.Lock()
        self._seq_bits = 24 if wide else 12
        self._mask = (1 << self._seq_bits) - 1
        self._node = node << self._seq_bits
        self._shift = self._seq_bits + (2 if wide else 10)
        self._last = -1
        self._sequence = 0

    def next_id(self):
        with self._lock:
            now = time.time_ns() // 1_000_000 - EPOCH_MS
            if now < self._last:
                raise RuntimeError("the clock was set back")
            if now == self._last:
                self._sequence = (self._sequence + 1) & self._mask
                if self._sequence == 0:
                    while now <= self._last:
                        time.sleep(0.0001)
                        now = time.time_ns() // 1_000_000 - EPOCH_MS
            else:
                self._sequence = 0
            self._last = now
            return now << self._shift | self._node | self._sequence


class PeerGenerator:
    """snowflake-id. It gives None when a tick is exhausted; the caller has to try again."""

    def __init__(self, node):
        self._generator = SnowflakeGenerator(node, epoch=EPOCH_MS)

    def next_id(self):
        id = next(self._generator)
        while id is None:
            id = next(self._generator)
        return id
