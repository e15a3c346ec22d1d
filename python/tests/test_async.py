# SPDX-License-Identifier: MIT
"""next_id_async: the same IDs, without blocking the event loop."""
import asyncio
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
