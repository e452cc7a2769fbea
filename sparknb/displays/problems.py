"""How a list of problems is drawn for terminals and as plain text."""

from rich.console import Console, Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from sparknb.commands.views import Problems
from sparknb.core.problems import Problem
from sparknb.displays.safe_text import printable
from sparknb.displays.tones import mark

__all__ = ["problem_list"]

_WIDEST_PATH = 44
"""Longer paths stand out of the column instead of pushing it away."""


def problem_list(console: Console, view: Problems) -> RenderableType:
    """Give the problems one below the other: where, which, what, what to do.

    A notice asks for nothing: it is its words, without a code.
    """
    heads = [p.path for p in view.problems if p.level != "notice"]
    widths = [len(path) for path in heads if len(path) <= _WIDEST_PATH]
    width = max(widths, default=0)
    drawn = Grid.grid(padding=(0, 1, 0, 0))
    drawn.add_column(no_wrap=True)
    drawn.add_column(overflow="fold")
    for problem in view.problems:
        body = [_notice(problem, view)]
        if problem.level != "notice":
            body = [_head(problem, view, width), Text(printable(problem.message))]
        if problem.hint:
            sign = mark(console, "hint")
            body.append(Text.assemble(sign, f" {printable(problem.hint)}"))
        drawn.add_row(Text.assemble(mark(console, problem.level)), Group(*body))
    return drawn


def _notice(problem: Problem, view: Problems) -> Text:
    said = Text()
    if problem.path:
        said.append(f"{printable(problem.path)}  ", "bold")
    said.append(printable(problem.message))
    place = view.place(problem)
    if place is not None:
        said.append(f"  {printable(place)}", "dim")
    return said


def _head(problem: Problem, view: Problems, width: int) -> Text:
    head = Text(printable(problem.path).ljust(width), style="bold")
    gap = "  " if width or problem.path else ""
    head.append(f"{gap}{problem.code}", "dim")
    place = view.place(problem)
    if place is not None:
        head.append(f"  {printable(place)}", "dim")
    return head
