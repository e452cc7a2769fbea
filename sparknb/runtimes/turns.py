"""Who may run now: programs take turns, those that a program calls have their own.

A program that waits for another one keeps its place. If both came from the same
places, programs that wait could keep out all that they wait for. So each level of
nesting has places of its own: whoever waits, waits only for deeper levels, of which
there are few (ST-59). All runtimes of programs count the same levels.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

__all__ = ["Turns", "deeper", "processors"]

_level: ContextVar[int] = ContextVar("sparknb_level", default=0)


class Turns:
    """Places for programs that run at the same time; belongs to one event loop.

    Args:
        at_once: Places of each level.
    """

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._levels: dict[int, asyncio.Semaphore] = {}

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a place, in order of arrival, and hold it."""
        level = _level.get()
        if level not in self._levels:
            self._levels[level] = asyncio.Semaphore(self._at_once)
        async with self._levels[level]:
            yield


@contextmanager
def deeper() -> Iterator[None]:
    """Count what is called within as one level deeper; around a nested call."""
    token = _level.set(_level.get() + 1)
    try:
        yield
    finally:
        _level.reset(token)


def processors() -> int:
    """Give how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
