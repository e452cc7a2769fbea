"""doctor: what is installed, what is missing, and what to do about it."""

from collections.abc import Mapping, Sequence
from typing import Any

from sparknb.commands.checks import STATES, Check, all_checks
from sparknb.commands.context import Context
from sparknb.commands.table import Command, Outcome, Values
from sparknb.commands.views import Cell, Column, Line, Span, Stack, Table, View
from sparknb.commands.words import count

__all__ = ["COMMANDS"]


async def _doctor(context: Context, values: Values) -> Outcome:
    del values
    checks = await all_checks(context)
    settings = _settings()
    broken = [c for c in checks if c.state == "broken"]
    document = {"checks": [c.to_wire() for c in checks], "settings": settings}
    table = Table(
        columns=(Column("WHAT"), Column("STATE"), Column("DETAIL", wraps=True)),
        rows=[_row(c) for c in checks],
    )
    setting_table = Table(
        columns=(Column("SETTING"), Column("VALUE", wraps=True), Column("FROM")),
        rows=[[n, str(s["value"]), s["source"]] for n, s in settings.items()],
    )
    said = Line("Nothing essential is missing.", "done")
    if broken:
        said = Line(f"{count(len(broken), 'check')} failed.", "failed")
    parts: list[View] = [table, setting_table, said]
    return Outcome(document, Stack(parts), exit_code=1 if broken else 0)


def _row(check: Check) -> Sequence[Cell]:
    detail = (Span(check.detail),)
    if check.hint:
        detail = (*detail, Span(f"\n{check.hint}", "quiet"))
    return (check.name, Span(check.state, STATES[check.state]), detail)


def _settings() -> Mapping[str, Mapping[str, Any]]:
    return {}


COMMANDS = (
    Command(
        path=("doctor",),
        summary="Show what is installed, and what to do about what is missing.",
        details="Fails only when something is broken that every command needs.",
        group="Set up",
        run=_doctor,
    ),
)
