"""Outcomes that several commands come to."""

from collections.abc import Sequence

from sparknb.commands.context import Context
from sparknb.commands.table import Outcome
from sparknb.commands.views import Line, Problems, ResultView, Stack, View
from sparknb.core.problems import Problem
from sparknb.core.results import ToolResult

__all__ = ["problems_view", "result_outcome", "step_view"]

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


def step_view(line: Line, warnings: Sequence[Problem], *more: View) -> Stack:
    """Give what a step did, then what is worth knowing about it."""
    parts: list[View] = [line, *more]
    if warnings:
        parts.append(Problems(problems=warnings))
    return Stack(parts)
