"""Work of widgets, carried to the host's thread and back."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar

from sparknb.core.errors import (
    ExecutionFailedError,
    SparknbError,
    ToolCancelledError,
)

if TYPE_CHECKING:
    from sparknb.magics.session import Session

__all__ = ["KernelCourier"]

_T = TypeVar("_T")
_log = logging.getLogger("sparknb.magics")


class KernelCourier:
    """Never blocks the kernel's loop: what comes back is called on it later."""

    def __init__(self, session: "Session") -> None:
        self._session = session

    def send(
        self,
        work: Callable[[], Coroutine[Any, Any, _T]],
        then: Callable[[_T | SparknbError], None],
    ) -> None:
        """Have work done on the host's thread, then `then` on the kernel's."""
        loop, context = asyncio.get_running_loop(), copy_context()
        started = self._session.loop.submit(_made(work))

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
