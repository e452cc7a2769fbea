"""Cards that a person reads before saying yes."""

import json
from collections.abc import Iterable

from rich.box import ROUNDED
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from sparknb.cli.safe_text import printable
from sparknb.cli.tones import risk_style
from sparknb.commands.context import Question
from sparknb.commands.words import repeats
from sparknb.core.protocols import ApprovalRequest

__all__ = ["approval_card", "question_card"]


def question_card(question: Question) -> RenderableType:
    """Give what would be done, and what that means."""
    return _panel(
        question.title, [(n, Text(printable(t))) for n, t in question.details]
    )


def approval_card(request: ApprovalRequest) -> RenderableType:
    """Give all that a person needs to judge one call; secrets are `[secret]`."""
    preview = request.preview
    number = "unsaved" if request.version is None else f"version {request.version}"
    risk = Text(request.risk, style=risk_style(request.risk))
    risk.append(f", effect {request.effect}, {repeats(request.idempotency)}", "none")
    rows: list[tuple[str, RenderableType]] = [
        ("tool", Text(f"{request.tool_id}, {number}: {printable(request.title)}")),
        ("risk", risk),
    ]
    if preview.method:
        rows.append(("request", Text(printable(f"{preview.method} {preview.url}"))))
    if preview.dependencies:
        rows.append(("may call", Text(", ".join(preview.dependencies))))
    if request.arguments:
        rows.append(("arguments", _arguments(request)))
    if preview.body:
        rows.append(("body", Text(printable(preview.body))))
    return _panel("Approve this call?", rows)


def _arguments(request: ApprovalRequest) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in request.arguments.items():
        shown = json.dumps(value, ensure_ascii=False)
        grid.add_row(Text(printable(name)), Text(printable(shown)))
    return grid


def _panel(title: str, rows: Iterable[tuple[str, RenderableType]]) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(name, value)
    heading = Text(printable(title), style="bold")
    return Panel(
        Group(heading, Text(""), grid),
        box=ROUNDED,
        border_style="yellow",
        padding=(0, 1),
    )
