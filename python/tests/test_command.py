# SPDX-License-Identifier: MIT
"""python -m flakecore: the same options, output and exit status as the command `flake`, to which it
is compared word for word."""
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flakecore import compose, decode

FLAKE = Path(__file__).resolve().parents[2] / "build" / "release" / "flake"
PROGRAM = "python -m flakecore"
DISCORD = "175928847299117063"
NUMBERS = ["7.5", "NaN", "", " 7", "7 ", "0x10", "true", "1e3", "+7", "007", "--7", "-", "-0",
           "7\n", "1_0", "\u0661", "\x1b", "9" * 50, "-1", "1024", "2147483648", "1221865536",
           "9223372036854775807", "9223372036854775808", "-9223372036854775807"]


def run(program, arguments, given=b"", **options):
    done = subprocess.run([*program, *arguments], input=given, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, **options)
    return done.returncode, done.stdout, done.stderr


def package(*arguments, **options):
    return run([sys.executable, "-m", "flakecore"], arguments, **options)


def same(*arguments, given=b""):
    """What both print, when it is the same."""
    assert FLAKE.exists(), "build the release preset first: ci/test does"
    status, out, err = run([FLAKE], arguments, given)
    own_status, own_out, own_err = package(*arguments, given=given)
    own_err = own_err.replace(PROGRAM.encode(), b"flake")
    assert (own_status, own_out, own_err) == (status, out, err)
    return status, out.decode(), err.decode(errors="replace")


WRONG = [
    [], [""], ["nxt"], ["Next"], ["--frob"], ["help", "nxt"], ["next", "--frob"],
    ["next", "--node"], ["next", "--node", "1", "-n"], ["next", "--help=yes"], ["next", "-x"],
    ["next", "--max", "5"], ["next", "--node", "1", "5"], ["decode", "--json=yes", "1"],
    ["decode", "--json", "-yx"], ["decode", "-1"], ["decode", "-\x1b[31m"], ["next"],
    ["next", "--node", "1", "--mode", "loose"], ["next", "--node", "1", "--mode", "monotonic"],
    ["next", "--node", "1", "--format", "HEX"], ["next", "--node", "1", "--layout", "frob"],
    ["next", "--node", "1", "--layout", "discord"], ["next", "--node", "1", "--space", "a/b"],
    ["next", "--node", "1", "--space", ""], ["next", "--node", "1", "--space", "x" * 64],
    ["next", "--node", "1", "--seq-spread-bits", "13"], ["next", "--node", "1", "-n", "-1"],
    ["next", "--node", "1", "--max-wait-ms", "86400001"], ["next", "-h", "--frob"],
    ["next", "--node=70000"], ["next", "--node", "1", "--layout", "41/10/12@4102444800000"],
]


@pytest.mark.once
@pytest.mark.parametrize("arguments", WRONG, ids=repr)
def test_wrong_usage_is_answered_alike(arguments):
    if "-h" not in arguments:
        status, out, err = same(*arguments)
        assert status in (1, 2) and not out and err.count("\n") == 1
    else:
        assert package(*arguments)[0] == 0


@pytest.mark.once
@pytest.mark.parametrize("chain", ["env:NOPE_NOPE", "frob", "8x,7", "1024,", "file:/nope", "env:",
                                   "ipv4:99", "random:0", "random:x", "\u00e9"])
def test_chains_of_sources_are_refused_alike(chain):
    status, out, err = same("next", "--node", chain)
    assert status == 2 and not out and err


def test_a_random_node_says_the_odds():
    status, out, err = package("next", "--node", "random:10", "--space", "py-command")
    assert status == 0 and int(out) > 0 and b" %" in err


@pytest.mark.once
@pytest.mark.parametrize("option", ["--node", "--count", "--max-wait-ms"])
def test_numbers_are_read_alike(option):
    for value in NUMBERS:
        small = value in ("1024", "9223372036854775807", "2147483648", "1221865536")
        if option == "--node" or not small:
            status, _, err = same("next", "--node", "2000", option, value)
            assert status == 2 and err


@pytest.mark.once
@pytest.mark.parametrize("arguments", [
    [DISCORD], ["--layout", "discord", DISCORD], ["--layout", "discord", "--json", DISCORD],
    ["--format", "hex", "0271063330800007", "0x0271063330800007", "0271063330800007x", "1"],
    ["0", "", "-", "1", "18446744073709551615", "18446744073709551616", "0x0271063330800007",
     "07", "7 ", "\x1b", "x" * 100, "9" * 1000],
    ["--layout", "t48n8s8@4102444800000", "18446744073709551615"], ["--", "-1"],
    ["--layout", "43/0/12*10s", "9223372036854775807", "4194304000000000"],
    ["--json", "--layout", "43/0/12*10s", "9223372036854775807"],
    [str(n) for n in range(1, 25)],
    *(["--format", name, "0271063330800007", "0000000000007", "11111111112", "00000000007", "", "x"]
      for name in ("dec", "hex", "base32", "base58", "base62", "base64")),
], ids=repr)
def test_ids_are_decoded_alike(arguments):
    same("decode", *arguments)


@pytest.mark.once
@pytest.mark.parametrize("given", [
    b"", b"\n", b"1\n2\n", b"1\r\n2", b"1\n\nx\n0\n", b"1", b"\xff\n", b"1\x00\n", b"y\n" * 30,
    b"1" * 70_000 + b"\n1\n", b"400000000000000000\n" * 20,
], ids=lambda given: repr(given[:20]))
def test_input_is_read_alike(given):
    same("decode", given=given)


def test_help_says_the_same_in_its_own_name():
    for arguments in (["next", "--help"], ["help", "decode"], ["decode", "-h"]):
        _, out, _ = run([FLAKE], arguments)
        own = re.sub(rb"\bflake (?=next|decode)", PROGRAM.encode() + b" ", out)
        status, words, err = package(*arguments)
        assert (status, words.split(), err) == (0, own.split(), b"")
    assert package("--help") == package("help") == package("-h")
    assert run([FLAKE], ["--version"]) == package("--version")


def test_next_prints_ids_that_rise_and_decode_reads_them():
    status, out, err = package("next", "--node", "7", "-n", "10000", "--space", "py-command")
    ids = [int(line) for line in out.split()]
    assert (status, err, len(set(ids))) == (0, b"", 10_000) and ids == sorted(ids)
    assert {decode(id).node for id in ids} == {7}
    status, out, err = package("decode", given=out)
    assert (status, err, out.count(b"  node 7  sequence ")) == (0, b"", 10_000)
    status, out, _ = package("next", "--node", "7", "--format=hex", "--space", "py-command")
    assert status == 0 and decode(int(out, 16)).node == 7 and len(out) == 17


def test_a_time_in_the_future_is_printed_with_a_warning():
    id = compose(time.time_ns() // 1_000_000 + 3_600_000, 1, 0)
    status, out, err = same("decode", str(id))
    assert status == 0 and "lies in the future" in err and str(id) in out


def test_what_cannot_be_written_is_reported_and_a_closed_pipe_is_not():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([sys.executable, "-m", "flakecore", "decode", "1"], stdout=full,
                              stderr=subprocess.PIPE)
    assert done.returncode == 1 and b"cannot write to standard output: No space" in done.stderr
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-m", "flakecore", "--help"], stdout=write,
                          stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")
