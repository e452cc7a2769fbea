"""Places for programs that run at the same time, level by level."""

import asyncio
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from sparknb.runtimes.turns import Turns, deeper, processors


def test_no_more_run_at_once_than_there_are_places() -> None:
    async def main() -> int:
        turns, running, most = Turns(2), 0, 0

        async def work() -> None:
            nonlocal running, most
            async with turns.turn():
                running += 1
                most = max(most, running)
                await asyncio.sleep(0)
                running -= 1

        await asyncio.gather(*[work() for _ in range(20)])
        return most

    assert asyncio.run(main()) == 2


def test_what_a_program_calls_does_not_wait_for_programs_like_it() -> None:
    async def main() -> list[int]:
        one, other = Turns(1), Turns(1)  # two runtimes, whose programs call each other

        async def work(turns: Turns, levels: int) -> int:
            async with turns.turn():
                if levels == 0:
                    return 1
                with deeper():
                    nested = other if turns is one else one
                    found = [work(nested, levels - 1) for _ in range(2)]
                    return sum(await asyncio.gather(*found))

        async with asyncio.timeout(20):
            calls = [work(one, 4), work(other, 4), work(one, 4), work(other, 4)]
            return list(await asyncio.gather(*calls))

    assert asyncio.run(main()) == [16, 16, 16, 16]


def test_a_place_is_given_back_by_whoever_fails_or_is_cancelled() -> None:
    async def main() -> bool:
        turns = Turns(1)

        async def fail() -> None:
            async with turns.turn():
                raise ValueError

        async def wait() -> None:
            async with turns.turn():
                await asyncio.Event().wait()

        failed = asyncio.create_task(fail())
        waiting = asyncio.create_task(wait())
        behind = asyncio.create_task(wait())
        await asyncio.wait([failed])
        await asyncio.sleep(0)
        behind.cancel()
        waiting.cancel()
        await asyncio.wait([waiting, behind])
        async with asyncio.timeout(20), turns.turn():
            return isinstance(failed.exception(), ValueError)

    assert asyncio.run(main())


def test_levels_end_with_the_nested_call() -> None:
    async def main() -> None:
        turns = Turns(1)
        async with turns.turn():
            with deeper():
                async with turns.turn():
                    pass
            second = asyncio.create_task(turns.turn().__aenter__())
            done, _ = await asyncio.wait([second], timeout=0.01)
            assert not done  # the first level has its one place taken
            second.cancel()
            await asyncio.wait([second])

    asyncio.run(main())


@pytest.mark.skipif(sys.platform != "linux", reason="others have no such mask")
def test_only_the_processors_that_we_may_use_are_counted() -> None:
    def on_one_processor() -> int:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # of this thread
        return processors()

    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(on_one_processor).result(timeout=20) == 1
