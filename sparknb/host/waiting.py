"""A thread that waits for a coroutine, and works for it meanwhile.

A question to the person may have to be asked on the very thread that waits for the
answer's consequences: a kernel's input prompt works on no other. A context variable
carries which thread that is, so that nobody prompts who waits for something else.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import Context, ContextVar, copy_context
from functools import partial
from queue import SimpleQueue
from typing import TypeVar

__all__ = ["WaitingThread", "waiting_thread", "waits_with"]

_T = TypeVar("_T")
_current: ContextVar["WaitingThread | None"] = ContextVar(
    "sparknb_waiting_thread", default=None
)


class WaitingThread:
    """The thread that made this; it does errands until the wait is over.

    Attributes:
        is_main: Whether it is the main thread of the process.
    """

    def __init__(self) -> None:
        self.is_main = threading.current_thread() is threading.main_thread()
        self._errands: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._is_over = False

    def serve(self) -> None:
        """Do errands until `end`; an interrupt is raised, also out of an errand."""
        while (errand := self._errands.get()) is not None:
            errand()

    def end(self) -> None:
        """Let the thread go; called on the loop that it waits for."""
        self._is_over = True
        self._errands.put(None)

    async def do(self, work: Callable[[], _T]) -> _T:
        """Have `work` done by the thread; called on the loop that it waits for.

        Raises:
            RuntimeError: The thread does not wait any more.
        """
        if self._is_over:
            raise RuntimeError("the thread that could be asked has gone on")
        done: Future[_T] = Future()
        self._errands.put(partial(_do, work, done))
        return await asyncio.wrap_future(done)


def waiting_thread() -> WaitingThread | None:
    """Give the thread that waits for the running coroutine, if one does."""
    return _current.get()


def waits_with(thread: WaitingThread) -> Context:
    """Give a context like the current one, in which `thread` is the one that waits."""
    context = copy_context()
    context.run(_current.set, thread)
    return context


def _do(work: Callable[[], _T], done: "Future[_T]") -> None:
    if not done.set_running_or_notify_cancel():
        return  # nobody wants it any more
    try:
        done.set_result(work())
    except Exception as error:  # noqa: BLE001  # it belongs to the one who asked
        done.set_exception(error)
