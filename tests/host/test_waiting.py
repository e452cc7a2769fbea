"""A thread that waits for the host does what the host asks of it meanwhile."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from sparknb.host.loop_thread import LoopThread
from sparknb.host.waiting import WaitingThread, waiting_thread


@pytest.fixture
def loop() -> Iterator[LoopThread]:
    thread = LoopThread()
    yield thread
    thread.close()


def asked() -> WaitingThread:
    thread = waiting_thread()
    assert thread is not None
    return thread


def test_work_is_done_by_the_thread_that_waits(loop: LoopThread) -> None:
    async def ask() -> list[str]:
        names = [await asked().do(lambda: threading.current_thread().name)]
        return [*names, threading.current_thread().name]

    found: list[list[str]] = []
    other = threading.Thread(target=lambda: found.append(loop.run(ask())), name="other")
    other.start()
    assert loop.run(ask()) == ["MainThread", "sparknb"]
    other.join(10)
    assert found == [["other", "sparknb"]]


def test_only_the_main_thread_says_that_it_is(loop: LoopThread) -> None:
    async def ask() -> bool:
        return asked().is_main

    found: list[bool] = []
    other = threading.Thread(target=lambda: found.append(loop.run(ask())))
    other.start()
    other.join(10)
    assert [loop.run(ask()), *found] == [True, False]


def test_a_failure_of_the_work_goes_to_the_one_who_asked(loop: LoopThread) -> None:
    async def ask() -> str:
        try:
            await asked().do(lambda: 1 // 0)
        except ZeroDivisionError:
            return "heard"
        return "not heard"

    assert loop.run(ask()) == "heard"


def test_an_interrupt_of_the_work_ends_the_wait_and_the_coroutine(
    loop: LoopThread,
) -> None:
    ended: list[str] = []

    def interrupted() -> None:
        raise KeyboardInterrupt

    async def ask() -> None:
        try:
            await asked().do(interrupted)
        finally:
            ended.append("cleaned up")

    with pytest.raises(KeyboardInterrupt):
        loop.run(ask())
    assert ended == ["cleaned up"]


def test_nobody_is_asked_who_does_not_wait(loop: LoopThread) -> None:
    late: list[asyncio.Task[str]] = []

    async def ask_later(gone: asyncio.Event) -> str:
        await gone.wait()
        try:
            return await asked().do(lambda: "asked")
        except RuntimeError:
            return "refused"

    async def leave() -> asyncio.Event:
        gone = asyncio.Event()
        late.append(asyncio.create_task(ask_later(gone)))
        return gone

    async def see(gone: asyncio.Event) -> str:
        gone.set()
        return await late[0]

    gone = loop.run(leave())
    assert loop.submit(see(gone)).outcome.result(10) == "refused"

    async def submitted() -> bool:
        return waiting_thread() is None

    assert loop.submit(submitted()).outcome.result(10)


def test_submitted_work_can_be_cancelled(loop: LoopThread) -> None:
    started = threading.Event()

    async def wait() -> None:
        started.set()
        await asyncio.Event().wait()

    work = loop.submit(wait())
    assert started.wait(10)
    work.cancel()
    assert type(work.outcome.exception(10)).__name__ == "CancelledError"
