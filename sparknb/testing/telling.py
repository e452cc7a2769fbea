"""The report of a check for people."""

from collections.abc import Mapping
from typing import Literal

from sparknb.commands.views import Code, Line, Span, Stack, View
from sparknb.commands.words import count
from sparknb.testing.report import (
    CellReport,
    CheckReport,
    NotebookReport,
    Verdict,
)

__all__ = ["check_view"]

_MARKS: Mapping[Verdict, Literal["done", "failed", "notice"]] = {
    "passed": "done",
    "failed": "failed",
    "skipped": "notice",
}


def check_view(report: CheckReport) -> View:
    """Give one line a notebook, the failed cells with why, and the sum."""
    parts: list[View] = []
    for notebook in report.notebooks:
        parts += _notebook(notebook)
    parts.append(_sum(report))
    return Stack(parts)


def _notebook(notebook: NotebookReport) -> list[View]:
    outcomes = [cell.outcome for cell in notebook.cells]
    counted = ", ".join(
        f"{outcomes.count(outcome)} {outcome}"
        for outcome in ("passed", "failed", "skipped")
        if outcome in outcomes
    )
    line = (Span(notebook.path, "strong"), Span(f": {notebook.message or counted}"))
    parts: list[View] = [Line(line, _MARKS[notebook.outcome])]
    for cell in notebook.cells:
        if cell.outcome == "failed":
            parts += _cell(cell)
    return parts


def _cell(cell: CellReport) -> list[View]:
    name = f"code cell {cell.number} ({cell.id}): "
    return [
        Line((Span(name, "bad"), Span(cell.line, "strong"))),
        Code(cell.message or ""),
    ]


def _sum(report: CheckReport) -> Line:
    failed = sum(notebook.outcome == "failed" for notebook in report.notebooks)
    notebooks = count(len(report.notebooks), "notebook")
    if failed:
        return Line(f"{failed} of {notebooks} failed", "failed")
    return Line(f"{notebooks}: nothing differs", "done")
