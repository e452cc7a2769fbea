"""Killing a process at its n-th step, for every n, and looking at what it leaves."""

import os
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, event

__all__ = ["Countdown", "statements_counted", "survives_being_killed_at"]

# Before a statement is after the one before it; tick yourself after the last commit.
_STATEMENT_EVENTS = ("before_cursor_execute", "commit")
_MOST_STEPS = 500


@dataclass
class Countdown:
    """Ends this process with SIGKILL at its `left`-th tick."""

    left: int

    def tick(self, *_: Any, **__: Any) -> None:
        """Count one step; call it before and after anything that may be torn."""
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def statements_counted(countdown: Countdown) -> Iterator[None]:
    """Tick before each SQL statement and before each commit."""
    for name in _STATEMENT_EVENTS:
        event.listen(Engine, name, countdown.tick)
    try:
        yield
    finally:
        for name in _STATEMENT_EVENTS:
            event.remove(Engine, name, countdown.tick)


def survives_being_killed_at(n: int, operation: Callable[[Countdown], None]) -> bool:
    """Run `operation` in a child that is killed at tick `n`; whether it came through.

    The operation gets the countdown, to tick at steps other than SQL statements. It
    has to open its own connections: those of this process are not the child's.

    Raises:
        AssertionError: The operation failed by itself.
    """
    assert n <= _MOST_STEPS, "the operation never ends"
    with warnings.catch_warnings():
        # Python 3.12 warns of threads at a fork; the child uses none of ours.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 1
        try:
            countdown = Countdown(n)
            with statements_counted(countdown):
                operation(countdown)
            status = 0
        finally:
            os._exit(status)  # no clean-up of pytest's things in the child
    _, ended = os.waitpid(child, 0)
    if os.WIFSIGNALED(ended):
        assert os.WTERMSIG(ended) == signal.SIGKILL
        return False
    assert os.waitstatus_to_exitcode(ended) == 0, "the operation failed in the child"
    return True
