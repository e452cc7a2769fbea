"""What a cell ends in when a magic says no."""

from collections.abc import Iterator

from sparknb.commands.views import (
    Failure,
    Line,
    Problems,
    ResultView,
    Span,
    Stack,
    View,
)
from sparknb.core.problems import Problem
from sparknb.displays import printable, to_ansi, to_text

__all__ = ["SparkMagicError", "block", "misplaced", "summary"]


class SparkMagicError(Exception):
    """An expected failure of a magic.

    A person sees one short block instead of a traceback. Its text, which tests of
    notebooks compare, has the code, the path, the place and the message of every
    problem, one a line, and is the same in every run.

    Attributes:
        view: What the block shows.
    """

    def __init__(self, view: View) -> None:
        super().__init__(summary(view))
        self.view = view

    def _render_traceback_(self) -> list[str]:
        """Give the block, as IPython asks for it."""
        return block(self.view)


def block(view: View, place: str | None = None) -> list[str]:
    """Give the lines of a view that stands in the place of a traceback.

    Args:
        view: What is shown.
        place: Where in the cell it happened, where that is worth a line.
    """
    lines = to_ansi(view).split("\n")
    if place is not None:
        lines += to_ansi(Line((Span(place, "quiet"),))).split("\n")
    return lines


def misplaced(magic: str) -> SparkMagicError:
    """Give the refusal of a cell magic that does not stand first in its cell."""
    return SparkMagicError(
        Failure(
            code="USAGE",
            message=f"{magic} has to stand on the first line of its cell",
            hint="put it into a cell of its own, without blanks before it",
            path="",
            problems=Problems(problems=()),
        )
    )


def summary(view: View) -> str:
    """Give what is wrong, one problem a line."""
    lines = dict.fromkeys(printable(line) for line in _lines(view))
    return "\n".join(lines) or to_text(view)


def _lines(view: View) -> Iterator[str]:
    if isinstance(view, Stack):
        for part in view.parts:
            yield from _lines(part)
    elif isinstance(view, Problems):
        yield from (_line(p, view) for p in view.problems if p.level == "error")
    elif isinstance(view, Failure):
        own = Problem(code=view.code, message=view.message, path=view.path)
        yield from list(_lines(view.problems)) or [_line(own, view.problems)]
    elif isinstance(view, ResultView) and not view.result.ok:
        result = view.result
        own = Problem(code=result.error_code or "EXECUTION_FAILED", message=result.text)
        yield from list(_lines(view.problems)) or [_line(own, view.problems)]


def _line(problem: Problem, view: Problems) -> str:
    place = view.place(problem)
    where = f" {problem.path}" if problem.path else ""
    return f"{problem.code}{where}{f' ({place})' if place else ''}: {problem.message}"
