"""SIGTERM and SIGINT end a server in order: calls first, then the connections."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

__all__ = ["INTERRUPTED", "ended_by_signals"]

INTERRUPTED = 130
"""The exit code after SIGINT."""


@contextmanager
def ended_by_signals(stop: Callable[[], None]) -> Iterator[list[int]]:
    """Call `stop` at SIGTERM and SIGINT; give the signals that came."""
    received: list[int] = []
    loop = asyncio.get_running_loop()

    def end(number: int) -> None:
        received.append(number)
        stop()

    handled: list[signal.Signals] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        # Not in the main thread, or not on this system: the caller handles them.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, end, number)
            handled.append(number)
    try:
        yield received
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
