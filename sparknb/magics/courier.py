"""Work of widgets, carried to the host's thread and back."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextvars import copy_context
from typing import Any, TypeVar

from sparknb.core.errors import (
    ExecutionFailedError,
    SparknbError,
    ToolCancelledError,
)
from sparknb.host.loop_thread import LoopThread

__all__ = ["KernelCourier"]

_T = TypeVar("_T")
_log = logging.getLogger("sparknb.magics")


class KernelCourier:
    """Never blocks the kernel's loop: what comes back is called on it later.

    It goes to the thread of one host and to no later one: a widget that outlives its
    host, as after `%spark home`, must not write into a home that was left.
    """

    def __init__(self, thread: LoopThread) -> None:
        self._thread = thread

    def send(
        self,
        work: Callable[[], Coroutine[Any, Any, _T]],
        then: Callable[[_T | SparknbError], None],
    ) -> None:
        """Have work done on the host's thread, then `then` on the kernel's."""
        loop, context = asyncio.get_running_loop(), copy_context()
        started = self._thread.submit(_made(work))

        def back(outcome: "Future[_T]") -> None:
            if not loop.is_closed():
                found = _given(outcome)
                loop.call_soon_threadsafe(then, found, context=context)

        started.outcome.add_done_callback(back)


async def _made(work: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
    """Make the coroutine on the host's thread too."""
    return await work()


def _given(outcome: "Future[_T]") -> _T | SparknbError:
    try:
        return outcome.result()
    except SparknbError as error:
        return error
    except (CancelledError, asyncio.CancelledError):
        return ToolCancelledError("the host was closed meanwhile: nothing was done")
    except Exception as error:  # noqa: BLE001  # a widget waits for an answer in any case
        _log.exception("the work of a widget failed")
        kind = type(error).__name__
        return ExecutionFailedError(f"sparknb itself failed ({kind}): see the log")
