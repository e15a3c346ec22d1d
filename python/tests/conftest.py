# SPDX-License-Identifier: MIT
"""What the tests share: a folder for lock files, a space for each test, a clock."""
import itertools
import os
import tempfile

# Before anything is opened, and for the processes that tests start, which read this file again.
if "FLAKECORE_TESTS_OF" not in os.environ:
    _run_dir = tempfile.TemporaryDirectory(prefix="flakecore-run-")
    os.environ["FLAKECORE_RUN_DIR"] = _run_dir.name
    os.environ["FLAKECORE_TESTS_OF"] = str(os.getpid())

import pytest

from flakecore.testing import TestClock

NOW_MS = 1_750_000_000_000  # 2025-06-15T15:06:40Z, the start of a second
NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000

_numbers = itertools.count()


def fresh_space() -> str:
    """A name that no other space of this process and its children has."""
    return f"py-{os.getpid()}-{next(_numbers)}"


@pytest.fixture
def space():
    return fresh_space()


@pytest.fixture
def clock():
    """At NOW_MS, which is the start of a tick in every layout of these tests."""
    return TestClock(NOW_MS * NS_PER_MS)
