"""An event loop on a thread of its own, for callers that block."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future, wait
from contextvars import Context, copy_context
from typing import Any, Generic, TypeVar

from sparknb.host.waiting import WaitingThread, waits_with

__all__ = ["PATIENCE_SECONDS", "LoopThread", "Work", "cancel_others"]

_T = TypeVar("_T")
PATIENCE_SECONDS = 5.0
"""How long the clean-up of an interrupted call is waited for."""


class Work(Generic[_T]):
    """A coroutine under way on a loop thread.

    Attributes:
        outcome: What it comes to; a cancelled one ends in `CancelledError`.
    """

    def __init__(
        self,
        coroutine: Coroutine[Any, Any, _T],
        loop: asyncio.AbstractEventLoop,
        context: Context,
    ) -> None:
        self.outcome: Future[_T] = Future()
        self._coroutine = coroutine
        self._loop = loop
        self._task: asyncio.Task[_T] | None = None
        loop.call_soon_threadsafe(self._start, context=context)

    def cancel(self) -> None:
        """Cancel it; `outcome` tells when its clean-up is over. From any thread."""
        self._loop.call_soon_threadsafe(self._cancel)

    def _start(self) -> None:
        self._task = self._loop.create_task(self._coroutine)
        self._task.add_done_callback(lambda task: _hand_over(task, self.outcome))

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()


class LoopThread:
    """Runs coroutines for blocking callers, also where a loop runs already.

    A daemon thread: a process that forgets to close it can still end.
    """

    def __init__(self, name: str = "sparknb") -> None:
        self._loop = asyncio.new_event_loop()
        self._closed = False
        self._closing = threading.Lock()  # work that was let in is ended with the loop
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine on the loop and wait for it.

        While it waits, this thread does what the coroutine asks of it (`waiting.py`).
        An interrupt (Ctrl-C, kernel interrupt) cancels the coroutine and waits up to
        5 s for its clean-up: connections and children are gone when it is raised.

        Raises:
            RuntimeError: The handle is closed, or the caller is on the loop itself.
        """
        thread = WaitingThread()
        work = self._begin(coroutine, waits_with(thread))
        work.outcome.add_done_callback(lambda _: thread.end())
        try:
            thread.serve()
            return work.outcome.result()
        except (KeyboardInterrupt, SystemExit):
            work.cancel()
            wait([work.outcome], PATIENCE_SECONDS)
            raise

    def submit(self, coroutine: Coroutine[Any, Any, _T]) -> Work[_T]:
        """Run a coroutine on the loop without waiting for it.

        Raises:
            RuntimeError: The handle is closed, or the caller is on the loop itself.
        """
        return self._begin(coroutine, copy_context())

    def _begin(self, coroutine: Coroutine[Any, Any, _T], context: Context) -> Work[_T]:
        with self._closing:
            if not (self.is_here or self._closed):
                return Work(coroutine, self._loop, context)
        coroutine.close()
        where = "a closed handle" if self._closed else "its own loop"
        raise RuntimeError(f"a blocking call on {where}: await the host instead")

    @property
    def is_closed(self) -> bool:
        """Whether the thread was ended."""
        return self._closed

    @property
    def is_here(self) -> bool:
        """Whether the caller is on this very thread."""
        return threading.current_thread() is self._thread

    def close(self) -> None:
        """Cancel what still runs and end the thread."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
        ending = asyncio.run_coroutine_threadsafe(cancel_others(), self._loop)
        wait([ending], 2 * PATIENCE_SECONDS)  # longer than it waits itself
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_SECONDS)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()


async def cancel_others() -> None:
    """Cancel all other tasks of the loop, and wait up to 5 s for their clean-up."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=PATIENCE_SECONDS)


def _hand_over(task: "asyncio.Task[_T]", outcome: "Future[_T]") -> None:
    if task.cancelled():
        outcome.set_exception(CancelledError())
    elif (error := task.exception()) is not None:
        outcome.set_exception(error)
    else:
        outcome.set_result(task.result())
