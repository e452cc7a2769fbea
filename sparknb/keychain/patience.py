"""Asks something that may never answer, and goes on without it."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

__all__ = ["Patience"]

_T = TypeVar("_T")


class Patience:
    """Runs calls in daemon threads and waits a bounded time for each.

    A keychain may open a window that nobody sees. The call is then left behind, and
    as long as it hangs, no other is begun: they would only queue up behind it, and
    its late write could undo a newer one.

    Args:
        seconds: How long one call may take.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._left_behind: Future[Any] | None = None

    def answer(self, question: Callable[[], _T]) -> "Future[_T]":
        """Give the finished future of the call, with a TimeoutError when it hangs.

        The failure is a value here, so that whoever raises another in its place does
        not carry along the frames it came from: they may hold a secret.
        """
        hanging = self._left_behind
        if hanging is None or hanging.done():
            future: Future[_T] = Future()
            threading.Thread(
                target=_ask,
                args=(question, future),
                name="sparknb-keychain",
                daemon=True,
            ).start()
            try:
                future.exception(timeout=self.seconds)
            except TimeoutError:
                self._left_behind = future
            else:
                return future
        late: Future[_T] = Future()
        late.set_exception(TimeoutError())
        return late


def _ask(question: Callable[[], _T], future: "Future[_T]") -> None:
    try:
        answer = question()
    except BaseException as error:  # noqa: BLE001  # the top of a thread: whoever waits gets it
        future.set_exception(error)
    else:
        future.set_result(answer)
