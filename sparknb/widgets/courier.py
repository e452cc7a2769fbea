"""How a widget has work done by the host, which lives on another thread."""

from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from sparknb.core.errors import ExecutionFailedError, SparknbError

__all__ = ["Courier", "hand_over"]

T = TypeVar("T")


class Courier(Protocol):
    """Carries work to the host's loop and the outcome back to the kernel's."""

    def send(
        self,
        work: Callable[[], Coroutine[Any, Any, T]],
        then: Callable[[T | SparknbError], None],
    ) -> None:
        """Have work done, without waiting for it.

        Args:
            work: Called and awaited on the host's loop thread.
            then: Called once on the kernel's thread, with what the work gave or
                with the failure it raised.
        """
        ...


def hand_over(
    courier: Courier,
    work: Callable[[], Coroutine[Any, Any, T]],
    then: Callable[[T | SparknbError], None],
) -> None:
    """Send work; a host that is closed by now is a failure like any other."""
    try:
        courier.send(work, then)
    except RuntimeError:
        then(
            ExecutionFailedError(
                "sparknb was closed or unloaded meanwhile, and nothing was done",
                hint="run the cell again",
            )
        )
