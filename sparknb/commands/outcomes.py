"""Outcomes that several commands come to."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sparknb.commands.context import Context
from sparknb.commands.table import Outcome
from sparknb.commands.views import (
    Cell,
    Code,
    Failure,
    Fields,
    Line,
    Problems,
    ResultView,
    Span,
    Stack,
    View,
)
from sparknb.core.problems import Problem
from sparknb.core.results import ToolResult

if TYPE_CHECKING:
    from sparknb.core.protocols import Preview
    from sparknb.host.outcomes import CallCheck

__all__ = ["check_view", "problems_view", "result_outcome", "step_view"]

_INTERRUPTED = 130


def problems_view(context: Context | None, problems: Sequence[Problem]) -> Problems:
    """Give the problems with their lines in what was read, if one was."""
    if context is None or context.source is None:
        return Problems(problems=problems)
    lines = context.source.lines([p.path for p in problems])
    return Problems(problems=problems, source=context.source.name, lines=lines)


def result_outcome(
    result: ToolResult, *, shows_request: bool = False, read_by: Context | None = None
) -> Outcome:
    """Give a tool's result as itself; a result that says no fails the command.

    Args:
        result: What the tool came to.
        shows_request: Whether to show what was sent.
        read_by: The context that read the arguments, where problems have lines.
    """
    code = 0 if result.ok else 1
    if result.error_code == "CANCELLED":
        code = _INTERRUPTED
    found = problems_view(read_by, result.problems)
    view = ResultView(result, shows_request, found.source, found.lines)
    return Outcome(result.to_wire(), view, exit_code=code)


def check_view(
    check: "CallCheck", *, hint: str | None = None, read_by: Context | None = None
) -> Stack:
    """Give what would become of a call; a refusal looks as it does in the call.

    Args:
        check: The answer of the host.
        hint: What to do about a refusal.
        read_by: The context that read the arguments, where problems have lines.
    """
    parts: list[View] = []
    if check.error_code is None:
        said = (Span(check.decision, "strong"), Span(f": {check.reason}"))
        parts.append(Line(said, "done"))
    else:
        listed = [p for p in check.problems if p.path]
        found = problems_view(read_by, listed)
        refusal = Failure(
            code=check.error_code,
            message=check.reason,
            hint=hint,
            path="",
            problems=found,
        )
        parts.append(refusal)
    return Stack([*parts, *_what(check.preview)])


def _what(preview: "Preview | None") -> list[View]:
    """Give what would be done, as far as it is known."""
    if preview is None:
        return []
    rows: list[tuple[str, Cell]] = []
    if preview.method:
        rows.append(("request", f"{preview.method} {preview.url}"))
    rows += preview.facts
    if preview.dependencies and not preview.facts:
        rows.append(("may call", ", ".join(preview.dependencies)))
    body: list[View] = [Code(preview.excerpt)] if preview.excerpt else []
    return [Fields(rows), *body] if rows else body


def step_view(line: Line, warnings: Sequence[Problem], *more: View) -> Stack:
    """Give what a step did, then what is worth knowing about it."""
    parts: list[View] = [line, *more]
    if warnings:
        parts.append(Problems(problems=warnings))
    return Stack(parts)
