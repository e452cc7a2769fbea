"""doctor: what is installed, what is missing, and what to do about it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sparknb.commands.context import Context
from sparknb.commands.table import Command, Outcome, Values
from sparknb.commands.views import Cell, Column, Line, Span, Stack, Table, View
from sparknb.commands.words import count
from sparknb.core.errors import SparknbError

if TYPE_CHECKING:
    from sparknb.commands.checks import Check

__all__ = ["COMMANDS"]

_Settings = Mapping[str, Mapping[str, Any]]


async def _doctor(context: Context, values: Values) -> Outcome:
    del values
    from sparknb.commands import checks  # what it looks with takes time to import

    found = [*checks.installed(), *await checks.sandboxes()]
    settings: _Settings = {}
    try:
        opened = await context.settings()
        settings = opened.to_wire()
        found += await checks.places(opened)
    except SparknbError as error:
        found.append(checks.refused("settings", error))
    broken = [check for check in found if check.state == "broken"]
    document = {"checks": [check.to_wire() for check in found], "settings": settings}
    view = Stack([_checks(found), *_settings(settings), _verdict(broken)])
    return Outcome(document, view, exit_code=1 if broken else 0)


def _checks(found: "Sequence[Check]") -> Table:
    return Table(
        title="Checks",
        columns=(Column("CHECK"), Column("STATE"), Column("DETAIL", wraps=True)),
        rows=[_row(check) for check in found],
    )


def _row(check: "Check") -> Sequence[Cell]:
    state = Span(check.state, check.tone)
    detail: tuple[Span, ...] = (Span(check.detail),)
    if check.hint:
        detail = (*detail, Span(f"\n{check.hint}", "notice"))
    return (check.name, state, detail)


def _settings(settings: _Settings) -> Sequence[View]:
    """Give the settings as a table, where they could be read."""
    if not settings:
        return []
    rows: list[Sequence[Cell]] = []
    for name, setting in settings.items():
        given, source = setting["value"], Span(setting["source"], "quiet")
        rows.append((name, Span("-", "quiet") if given is None else str(given), source))
    columns = (Column("SETTING"), Column("VALUE", wraps=True), Column("FROM"))
    return [Table(title="Settings", columns=columns, rows=rows)]


def _verdict(broken: "Sequence[Check]") -> Line:
    if not broken:
        return Line("Everything that commands need is there.", "done")
    names = ", ".join(check.name for check in broken)
    return Line(f"{count(len(broken), 'check')} failed: {names}.", "failed")


COMMANDS = (
    Command(
        path=("doctor",),
        summary="Show what is installed, and how to get what is missing.",
        details=(
            "The sandboxes of code tools attack themselves. Fails only when one of"
            " them does not hold, or something is broken that every command needs."
        ),
        group="Set up",
        run=_doctor,
    ),
)
