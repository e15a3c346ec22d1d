# SPDX-License-Identifier: MIT
"""next_id_async: the same IDs, without blocking the event loop."""
import asyncio
import random
import time

import pytest

import flakecore
from flakecore import Generator


def test_tasks_get_ids_that_differ(space):
    async def main():
        with Generator(node=1, space=space) as gen:
            async def work():
                return [await gen.next_id_async() for _ in range(500)]

            lists = await asyncio.gather(*(work() for _ in range(20)))
        assert all(ids == sorted(ids) for ids in lists)
        return {id for ids in lists for id in ids}

    assert len(asyncio.run(main())) == 10_000


def test_the_loop_goes_on_while_a_call_waits(space):
    async def main():
        gen = Generator(node=1, space=space, layout="32/10/1*1s", max_wait_ms=3000)
        longest = 0.0

        async def tick():
            nonlocal longest
            while True:
                started = time.monotonic()
                await asyncio.sleep(0.005)
                longest = max(longest, time.monotonic() - started)

        ticker = asyncio.ensure_future(tick())
        ids = [await gen.next_id_async() for _ in range(3)]
        ticker.cancel()
        assert len(set(ids)) == 3
        return longest

    assert asyncio.run(main()) < 0.5


def test_a_cancelled_call_loses_no_id_and_leaves_the_generator_sound(space):
    async def main():
        gen = Generator(node=1, space=space, layout="32/10/1*1s", max_wait_ms=3000)
        await gen.next_id_async()
        issued = gen.stats().issued
        await gen.next_id_async()
        for _ in range(5):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(gen.next_id_async(), 0.01)
        assert gen.stats().issued <= issued + 3  # a tick may have begun meanwhile
        assert await gen.next_id_async() > 0

    asyncio.run(main())


def test_it_waits_on_the_test_clock_and_fails_as_next_id_does(space, clock):
    async def main():
        gen = Generator(node=1, space=space, layout="41/10/2", clock=clock, max_wait_ms=5)
        ids = [await gen.next_id_async() for _ in range(9)]
        clock.set_rate(0)
        with pytest.raises(flakecore.ClockFrozenError):
            for _ in range(9):
                ids.append(await gen.next_id_async())
        gen.close()
        with pytest.raises(flakecore.ClosedError):
            await gen.next_id_async()
        assert len(set(ids)) == len(ids) == 12

    asyncio.run(main())


def test_closing_while_a_call_waits_ends_it(space):
    async def main():
        gen = Generator(node=1, space=space, layout="32/10/1*10s", max_wait_ms=20_000)
        twin = Generator(node=1, space=space, layout="32/10/1*10s", max_wait_ms=20_000)
        waiting = asyncio.ensure_future(gen.next_id_async())
        await asyncio.sleep(0.01)
        gen.close()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert twin.try_next_id() is None or not twin.closed

    asyncio.run(main())


def test_tasks_that_wait_are_served_in_the_order_in_which_they_came(space):
    async def main():
        gen = Generator(node=1, space=space, layout="41/20/2", max_wait_ms=60_000)
        order = []

        async def work(i):
            order.append((i, await gen.next_id_async()))

        tasks = [asyncio.ensure_future(work(i)) for i in range(500)]
        await asyncio.sleep(0.01)  # some are served, and others come while many wait
        tasks += [asyncio.ensure_future(work(i)) for i in range(500, 1000)]
        await asyncio.gather(*tasks)
        assert [i for i, _ in order] == list(range(1000))
        assert [id for _, id in order] == sorted({id for _, id in order})
        assert gen._lines == {}

    asyncio.run(main())


def test_the_deadline_counts_from_the_call_also_in_the_line(space, clock):
    async def main():
        gen = Generator(node=1, space=space, layout="41/10/2", clock=clock, max_wait_ms=50)
        for _ in range(4):
            gen.next_id()
        clock.set_rate(0)
        began = clock.monotonic_ns()
        tasks = [asyncio.ensure_future(gen.next_id_async()) for _ in range(100)]
        errors = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(error) for error in errors} == {flakecore.ClockFrozenError}
        assert clock.monotonic_ns() - began < 2 * 50_000_000

    asyncio.run(main())


def test_those_in_line_behind_a_cancelled_task_go_on(space):
    async def main():
        gen = Generator(node=1, space=space, layout="32/10/1*1s", max_wait_ms=5000)
        tasks = [asyncio.ensure_future(gen.next_id_async()) for _ in range(8)]
        await asyncio.sleep(0.01)
        for task in tasks[::2]:
            task.cancel()
        ids = await asyncio.gather(*tasks[1::2])
        assert len(set(ids)) == 4 and gen._lines == {}

    asyncio.run(main())


def test_no_task_is_forgotten_however_others_are_cancelled(space):
    async def main():
        gen = Generator(node=1, space=space, layout="41/20/2", max_wait_ms=60_000)
        for seed in range(40):
            chance = random.Random(seed)
            tasks = [asyncio.ensure_future(gen.next_id_async()) for _ in range(30)]
            for task in chance.sample(tasks, 15):
                task.cancel()
                await asyncio.sleep(chance.choice([0, 0, 0.0005]))
            results = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 60)
            ids = [result for result in results if isinstance(result, int)]
            assert len(set(ids)) == len(ids) >= 15 and gen._lines == {}, seed

    asyncio.run(main())


def test_async_iteration(space):
    async def main():
        ids = []
        with Generator(node=1, space=space) as gen:
            async for id in gen:
                ids.append(id)
                if len(ids) == 100:
                    return ids

    ids = asyncio.run(main())
    assert ids == sorted(set(ids))
