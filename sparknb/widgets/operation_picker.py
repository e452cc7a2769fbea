"""The list that picks operations of an API description (ST-100)."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, ClassVar

import traitlets

from sparknb.commands.offers import Choice, Choices
from sparknb.commands.views import Cell, Column, Line, Span, Stack, Table
from sparknb.commands.words import count
from sparknb.core.errors import SparknbError
from sparknb.displays import in_notebook, to_text
from sparknb.displays.safe_text import printable
from sparknb.host import Host
from sparknb.host.imports import Accepted
from sparknb.widgets.assets import module, stylesheet
from sparknb.widgets.courier import Courier, hand_over
from sparknb.widgets.messages import Message
from sparknb.widgets.panel import Panel

__all__ = ["OperationPicker"]

_LONGEST = 200  # characters of one text; a description may hold thousands of them
_MOST_LISTED = 10
_MOST_SECRETS = 3


class OperationPicker(Panel):
    """Shows every operation, and has the picked ones saved as drafts.

    What was made of the operations stays in the kernel; the page names them by their
    number. Drafts change nothing that an agent can call.
    """

    _esm: ClassVar[str] = module("operation_picker")
    _css: ClassVar[str] = stylesheet("operation_picker")

    title = traitlets.Unicode().tag(sync=True)
    items = traitlets.List(traitlets.Dict()).tag(sync=True)
    saved = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        open_host: Callable[[], Awaitable[Host]],
        choices: Choices,
        courier: Courier,
    ) -> None:
        self._open_host = open_host
        self._choices = choices.items
        self._courier = courier
        self._is_busy = False
        named = choices.title or "API description"
        super().__init__(
            title=_short(f"Import from {named}"),
            items=[_item(each) for each in choices.items],
        )

    def _text(self) -> str:
        """Give the operations as a table; those that were saved say so."""
        rows: list[Sequence[Cell]] = []
        for index, each in enumerate(self._choices):
            stands = self.saved.get(str(index))
            state: Cell = Span(each.against, "quiet") if each.against else ""
            if stands:
                state = Span(f"saved as {stands}", "good")
            rows.append((each.operation, f"{each.tokens:,}", state))
        columns = (Column("OPERATION"), Column("TOKENS", "right"), Column("STATE"))
        table = Table(title="Operations", columns=columns, rows=rows)
        step = "%spark import openapi SOURCE --operation OP --save keeps one"
        return to_text(Stack([Line(self.title), table, Line(step)]))

    # ----------------------------------------------------------------- messages
    def _answer(self, message: Message) -> bool:
        if message.kind != "import" or message.buffers or self._is_busy:
            return False
        if not message.has_exactly("chosen"):
            return False
        chosen = self._chosen(message.fields["chosen"])
        if chosen is None:
            return False
        self._is_busy = True
        hand_over(
            self._courier,
            lambda: self._accept(chosen),
            lambda outcome: self._accepted(message, chosen, outcome),
        )
        return True

    def _chosen(self, given: object) -> list[int] | None:
        """Give the numbers of a message, None when they are not all to be had."""
        if not isinstance(given, list) or not 0 < len(given) <= len(self._choices):
            return None
        numbers = [n for n in given if isinstance(n, int) and not isinstance(n, bool)]
        if len(numbers) != len(given) or len(set(numbers)) != len(numbers):
            return None
        return numbers if all(map(self._is_open, numbers)) else None

    def _is_open(self, number: int) -> bool:
        if not 0 <= number < len(self._choices) or str(number) in self.saved:
            return False
        return self._choices[number].definition is not None

    async def _accept(self, chosen: Sequence[int]) -> Accepted:
        host = await self._open_host()
        definitions = [self._choices[number].definition or {} for number in chosen]
        return await host.imports.accept(definitions, origin="local")

    def _accepted(
        self, message: Message, chosen: Sequence[int], outcome: Accepted | SparknbError
    ) -> None:
        self._is_busy = False
        if isinstance(outcome, SparknbError):
            text = printable(in_notebook(outcome.message))
            hint = printable(in_notebook(outcome.hint or ""))
            self._reply(message, kind="wrong", text=text, hint=hint)
            return
        there = {tool.id for tool in outcome.saved}
        kept = [n for n in chosen if _id(self._choices[n]) in there]
        self.saved = {**self.saved, **{str(n): _id(self._choices[n]) for n in kept}}
        taken = [skip.id for skip in outcome.skipped]
        left = f"{_listed(taken)}: the id is taken, run the cell again" if taken else ""
        self._reply(
            message,
            kind="saved",
            count=len(outcome.saved),
            left=printable(left),
            steps=list(map(printable, _steps([self._choices[n] for n in kept]))),
        )


def _steps(kept: Sequence[Choice]) -> list[str]:
    """Give the lines that set what the new drafts need, try one and publish it."""
    if not kept:
        return []
    wanted = [(_id(each), name) for each in kept for name in each.secrets]
    steps = [f"%spark secret set {i} {name}" for i, name in wanted[:_MOST_SECRETS]]
    more = len(wanted) - len(steps)
    if more:
        steps.append(f"# and {count(more, 'more secret')}: %spark secret status ID")
    first = _id(kept[0])
    return [*steps, f"%spark test {first}", f"%spark publish {first}"]


def _listed(ids: Sequence[str]) -> str:
    rest = len(ids) - _MOST_LISTED
    shown = ", ".join(ids[:_MOST_LISTED])
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def _id(choice: Choice) -> str:
    return str((choice.definition or {}).get("id", ""))


def _item(choice: Choice) -> dict[str, Any]:
    return {
        "operation": _short(choice.operation),
        "id": _id(choice),
        "summary": _short(choice.summary),
        "tags": [_short(tag) for tag in choice.tags],
        "isDeprecated": choice.is_deprecated,
        "tokens": choice.tokens,
        "against": _short(choice.against),
        "notices": [_short(notice) for notice in choice.notices[:_MOST_LISTED]],
        "secrets": [_short(name) for name in choice.secrets],
    }


def _short(text: str) -> str:
    shown = printable(" ".join(text.split()))
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
