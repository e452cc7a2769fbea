"""How much of a view a notebook keeps: what is longer is cut, and that is said."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from sparknb.commands.views import (
    Card,
    Cell,
    Code,
    Diff,
    Failure,
    Fields,
    Line,
    Problems,
    ResultView,
    Section,
    Span,
    Stack,
    Table,
    View,
)
from sparknb.commands.words import count
from sparknb.core.problems import Problem

__all__ = [
    "LONGEST_CELL",
    "LONGEST_DOCUMENT",
    "LONGEST_TEXT",
    "MOST_ROWS",
    "bounded",
]

LONGEST_TEXT = 50_000
"""Characters of a text that stands as it is; a result for an agent is shorter."""

LONGEST_CELL = 5_000
"""Characters of one sentence or of one cell of a table."""

MOST_ROWS = 500
"""Rows of a table, lines of a list."""

LONGEST_DOCUMENT = 500_000
"""Characters of a JSON document, about."""

_T = TypeVar("_T")


def bounded(view: View) -> View:
    """Give the same view, or the part of it that fits, with what is left out."""
    return _BOUNDS[type(view)](view)


def _cut(text: str, most: int) -> str:
    left = len(text) - most
    return text if left <= 0 else f"{text[:most]}… ({left:,} more characters)"


def _cell(cell: Cell) -> Cell:
    if isinstance(cell, str):
        return _cut(cell, LONGEST_CELL)
    if isinstance(cell, Span):
        return Span(_cut(cell.text, LONGEST_CELL), cell.tone)
    return tuple(Span(_cut(s.text, LONGEST_CELL), s.tone) for s in cell[:MOST_ROWS])


def _first(
    items: Sequence[_T], noun: str, make: Callable[[Sequence[_T]], View]
) -> View:
    """Give a view of the first items, and below it how many are not shown."""
    left = len(items) - MOST_ROWS
    if left <= 0:
        return make(items)
    said = Span(f"{count(left, f'more {noun}')} left out", "quiet")
    return Stack([make(items[:MOST_ROWS]), Line((said,))])


def _table(view: Table) -> View:
    def make(rows: Sequence[Sequence[Cell]]) -> View:
        return replace(view, rows=[[_cell(cell) for cell in row] for row in rows])

    return _first(view.rows, "row", make)


def _problems(view: Problems) -> View:
    def make(problems: Sequence[Problem]) -> View:
        return replace(view, problems=_short(problems))

    return _first(view.problems, "problem", make)


def _short(problems: Sequence[Problem]) -> Sequence[Problem]:
    return [
        replace(
            p,
            message=_cut(p.message, LONGEST_CELL),
            hint=p.hint and _cut(p.hint, LONGEST_CELL),
        )
        for p in problems
    ]


def _fields(view: Fields) -> View:
    return _first(
        view.rows,
        "value",
        lambda rows: Fields([(_cut(n, LONGEST_CELL), _cell(c)) for n, c in rows]),
    )


def _section(view: Section) -> View:
    return _first(
        view.rows,
        "line",
        lambda rows: Section(view.title, [(_cell(w), _cell(m)) for w, m in rows]),
    )


def _card(view: Card) -> View:
    rows: list[tuple[str, Cell | Fields | Code]] = []
    for name, value in view.rows:
        if isinstance(value, Fields):
            left = len(value.rows) - MOST_ROWS
            inner = [(_cut(n, LONGEST_CELL), _cell(c)) for n, c in value.rows]
            if left > 0:
                more = Span(f"{left:,} left out", "warning")
                inner = [*inner[:MOST_ROWS], ("…", more)]
            rows.append((name, Fields(inner)))
        elif isinstance(value, Code):
            rows.append((name, Code(_cut(value.text, LONGEST_CELL), value.language)))
        else:
            rows.append((name, _cell(value)))
    return Card(_cut(view.title, LONGEST_CELL), rows)


def _diff(view: Diff) -> View:
    def make(lines: Sequence[str]) -> View:
        return Diff([_cut(line, LONGEST_CELL) for line in lines])

    return _first(view.lines, "line", make)


def _text(view: Code) -> View:
    return replace(view, text=_long(view.text))


def _long(text: str) -> str:
    left = len(text) - LONGEST_TEXT
    if left <= 0:
        return text
    return f"{text[:LONGEST_TEXT]}…\n({left:,} more characters left out)"


def _result(view: ResultView) -> View:
    result = view.result

    def make(problems: Sequence[Problem]) -> View:
        short = replace(
            result,
            text=_long(result.text),
            problems=_short(problems),
            printed=_long(result.printed),
        )
        return replace(view, result=short)

    return _first(result.problems, "problem", make)


def _failure(view: Failure) -> View:
    def make(problems: Sequence[Problem]) -> View:
        return replace(
            view,
            message=_cut(view.message, LONGEST_CELL),
            hint=view.hint and _cut(view.hint, LONGEST_CELL),
            problems=replace(view.problems, problems=_short(problems)),
        )

    return _first(view.problems.problems, "problem", make)


def _stack(view: Stack) -> View:
    left = len(view.parts) - MOST_ROWS
    parts = [bounded(part) for part in view.parts[:MOST_ROWS]]
    if left > 0:
        parts.append(Line((Span(f"{count(left, 'more part')} left out", "quiet"),)))
    return Stack(parts)


def _line(view: Line) -> View:
    return replace(view, text=_cell(view.text))


_BOUNDS: Mapping[type[Any], Callable[[Any], View]] = {
    Card: _card,
    Code: _text,
    Diff: _diff,
    Failure: _failure,
    Fields: _fields,
    Line: _line,
    Problems: _problems,
    ResultView: _result,
    Section: _section,
    Stack: _stack,
    Table: _table,
}
