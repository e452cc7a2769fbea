"""A view with other words: what we say changes, what tools and files say does not."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

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
from sparknb.core.problems import Problem

__all__ = ["renamed"]

Change = Callable[[str], str]


def renamed(view: View, change: Change) -> View:
    """Give the view with every sentence and name put through `change`.

    Codes and paths stay, since people look them up; so do code, diffs and the text
    of a result, which are not ours.
    """
    return _RENAMERS[type(view)](view, change)


def _cell(cell: Cell, change: Change) -> Cell:
    if isinstance(cell, str):
        return change(cell)
    if isinstance(cell, Span):
        return Span(change(cell.text), cell.tone)
    return tuple(Span(change(span.text), span.tone) for span in cell)


def _fields(view: Fields, change: Change) -> Fields:
    return Fields([(change(name), _cell(cell, change)) for name, cell in view.rows])


def _card(view: Card, change: Change) -> View:
    rows: list[tuple[str, Cell | Fields | Code]] = []
    for name, value in view.rows:
        if isinstance(value, Fields):
            rows.append((change(name), _fields(value, change)))
        elif isinstance(value, Code):
            rows.append((change(name), value))
        else:
            rows.append((change(name), _cell(value, change)))
    return Card(change(view.title), rows)


def _line(view: Line, change: Change) -> View:
    return replace(view, text=_cell(view.text, change))


def _table(view: Table, change: Change) -> View:
    return Table(
        columns=[replace(c, title=change(c.title)) for c in view.columns],
        rows=[[_cell(cell, change) for cell in row] for row in view.rows],
        title=change(view.title),
        empty=change(view.empty),
    )


def _problem(problem: Problem, change: Change) -> Problem:
    hint = None if problem.hint is None else change(problem.hint)
    return replace(problem, message=change(problem.message), hint=hint)


def _problems(view: Problems, change: Change) -> Problems:
    return replace(view, problems=[_problem(p, change) for p in view.problems])


def _result(view: ResultView, change: Change) -> View:
    result = view.result
    hint = None if result.hint is None else change(result.hint)
    problems = [_problem(p, change) for p in result.problems]
    return replace(view, result=replace(result, hint=hint, problems=problems))


def _failure(view: Failure, change: Change) -> View:
    return replace(
        view,
        message=change(view.message),
        hint=None if view.hint is None else change(view.hint),
        problems=_problems(view.problems, change),
    )


def _section(view: Section, change: Change) -> View:
    rows = [(_cell(w, change), _cell(m, change)) for w, m in view.rows]
    return Section(change(view.title), rows)


def _stack(view: Stack, change: Change) -> View:
    return Stack([renamed(part, change) for part in view.parts])


def _unchanged(view: View, change: Change) -> View:
    del change
    return view


_RENAMERS: Mapping[type[Any], Callable[[Any, Change], View]] = {
    Card: _card,
    Code: _unchanged,
    Diff: _unchanged,
    Failure: _failure,
    Fields: _fields,
    Line: _line,
    Problems: _problems,
    ResultView: _result,
    Section: _section,
    Stack: _stack,
    Table: _table,
}
