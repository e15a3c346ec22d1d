# SPDX-License-Identifier: MIT
"""Draws IDs of the default layout as fast as they can be had, then looks for repeats.

usage: saturated.py [SECONDS]    prints JSON: for each generator the share of 4,096 IDs per ms that
it gave and its CPU time for each ID in ns; and for each way of use the IDs that were there twice
"""
import json
import sys
import threading
import time

from peers import PeerGenerator, PureGenerator

from flakecore import Generator

MOST_PER_S = 4_096_000
DRAWN = 40_000


def ours(node=1):
    return Generator(node=node, space="bench-saturated")


def saturated(next_id, seconds):
    """Share of what the layout allows in percent, and CPU for each ID in ns."""
    count = 0
    cpu, start = time.process_time(), time.perf_counter()
    end = start + seconds
    while time.perf_counter() < end:
        for _ in range(1000):
            next_id()
        count += 1000
    elapsed, cpu = time.perf_counter() - start, time.process_time() - cpu
    return {"rate": 100 * count / elapsed / MOST_PER_S, "cpu": 1e9 * cpu / count}


def batches(gen, seconds):
    """The same, by next_ids(1000)."""
    count = 0
    cpu, start = time.process_time(), time.perf_counter()
    while time.perf_counter() < start + seconds:
        count += len(gen.next_ids(1000))
    elapsed, cpu = time.perf_counter() - start, time.process_time() - cpu
    return {"rate": 100 * count / elapsed / MOST_PER_S, "cpu": 1e9 * cpu / count}


# ---- repeats -------------------------------------------------------------------------------------


def repeats(ids):
    return len(ids) - len(set(ids))


def from_threads(make):
    """Eight threads share one generator, and change place as often as can be."""
    gen, lists = make(), [[] for _ in range(8)]

    def work(ids):
        ids.extend(gen.next_id() for _ in range(DRAWN // 8))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=work, args=(ids,)) for ids in lists]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(before)
    return repeats([id for ids in lists for id in ids])


def from_new_ones(make):
    """A new generator for each ID."""
    return repeats([make().next_id() for _ in range(1000)])


def from_two(make):
    """Two parts of a program make a generator of the same node each."""
    first, second = make(), make()
    return repeats([gen.next_id() for _ in range(1000) for gen in (first, second)])


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    makers = {"flakecore": ours, "pure": lambda: PureGenerator(1),
              "snowflake-id": lambda: PeerGenerator(1)}
    result = {"saturated": {}, "repeats": {}}
    for name, make in makers.items():
        result["saturated"][name] = saturated(make().next_id, seconds)
        result["repeats"][name] = {"eight threads": from_threads(make),
                                   "a new one for each ID": from_new_ones(make),
                                   "two of one node": from_two(make)}
    result["saturated"]["flakecore, next_ids"] = batches(ours(), seconds)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
