"""What commands show, told by meaning; each front door has its own way to draw it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sparknb.core.problems import Problem
from sparknb.core.results import ToolResult

__all__ = [
    "CELL",
    "Card",
    "Cell",
    "Code",
    "Column",
    "Diff",
    "Failure",
    "Fields",
    "Line",
    "Problems",
    "ResultView",
    "Section",
    "Span",
    "Stack",
    "Table",
    "Tone",
    "View",
]

CELL = "<cell>"
"""Name of the source that a notebook cell is; its lines count the magic's own."""

Tone = Literal["plain", "strong", "quiet", "good", "notice", "warning", "bad"]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text with the weight it has."""

    text: str
    tone: Tone = "plain"


Cell = str | Span | tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence; `mark` says at a glance how it went."""

    text: Cell
    mark: Literal["done", "failed", "warning", "notice", "none"] = "none"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        yields: Terminals leave it out, or cut it where it also wraps, before a row
            of its table needs more than one line.
    """

    title: str
    align: Literal["left", "right"] = "left"
    wraps: bool = False
    yields: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under headings; `empty` is said where there is no row.

    Attributes:
        title: What the table shows; pages name it, terminals do without.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    empty: str = ""


@dataclass(frozen=True, slots=True)
class Fields:
    """Names with their values, one below the other."""

    rows: Sequence[tuple[str, Cell]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problems:
    """All that is wrong with an input.

    Attributes:
        source: Name of the file that `lines` count in, `CELL` for a notebook cell,
            None when there is none.
        lines: Line number of a problem's path, where it is known.
    """

    problems: Sequence[Problem]
    source: str | None = None
    lines: Mapping[str, int] = field(default_factory=dict)

    def place(self, problem: Problem) -> str | None:
        """Give where a problem stands, as in `weather.json:3` or `cell line 3`.

        The line of a program is that of the cell where a cell was read, else that of
        its own text.
        """
        spot = "" if problem.line is None else f"line {problem.line}"
        if spot and problem.column is not None:
            spot += f", column {problem.column}"
        if spot:
            return f"cell {spot}" if self.source == CELL else spot
        line = self.lines.get(problem.path)
        if line is None or self.source is None:
            return None
        return f"cell line {line}" if self.source == CELL else f"{self.source}:{line}"


@dataclass(frozen=True, slots=True)
class Code:
    """Text in a language, shown as it stands."""

    text: str
    language: Literal["json", "text"] = "text"


@dataclass(frozen=True, slots=True)
class Diff:
    """Lines of a unified diff."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class ResultView:
    """What a tool call ended in.

    Attributes:
        shows_request: Whether to show what was sent.
        source: Where the arguments were read, as in `Problems`.
        lines: Line number of a problem's path, where it is known.
    """

    result: ToolResult
    shows_request: bool = False
    source: str | None = None
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def heading(self) -> str:
        """The text of a failure, empty where the list of problems begins with it."""
        text, listed = self.result.text.rstrip("\n"), self.result.problems
        is_told = any(p.path for p in listed) and listed[0].message == text
        return "" if is_told else text

    @property
    def problems(self) -> Problems:
        """What is wrong with the arguments."""
        return Problems(
            problems=self.result.problems, source=self.source, lines=self.lines
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a command did not do its work."""

    code: str
    message: str
    hint: str | None
    path: str
    problems: Problems

    @property
    def listed(self) -> Sequence[Problem]:
        """The problems that say more than `message`: where, or what to do."""
        return [p for p in self.problems.problems if p.path or p.hint]

    @property
    def heading(self) -> str:
        """The message, without the sentence that the list of problems begins with."""
        if not self.listed:
            return self.message
        told = self.problems.problems[0].message
        return "" if self.message == told else self.message.removesuffix(f": {told}")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, and below it words with what they mean."""

    title: str
    rows: Sequence[tuple[Cell, Cell]]


@dataclass(frozen=True, slots=True)
class Card:
    """What a person reads before an answer: a heading, and names with values."""

    title: str
    rows: Sequence[tuple[str, Cell | Fields | Code]]


@dataclass(frozen=True, slots=True)
class Stack:
    """Views one below the other, an empty line between them."""

    parts: Sequence["View"]


View = (
    Card
    | Line
    | Table
    | Fields
    | Problems
    | Code
    | Diff
    | Failure
    | ResultView
    | Section
    | Stack
)
