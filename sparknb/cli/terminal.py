"""The person at the terminal: input, hidden input, questions."""

import asyncio
import getpass
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from rich.console import Console

from sparknb.cli.approver import TerminalApprover
from sparknb.cli.output import draw
from sparknb.commands.context import Question
from sparknb.commands.views import Problems
from sparknb.core.errors import InvalidInputError, UsageError
from sparknb.core.problems import Problem
from sparknb.displays.cards import question_view

__all__ = ["TerminalDoor", "is_terminal", "notify", "read_line"]

_LONGEST_SECRET = 1 << 20
_LONGEST_LINE = 1 << 20


class TerminalDoor:
    """What the command line lends to a command.

    Questions go to standard error: standard output holds the answer alone.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        is_there = is_terminal(sys.stdin) and is_terminal(sys.stderr)
        self.approver = TerminalApprover(console, read_line) if is_there else None

    async def read_input(self, limit: int) -> bytes:
        """Give standard input, at most `limit` bytes."""
        if sys.stdin is None:
            return b""
        if is_terminal(sys.stdin):
            self._console.print(
                "Reading from the terminal; Ctrl-D ends it.", style="dim"
            )
        return await _aside(lambda: _read(limit))

    async def read_secret(self, name: str) -> str:
        """Give a secret from a hidden prompt, or from standard input.

        Raises:
            InvalidInputError: It is no text.
        """
        try:
            if self.approver is not None:
                return _hidden(f"{name} (hidden): ")
            return (await self.read_input(_LONGEST_SECRET)).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InvalidInputError(
                "the value is no UTF-8 text", path="value"
            ) from None

    def variable(self, name: str) -> str:
        """Give a variable of the notebook, which a terminal has not.

        Raises:
            UsageError: Always.
        """
        del name
        raise UsageError("--var works in a notebook", path="--var")

    async def notify(self, problems: Sequence[Problem]) -> None:
        """Tell it on standard error."""
        notify(self._console, problems)

    async def confirm(self, question: Question) -> bool:
        """Show what would be done and give the answer; anything but yes is no."""
        draw(self._console, question_view(question))
        self._console.print("[y]es or [N]o: ", end="", markup=False)
        answer = await read_line()
        if not answer.endswith("\n"):
            self._console.print()  # the input ended: nobody pressed Enter
        return answer.strip().lower() in ("y", "yes")


def notify(console: Console, problems: Sequence[Problem]) -> None:
    """Tell what is worth knowing beside an answer."""
    if problems:
        draw(console, Problems(problems=problems))


def _hidden(prompt: str) -> str:
    """Ask without showing what is typed; the end of the input is an empty answer."""
    with _interruptible():
        try:
            return getpass.getpass(prompt, stream=sys.stderr)
        except EOFError:
            return ""


def is_terminal(stream: object) -> bool:
    """Whether a person is at the other end of a stream."""
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]  # any text stream has it
    except ValueError:
        return False  # closed


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end a blocking prompt, which asyncio's own handler would not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


async def read_line() -> str:
    """Read one line from the terminal; empty at its end."""
    data = await _aside(lambda: _read(_LONGEST_LINE, until=b"\n"))
    return data.decode("utf-8", "replace")


def _read(limit: int, until: bytes | None = None) -> bytes:
    """Read descriptor 0, below Python's buffers: their lock would stop the exit."""
    data = bytearray()
    while len(data) < limit and not (until and data.endswith(until)):
        try:
            piece = os.read(0, min(65_536, limit - len(data)))
        except OSError:
            break
        if not piece:
            break
        data += piece
    return bytes(data)


async def _aside(read: Callable[[], bytes]) -> bytes:
    """Run a blocking read without blocking the loop.

    It runs in a daemon thread: when the wait is cancelled or expires, the thread is
    left behind and holds nothing up.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[bytes] = loop.create_future()

    def give(data: bytes) -> None:
        if not answer.done():
            answer.set_result(data)

    def work() -> None:
        data = read()
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(give, data)

    threading.Thread(target=work, daemon=True).start()
    return await answer
