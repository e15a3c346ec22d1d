# SPDX-License-Identifier: MIT
"""Times the calls with pyperf; python/bench/run does it once a round.

Batches are drawn in monotonic mode, so that no layout caps them. "per call" is in the name of what
is not counted for each ID. FLAKE_ORDER decides the order, the same in all of pyperf's processes.
"""
import asyncio
import os
import random
import threading
from array import array

import pyperf
from peers import PeerGenerator, PureGenerator

from flakecore import Generator

N = 1000
BIG = 253_479_419_526_516_736


def two_threads(loops, make):
    """Seconds for loops IDs of each of two threads that share one generator."""
    next_id = make().next_id

    def work():
        for _ in range(loops // 2):
            next_id()

    threads = [threading.Thread(target=work) for _ in range(2)]
    start = pyperf.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return pyperf.perf_counter() - start


def in_tasks(loops, gen):
    async def main():
        start = pyperf.perf_counter()
        for _ in range(loops):
            await gen.next_id_async()
        return pyperf.perf_counter() - start

    return asyncio.run(main())


SPACE = f"bench-{os.getpid()}"  # pyperf's first process runs this file as well as the others


def wide():
    """Strict, 16,777,216 IDs a second."""
    return Generator(node=1, layout="32/2/24*1s", space=SPACE, max_wait_ms=3000)


def endless():
    return Generator(node=1, layout="30/1/32*1s", space=SPACE + "-batches", mode="monotonic",
                     max_lead_ms=86_400_000)


def main():
    runner = pyperf.Runner()
    one, many, buffer = wide(), endless(), array("q", bytes(8 * N))
    one.next_id(), many.next_id()
    names = {"gen": one, "many": many, "buffer": buffer, "pure": PureGenerator(1, wide=True),
             "peer": PeerGenerator(1), "B": BIG, "N": N}

    timed = [
        ("next_id", "gen.next_id()", 1),
        ("pure", "pure.next_id()", 1),
        ("snowflake-id", "peer.next_id()", 1),
        ("next_id_str", "gen.next_id_str()", 1),
        ("next_ids(1000)", "many.next_ids(N)", N),
        ("list(range(1000))", "list(range(N))", N),
        ("list(range(1000, 2000))", "list(range(N, 2 * N))", N),
        ("list(range(id, id + 1000))", "list(range(B, B + N))", N),
        ("fill 1000", "many.fill(buffer)", N),
        ("next_range(1000), per call", "many.next_range(N)", 1),
    ]
    random.Random(os.environ.get("FLAKE_ORDER", "")).shuffle(timed)
    for name, statement, ids in timed:
        runner.timeit(name, statement, globals=names, inner_loops=ids)
    runner.bench_time_func("next_id_async", in_tasks, one)
    runner.bench_time_func("next_id, two threads", two_threads, wide)
    runner.bench_time_func("pure, two threads", two_threads, lambda: PureGenerator(1, wide=True))


if __name__ == "__main__":
    main()
