"""The arguments of a call, written in a cell (NB-14)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparknb.core.problems import Problem, under
from sparknb.importers.cell.reading import read_tree
from sparknb.importers.cell.tree import as_json, parts

__all__ = ["CellValues", "read_values"]

_INPUT = "input"
_BODY_LINE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CellValues:
    """Arguments as they are written in a cell.

    Attributes:
        arguments: What the call is given, `{}` where nothing is written.
        problems: What is wrong with the text, at paths such as `input.city`; while
            there is any, the arguments must not be used.
    """

    arguments: Any
    problems: tuple[Problem, ...]
    _lines: Mapping[str, int] = field(repr=False)

    def lines(self, paths: Iterable[str]) -> Mapping[str, int]:
        """Give the line of each path, or of its nearest parent in the cell."""
        return {path: self._line(path) for path in paths}

    def _line(self, path: str) -> int:
        while path and path not in self._lines:
            path = path.rpartition(".")[0]
        return self._lines.get(path, _BODY_LINE)


def read_values(text: str, variables: Mapping[str, str]) -> CellValues:
    """Read the arguments of a call; `variables` are texts for `${name}`."""
    reading = read_tree(text, variables)
    lines: dict[str, int] = {}
    arguments: Any = {}
    if reading.root is not None:
        arguments = as_json(reading.root)
        lines = {_INPUT: reading.root.line}
        lines |= {f"{_INPUT}.{path}": line for path, line, _ in parts(reading.root)}
    problems = under(_INPUT, [found.problem for found in reading.found])
    told: dict[str, int] = {}
    for problem, found in zip(problems, reading.found, strict=True):
        told.setdefault(problem.path, found.line)
    lines |= told
    return CellValues(arguments=arguments, problems=tuple(problems), _lines=lines)
