# SPDX-License-Identifier: MIT
"""Forks, other processes of the host, and the end of a process."""
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from conftest import fresh_space

import flakecore
from flakecore import Generator

METHODS = ["fork", "spawn", "forkserver"]
DRAWN = 30_000


def use_inherited(gen, send):
    """In a forked child: every call must be refused, and closing must work."""
    results = []
    for call in (gen.next_id, gen.try_next_id, lambda: gen.next_ids(3), lambda: gen.next_range(3),
                 gen.stats):
        try:
            results.append(call())
        except flakecore.ForkedError as error:
            results.append(str(error))
    gen.close()
    send.send(results)


def draw_anew(space, node, send):
    """In any child: open a generator of its own."""
    try:
        with Generator(node=node, space=space) as gen:
            send.send(gen.next_ids(DRAWN))
    except flakecore.FlakeError as error:
        send.send(error)


def start(method, target, *arguments):
    context = multiprocessing.get_context(method)
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(*arguments, send))
    process.start()
    send.close()
    return process, receive


def result_of(process, receive):
    result = receive.recv()
    process.join()
    assert process.exitcode == 0
    return result


def test_forked_children_are_refused_while_the_parent_goes_on(space):  # S1
    gen = Generator(node=1, space=space)
    first = gen.next_ids(10)
    children = [start("fork", use_inherited, gen) for _ in range(4)]
    ids = gen.next_ids(DRAWN)
    for child in children:
        for result in result_of(*child):
            assert isinstance(result, str) and "open a generator with a node of its own" in result
    assert len(set(first + ids + [gen.next_id()])) == DRAWN + 11


@pytest.mark.parametrize("method", METHODS)
def test_children_with_nodes_of_their_own_never_overlap(space, method):
    with Generator(node=0, space=space) as gen:
        children = [start(method, draw_anew, space, node) for node in (1, 2, 3)]
        ids = gen.next_ids(DRAWN)
        for child in children:
            ids += result_of(*child)
    assert len(set(ids)) == 4 * DRAWN


@pytest.mark.parametrize("method", METHODS)
def test_a_child_cannot_open_the_node_of_its_living_parent(space, method):
    with Generator(node=1, space=space) as gen:
        error = result_of(*start(method, draw_anew, space, 1))
        assert isinstance(error, flakecore.NodeInUseError) and str(os.getpid()) in str(error)
        assert gen.next_id() > 0
    assert len(result_of(*start(method, draw_anew, space, 1))) == DRAWN


def test_a_generator_cannot_be_sent_to_a_process(space):
    gen = Generator(node=1, space=space)
    with pytest.raises(TypeError, match="open one there, with a node of its own"):
        start("spawn", use_inherited, gen)


