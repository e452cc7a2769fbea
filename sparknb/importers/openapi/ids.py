"""Ids of tools, made of operation ids and paths (ST-101)."""

import hashlib
import re
from collections.abc import Callable
from typing import Any

from sparknb.core.validation import validate
from sparknb.importers.free_ids import LONGEST_ID, numbered
from sparknb.importers.openapi.model import Operation

__all__ = ["Ids", "proposed_id"]

_SHORTEST_ID = 3
_CAMEL_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OTHER = re.compile(r"[^A-Za-z0-9]+")


def proposed_id(operation: Operation) -> str:
    """Give the id that an operation has where nothing else has it."""
    named = _text(operation.node.get("operationId"))
    slug = _slug(named or f"{operation.method.lower()} {operation.path}")
    if not slug:
        digest = hashlib.sha256(operation.name.encode("utf-8", "surrogatepass"))
        return f"op_{digest.hexdigest()[:8]}"
    if not slug[0].isalpha():
        slug = f"op_{slug}"
    if len(slug) < _SHORTEST_ID:
        slug = f"{slug}_op"
    return slug[:LONGEST_ID]


def _text(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)  # YAML reads an unquoted number as one
    return value if isinstance(value, str) else ""


def _slug(text: str) -> str:
    # More than this cannot reach an id of 64 characters, save by endless signs.
    words = _CAMEL_BORDER.sub("_", text[:4000])
    return _OTHER.sub("_", words).strip("_").lower()


class Ids:
    """Gives each operation of a batch an id of its own."""

    def __init__(self, is_taken: Callable[[str], bool]) -> None:
        self._is_taken = is_taken
        self._given: set[str] = set()
        self._next: dict[str, int] = {}  # so that a thousand namesakes stay cheap

    def propose(self, operation: Operation) -> str:
        """Give the next free id for an operation; it is not taken yet."""
        base = proposed_id(operation)
        if base not in self._next and not self._is_used(base):
            return base
        number = self._next.get(base, 2)
        while self._is_used(numbered(base, number)):
            number += 1
        self._next[base] = number
        return numbered(base, number)

    def take(self, tool_id: str) -> None:
        """Keep an id for the draft that has it."""
        self._given.add(tool_id)

    def _is_used(self, tool_id: str) -> bool:
        return (
            tool_id in self._given or _is_reserved(tool_id) or self._is_taken(tool_id)
        )


def _is_reserved(tool_id: str) -> bool:
    """Tell whether the validator refuses the id; those it does begin with `tools_`."""
    return tool_id.startswith("tools_") and any(
        problem.path == "id" for problem in validate({"id": tool_id}).errors
    )
