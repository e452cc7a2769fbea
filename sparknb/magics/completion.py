"""Completion of the words of a magic: commands, options, tool ids, versions."""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import TimeoutError as TooLateError
from typing import TYPE_CHECKING, Any

from IPython.core.completer import SimpleCompletion

from sparknb.commands.completion import candidates, complete_word
from sparknb.commands.parser import Grammar
from sparknb.commands.table import Completion
from sparknb.core.errors import SparknbError
from sparknb.magics.door import CellDoor
from sparknb.magics.grammar import CELL, LINE
from sparknb.magics.running import SessionContext

if TYPE_CHECKING:
    from sparknb.magics.session import Session

__all__ = ["complete"]

_LINE = re.compile(r"\s*(?:[^\W\d]\w*\s*=\s*)?%spark\s(.*)", re.DOTALL)
_CELL = re.compile(r"%%(spark_\w+\s.*)", re.DOTALL)
_PATIENCE_SECONDS = 3.0
"""Longer nobody waits for a list after a key was pressed."""


def complete(session: "Session", context: Any) -> dict[str, Any]:
    """Give what IPython offers for the word before the cursor."""
    grammar, words = _ours(context)
    if grammar is None:
        return {"completions": []}
    *before, incomplete = _pieces(words)

    def look_up(
        kind: Completion, values: Mapping[str, Any]
    ) -> Sequence[tuple[str, str]]:
        return _found(session, kind, values)

    offered = complete_word(
        grammar.commands, grammar.common, before, incomplete, look_up
    )
    return {
        "completions": [SimpleCompletion(word, type="keyword") for word in offered],
        "matched_fragment": incomplete,
        "ordered": True,
        "suppress": True,
    }


def _ours(context: Any) -> tuple[Grammar | None, str]:
    """Give the grammar of the line with the cursor, and what stands before that."""
    text = context.text_until_cursor
    if (match := _LINE.fullmatch(text)) is not None:
        return LINE, match[1]
    if context.cursor_line == 0 and (match := _CELL.fullmatch(text)) is not None:
        return CELL, match[1]
    return None, ""


def _pieces(words: str) -> list[str]:
    """Give the words so far; the last one is the one that is typed."""
    return re.split(r"\s+", words.lstrip()) if words.strip() else [""]


def _found(
    session: "Session", kind: Completion, values: Mapping[str, Any]
) -> Sequence[tuple[str, str]]:
    """Ask the host, which is opened for it; nothing where it refuses or takes long."""

    async def ask() -> Sequence[tuple[str, str]]:
        door = CellDoor(person=None, body=None, variable=str)
        async with SessionContext(door, session) as context:
            return await candidates(context, kind, values)

    work = session.loop.submit(ask())
    try:
        return work.outcome.result(_PATIENCE_SECONDS)
    except (SparknbError, TooLateError):
        work.cancel()
        return []  # a person who presses a key wants no error message