def fork(work):
    """Runs work() in a forked child; returns the child's exit status."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(work())
        except BaseException:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_child_that_drops_the_inherited_one_leaves_the_parents_open(space):
    gen = Generator(node=1, space=space)
    handed = [gen]

    def work():
        handed.clear()
        nonlocal gen
        del gen
        return 0

    kept = gen
    assert fork(work) == 0
    assert kept.next_id() > 0 and kept.health().ok
    with pytest.raises(flakecore.NodeInUseError):
        subprocess_open(space, 1)


def test_a_grandchild_is_refused_too_and_a_child_can_open_its_own(space):
    gen = Generator(node=1, space=space)

    def refused():
        try:
            gen.next_id()
        except flakecore.ForkedError:
            return 7
        return 0

    def work():
        own = Generator(node=2, space=space)
        own.next_id()
        return 7 if fork(refused) == 7 and refused() == 7 and own.next_id() > 0 else 0

    assert fork(work) == 7


def test_a_fork_while_threads_draw_harms_neither_side(space):
    gen = Generator(node=1, space=space)
    stop = threading.Event()

    def draw():
        while not stop.is_set():
            gen.next_id()

    threads = [threading.Thread(target=draw) for _ in range(2)]
    for thread in threads:
        thread.start()

    def work():
        try:
            gen.next_id()
        except flakecore.ForkedError:
            with Generator(node=2, space=space) as own:
                return 7 if own.next_id() > 0 else 0
        return 0

    try:
        assert [fork(work) for _ in range(10)] == [7] * 10
    finally:
        stop.set()
        for thread in threads:
            thread.join()


# ---- other processes -----------------------------------------------------------------------------


def python(program, *arguments, **options):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def subprocess_open(space, node):
    done = python("""
        import sys, flakecore
        try:
            print(flakecore.Generator(node=int(sys.argv[2]), space=sys.argv[1]).next_id())
        except flakecore.FlakeError as error:
            print(error.code, error)
        """, space, node)
    assert done.returncode == 0 and not done.stderr, done.stderr
    code, _, text = done.stdout.strip().partition(" ")
    if int(code) < 0:
        raise flakecore.errors.error_of(int(code), text)
    return int(code)


def test_a_second_process_gets_node_in_use(space):
    with Generator(node=1, space=space):
        with pytest.raises(flakecore.NodeInUseError, match=f"process {os.getpid()}"):
            subprocess_open(space, 1)
        assert subprocess_open(space, 2) > 0
    assert subprocess_open(space, 1) > 0


def test_stopped_and_started_again_the_ids_go_on(space):  # S6
    ids = [subprocess_open(space, 1) for _ in range(4)]
    assert ids == sorted(set(ids))


def test_kill_frees_the_node(space):
    process = subprocess.Popen(
        [sys.executable, "-c", "import sys, flakecore, time\n"
         "gen = flakecore.Generator(node=1, space=sys.argv[1])\n"
         "print(gen.next_id(), flush=True)\ntime.sleep(60)", space],
        stdout=subprocess.PIPE, text=True)
    first = int(process.stdout.readline())
    with pytest.raises(flakecore.NodeInUseError):
        Generator(node=1, space=space)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with Generator(node=1, space=space) as gen:
        assert gen.next_id() > first


@pytest.mark.parametrize("ending", [
    "", "raise SystemExit(0)", "import threading; threading.Thread(target=work).start()",
    "import threading; threading.Thread(target=work, daemon=True).start()",
    "import atexit; atexit.register(lambda: print(gen.next_id() > 0))",
    "globals()['cycle'] = [gen]; cycle.append(cycle)",
])
def test_the_interpreter_ends_quietly(space, ending):
    done = python(f"""
        import sys, time, flakecore, flakecore.testing
        gen = flakecore.Generator(node=1, space=sys.argv[1])
        other = flakecore.Generator(node=2, space=sys.argv[1] + "t",
                                    clock=flakecore.testing.TestClock(1_750_000_000_000_000_000))
        gen.next_id(), other.next_id()

        def work():
            end = time.monotonic() + 0.2
            while time.monotonic() < end:
                gen.next_id()

        {ending}
        """, space, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_opening_is_quick_and_looks_nothing_up(space):  # S9
    started = time.monotonic()
    Generator(node=1, space=space).close()
    assert time.monotonic() - started < 0.5


def test_the_package_needs_none_of_what_is_optional(space):  # S44
    done = python("""
        import sys
        for name in ("pydantic", "pydantic_core", "numpy", "fastapi", "psycopg", "redis", "etcd3"):
            sys.modules[name] = None
        import flakecore
        gen = flakecore.Generator(node=1, space=sys.argv[1])
        print(flakecore.IdStr(gen.next_id()) == str(0), "asyncio" in sys.modules)
        """, space)
    assert (done.returncode, done.stdout) == (0, "False False\n"), done.stderr


def test_a_run_directory_that_is_not_there_is_an_error_that_says_what_to_do(space, monkeypatch):
    monkeypatch.setenv("FLAKECORE_RUN_DIR", "/nope/nope")
    with pytest.raises(flakecore.NoRunDirError, match="set FLAKECORE_RUN_DIR"):
        Generator(node=1, space=fresh_space())
