"""An event loop on a thread of its own, for callers that block."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future, wait
from typing import Any, TypeVar

__all__ = ["LoopThread", "cancel_others"]

_T = TypeVar("_T")
_PATIENCE_SECONDS = 5.0  # for the clean-up of an interrupted call


class LoopThread:
    """Runs coroutines for blocking callers, also where a loop runs already.

    A daemon thread: a process that forgets to close it can still end.
    """

    def __init__(self, name: str = "sparknb") -> None:
        self._loop = asyncio.new_event_loop()
        self._closed = False
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine on the loop and wait for it.

        An interrupt (Ctrl-C, kernel interrupt) cancels it and waits up to 5 s for
        its clean-up: connections and children are gone when the interrupt is raised.

        Raises:
            RuntimeError: The handle is closed, or the caller is on the loop itself.
        """
        if threading.current_thread() is self._thread or self._closed:
            coroutine.close()
            where = "a closed handle" if self._closed else "its own loop"
            raise RuntimeError(f"a blocking call on {where}: await the host instead")
        outcome: Future[_T] = Future()
        tasks: list[asyncio.Task[_T]] = []

        def start() -> None:
            task = self._loop.create_task(coroutine)
            tasks.append(task)
            task.add_done_callback(lambda done: _hand_over(done, outcome))

        self._loop.call_soon_threadsafe(start)
        try:
            return outcome.result()
        except (KeyboardInterrupt, SystemExit):
            self._loop.call_soon_threadsafe(lambda: [t.cancel() for t in tasks])
            wait([outcome], _PATIENCE_SECONDS)
            raise

    @property
    def is_closed(self) -> bool:
        """Whether the thread was ended."""
        return self._closed

    def close(self) -> None:
        """Cancel what still runs and end the thread."""
        if self._closed:
            return
        self._closed = True
        ending = asyncio.run_coroutine_threadsafe(cancel_others(), self._loop)
        wait([ending], 2 * _PATIENCE_SECONDS)  # longer than it waits itself
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE_SECONDS)

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
        await asyncio.wait(others, timeout=_PATIENCE_SECONDS)


def _hand_over(task: "asyncio.Task[_T]", outcome: "Future[_T]") -> None:
    if task.cancelled():
        outcome.set_exception(CancelledError())
    elif (error := task.exception()) is not None:
        outcome.set_exception(error)
    else:
        outcome.set_result(task.result())
