"""The outcome of a validation (ST-13)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sparknb.core.definitions import ToolDefinition
from sparknb.core.problems import Problem
from sparknb.core.validation.building import read_definition

__all__ = ["Report", "in_document_order"]

_LAST = 1 << 30


@dataclass(frozen=True)
class Report:
    """All problems of a definition, and its normal form when it can be used.

    Attributes:
        problems: Errors, warnings and notices, in the order of the document.
        normalized: The normal form as JSON (ST-4), None when there is an error.
    """

    problems: tuple[Problem, ...]
    normalized: Mapping[str, Any] | None

    @cached_property
    def definition(self) -> ToolDefinition | None:
        """The definition made of the normal form, None when there is an error."""
        # Who only wants the verdict does not pay for the objects and the digest.
        return None if self.normalized is None else read_definition(self.normalized)

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

    def also(self, problems: Iterable[Problem]) -> "Report":
        """Give the same report with more problems, each at its place.

        An error among them takes the normal form away.
        """
        found = [*self.problems, *problems]
        if len(found) == len(self.problems):
            return self
        is_refused = any(problem.level == "error" for problem in found)
        normalized = None if is_refused else self.normalized
        return Report(tuple(in_document_order(found, self.normalized)), normalized)

    def to_wire(self) -> dict[str, Any]:
        """Give the JSON form `{valid, errors, warnings, normalized?}`."""
        wire: dict[str, Any] = {
            "valid": self.valid,
            "errors": [p.to_wire() for p in self.errors],
            "warnings": [p.to_wire() for p in self.warnings],
        }
        if self.normalized is not None:
            wire["normalized"] = dict(self.normalized)
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
