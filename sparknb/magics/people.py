"""Who answers: the person at an input prompt, or the one who clicks on a card."""

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextvars import copy_context
from typing import Any, Protocol, TypeVar

from sparknb.commands.context import Question
from sparknb.core.errors import (
    ApprovalUnavailableError,
    SparknbError,
    ToolCancelledError,
)
from sparknb.core.protocols import ApprovalRequest, Approver, Decision
from sparknb.host.waiting import WaitingThread, waiting_thread
from sparknb.magics import prompts
from sparknb.magics.place import Place

__all__ = ["AtPrompt", "InCell", "Person"]

_T = TypeVar("_T")
_Give = Callable[[_T], None]


class Person(Approver, Protocol):
    """Somebody who can be asked; all questions come from the host's loop."""

    async def confirm(self, question: Question) -> bool:
        """Give the answer to a question."""
        ...

    async def read_secret(self, label: str) -> str:
        """Give a value that is shown nowhere.

        Raises:
            SparknbError: None was given.
        """
        ...


class AtPrompt:
    """The person whose thread waits for the outcome: a prompt of that thread asks.

    A thread that waits for something else, or is not the main one, never prompts.
    """

    def __init__(self, place: Place) -> None:
        self._place = place

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Show the call and give the answer."""
        thread = await self._thread()
        if thread is None:
            return Decision(outcome="unavailable")
        return await thread.do(lambda: prompts.decide(self._place.read, request))

    async def confirm(self, question: Question) -> bool:
        """Show the question and give the answer."""
        thread = await self._thread()
        if thread is None:
            raise nobody("this needs a person's yes")
        return await thread.do(lambda: prompts.confirm(self._place.read, question))

    async def read_secret(self, label: str) -> str:
        """Ask without showing what is typed."""
        thread = await self._thread()
        if thread is None:
            raise nobody(f"{label} is asked for")
        return await thread.do(lambda: self._place.read_hidden(f"{label} (hidden): "))

    async def _thread(self) -> WaitingThread | None:
        thread = waiting_thread()
        if thread is None or not thread.is_main:
            return None
        allows = await thread.do(lambda: self._place.allows_input)
        return thread if allows else None


class InCell:
    """The person before a cell that awaits the outcome: cards in its output ask.

    Made on the kernel's thread, in the cell; its context makes sure that a card stays
    with its cell, whatever else the kernel shows meanwhile.
    """

    def __init__(self, keep: Callable[[Any], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        self._keep = keep
        self.is_interrupted = False

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Show the confirmation card and give the answer."""

        def card(give: _Give[Decision]) -> Any:
            from sparknb.widgets import ConfirmationCard

            return ConfirmationCard(request, give)

        return await self._answer(card)

    async def confirm(self, question: Question) -> bool:
        """Show the question card and give the answer."""

        def card(give: _Give[bool]) -> Any:
            from sparknb.widgets import QuestionCard

            return QuestionCard(question, give)

        return await self._answer(card)

    async def read_secret(self, label: str) -> str:
        """Show the field for a secret value."""

        def field(give: _Give[str | None]) -> Any:
            from sparknb.widgets import SecretPrompt

            return SecretPrompt(label, give)

        value = await self._answer(field)
        if value is None:
            raise ToolCancelledError("no value was given: nothing was stored")
        return value

    async def _answer(self, make: Callable[[_Give[_T]], Any]) -> _T:
        """Show a widget and wait for its one answer; it is closed in any case."""
        answer: Future[_T] = Future()
        shown: list[Any] = []

        def give(value: _T) -> None:
            with contextlib.suppress(InvalidStateError):  # nobody waits any more
                answer.set_result(value)

        def show() -> None:
            from IPython.display import display

            try:
                widget = make(give)
                shown.append(widget)
                self._keep(widget)
                display(widget)  # type: ignore[no-untyped-call]  # IPython's own
            except Exception as error:  # noqa: BLE001  # the one who asked hears of it
                answer.set_exception(error)

        def end() -> None:
            for widget in shown:
                widget.end("cancelled" if self.is_interrupted else "expired")

        self._on_kernel(show)
        try:
            return await asyncio.wrap_future(answer)
        finally:
            self._on_kernel(end)  # a widget that was answered stays as it ended

    def _on_kernel(self, work: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the kernel's loop is closed
            self._loop.call_soon_threadsafe(work, context=self._context)


def nobody(what: str) -> SparknbError:
    """Give the refusal where nobody can be asked."""
    return ApprovalUnavailableError(
        f"{what}, and nobody can be asked here",
        hint="run it where a person can answer",
    )
