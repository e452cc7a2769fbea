"""Tool calls in flight: apart from the requests that ask for them.

A request of the SDK is cancelled again at every step until it ends, which would
break off the host's own tidying up. So each call runs in a task of its own, is
cancelled once, and gets a bounded time to end.
"""

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

import anyio

from sparknb.core.protocols import ApprovalRequest, Approver, Decision
from sparknb.core.results import ToolResult
from sparknb.mcp.approval import NoElicitation, OpenQuestion

__all__ = ["CLOSING_SECONDS", "Calls", "Waiting"]

CLOSING_SECONDS = 5.0
_MOST_WAITING = 64

Start = Callable[[Approver], Coroutine[Any, Any, ToolResult]]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call that waits for a person; `ticket` is what the client answers with."""

    ticket: str
    request: ApprovalRequest


@dataclass(frozen=True, slots=True)
class _Parked:
    name: str
    arguments: Mapping[str, Any] | None
    question: OpenQuestion
    task: asyncio.Task[ToolResult]


class Calls:
    """The calls of one connection, those that wait for an answer included."""

    def __init__(self) -> None:
        self._parked: dict[str, _Parked] = {}

    async def run(
        self, start: Start, approver: Approver, gone: asyncio.Event | None = None
    ) -> ToolResult:
        """Carry a call out; cancelling this cancels the call and waits for its end.

        `gone` says that nobody can hear the answer any more, which ends the call too.
        """
        task = asyncio.create_task(start(approver))
        if gone is None:
            return await _result(task)
        leaving = asyncio.create_task(gone.wait())
        try:
            await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await _end(task)
            raise
        finally:
            leaving.cancel()
        if not task.done():
            await _end(task)
            return ToolResult(
                ok=False, text="the client has left", error_code="CANCELLED"
            )
        return task.result()

    async def open(
        self, start: Start, name: str, arguments: Mapping[str, Any] | None
    ) -> ToolResult | Waiting:
        """Carry a call out up to its end, or up to the question for a person."""
        if len(self._parked) >= _MOST_WAITING:
            return await self.run(start, NoElicitation("too many calls are waiting"))
        question = OpenQuestion()
        task = asyncio.create_task(start(question))
        try:
            either: set[asyncio.Future[Any]] = {task, question.asked}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await _end(task)
            raise
        if not question.asked.done():
            return task.result()
        ticket = secrets.token_urlsafe(24)
        self._parked[ticket] = _Parked(name, arguments, question, task)
        # Unanswered, the host gives up after its own time: then the ticket goes too.
        task.add_done_callback(lambda _: self._parked.pop(ticket, None))
        return Waiting(ticket, question.asked.result())

    async def resume(
        self,
        ticket: str,
        decision: Decision,
        name: str,
        arguments: Mapping[str, Any] | None,
    ) -> ToolResult | None:
        """Carry on with the answer; None when no such call waits.

        The person was asked about one call, so an answer that comes with another
        name or other arguments ends the call.
        """
        parked = self._parked.pop(ticket, None)
        if parked is None:
            return None
        if not _is_same(parked, name, arguments):
            await _end(parked.task)
            return None
        parked.question.answer(decision)
        return await _result(parked.task)

    async def close(self) -> None:
        """Cancel what still waits."""
        tasks = [parked.task for parked in self._parked.values()]
        self._parked.clear()
        for task in tasks:
            await _end(task)


def _is_same(parked: _Parked, name: str, arguments: Mapping[str, Any] | None) -> bool:
    return parked.name == name and (parked.arguments or {}) == (arguments or {})


async def _result(task: asyncio.Task[ToolResult]) -> ToolResult:
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await _end(task)
        raise


async def _end(task: asyncio.Task[ToolResult]) -> None:
    task.cancel()
    with anyio.CancelScope(shield=True):
        await asyncio.wait({task}, timeout=CLOSING_SECONDS)
