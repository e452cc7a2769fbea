"""The person at the terminal: input, hidden input, questions."""

import asyncio
import getpass
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from sparknb.cli.approver import TerminalApprover
from sparknb.cli.card import question_card
from sparknb.commands.context import Question
from sparknb.core.errors import InvalidInputError

__all__ = ["TerminalDoor", "read_line"]

_LONGEST_SECRET = 1 << 20


class TerminalDoor:
    """What the command line lends to a command.

    Questions go to standard error: standard output holds the answer alone.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        is_there = _is_terminal(sys.stdin) and _is_terminal(sys.stderr)
        self.approver = TerminalApprover(console, read_line) if is_there else None

    async def read_input(self, limit: int) -> bytes:
        """Give standard input, at most `limit` bytes."""
        if sys.stdin is None:
            return b""
        if _is_terminal(sys.stdin):
            self._console.print(
                "Reading from the terminal; Ctrl-D ends it.", style="dim"
            )
        with _interruptible():
            return sys.stdin.buffer.read(limit)

    async def read_secret(self, name: str) -> str:
        """Give a secret from a hidden prompt, or from standard input.

        Raises:
            InvalidInputError: It is no text.
        """
        if self.approver is not None:
            with _interruptible():
                return getpass.getpass(f"{name} (hidden): ", stream=sys.stderr)
        data = await self.read_input(_LONGEST_SECRET)
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InvalidInputError(
                "the value is no UTF-8 text", path="value"
            ) from None

    async def confirm(self, question: Question) -> bool:
        """Show what would be done and give the answer; anything but yes is no."""
        self._console.print(question_card(question))
        self._console.print("[y]es or [N]o: ", end="", markup=False)
        answer = await read_line()
        return answer.strip().lower() in ("y", "yes")


def _is_terminal(stream: object) -> bool:
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]  # any text stream has it
    except ValueError:
        return False  # closed


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end a blocking read, which asyncio's own handler would not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


async def read_line() -> str:
    """Read one line from the terminal without blocking the loop; empty at its end.

    The read runs in a daemon thread and below Python's buffers: when the question is
    cancelled or expires, the thread is left behind and stops nothing.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[str] = loop.create_future()

    def give(text: str) -> None:
        if not answer.done():
            answer.set_result(text)

    def read() -> None:
        data = bytearray()
        while not data.endswith(b"\n"):
            try:
                piece = os.read(0, 4096)
            except OSError:
                break
            if not piece:
                break
            data += piece
        try:
            loop.call_soon_threadsafe(give, data.decode("utf-8", "replace"))
        except RuntimeError:
            return  # the loop is closed: nobody waits any more

    threading.Thread(target=read, daemon=True).start()
    return await answer
