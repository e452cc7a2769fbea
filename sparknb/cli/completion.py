"""Completion of words that the registry knows."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from sparknb.commands.completion import candidates
from sparknb.commands.context import Context, Question
from sparknb.commands.parser import Complete
from sparknb.commands.table import Argument, Completion, Option
from sparknb.core.errors import SparknbError, UsageError
from sparknb.core.problems import Problem
from sparknb.displays.safe_text import printable

__all__ = ["completer"]


class _Nobody:
    """The front door of a completion: nobody to ask, nothing to read."""

    approver = None

    async def read_input(self, limit: int) -> bytes:
        return b""[:limit]

    async def read_secret(self, name: str) -> str:
        raise UsageError(f"{name}: a completion asks for no secret")

    def variable(self, name: str) -> str:
        raise UsageError(f"{name}: a completion reads no variable")

    async def notify(self, problems: Sequence[Problem]) -> None:
        del problems  # nowhere to show them

    async def confirm(self, question: Question) -> bool:
        raise UsageError(f"{question.title}: a completion asks nothing")


def completer(part: Argument | Option) -> Complete | None:
    """Give the function that typer calls to complete this word."""
    if part.completion is None:
        return None
    kind = part.completion

    def complete(ctx: typer.Context, incomplete: str) -> Sequence[tuple[str, str]]:
        try:
            found = asyncio.run(_ask(kind, _before(ctx)))
        except SparknbError:
            return []  # a person who presses a key wants no error message
        return [
            (word, printable(about))
            for word, about in found
            if word.startswith(incomplete)
        ]

    return complete


def _before(ctx: typer.Context) -> Mapping[str, Any]:
    """Give the words before it; an option without its value keeps them unassigned."""
    known = {name: value for name, value in ctx.params.items() if value is not None}
    return known if not ctx.args else {"id": ctx.args[0]} | known


async def _ask(
    kind: Completion, values: Mapping[str, Any]
) -> Sequence[tuple[str, str]]:
    async with Context(_Nobody()) as context:
        return await candidates(context, kind, values)
