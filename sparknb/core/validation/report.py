"""The outcome of a validation (ST-13)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sparknb.core.definitions import ToolDefinition
from sparknb.core.problems import Problem

__all__ = ["Report", "in_document_order"]

_LAST = 1 << 30


@dataclass(frozen=True, slots=True)
class Report:
    """All problems of a definition, and the definition when it can be used.

    Attributes:
        problems: Errors, warnings and notices, in the order of the document.
        definition: The normal form, None when there is an error.
    """

    problems: tuple[Problem, ...]
    definition: ToolDefinition | None

    @property
    def valid(self) -> bool:
        """Whether no problem is an error."""
        return not self.errors

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that refuse the definition."""
        return tuple(p for p in self.problems if p.level == "error")

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The problems that only inform, notices too."""
        return tuple(p for p in self.problems if p.level != "error")

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form `{valid, errors, warnings, normalized?}`."""
        wire: dict[str, Any] = {
            "valid": self.valid,
            "errors": [p.to_wire() for p in self.errors],
            "warnings": [p.to_wire() for p in self.warnings],
        }
        if self.definition is not None:
            wire["normalized"] = dict(self.definition.wire)
        return wire


def in_document_order(problems: Iterable[Problem], tree: Any) -> list[Problem]:
    """Sort by the order of fields, then position; unknown places come last.

    `tree` is the definition as read: its keys stand in the order of the tables.
    """
    return sorted(problems, key=lambda problem: _place(problem.path, tree))


def _place(path: str, tree: Any) -> tuple[int, ...]:
    place = []
    for key in path.split(".") if path else ():
        if isinstance(tree, dict) and key in tree:
            place.append(list(tree).index(key))
            tree = tree[key]
        elif isinstance(tree, list) and key.isdecimal() and int(key) < len(tree):
            place.append(int(key))
            tree = tree[int(key)]
        else:
            place.append(_LAST)
            tree = None
    return tuple(place)
