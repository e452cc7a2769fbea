"""spark_curl: a pasted cURL command becomes a draft, and a cell to go on with."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sparknb.commands.card import derivation, details, required, state_line
from sparknb.commands.context import Context
from sparknb.commands.imports_curl import DESCRIBE, as_written
from sparknb.commands.inputs import ID, VAR, variables
from sparknb.commands.offers import ReadyCell
from sparknb.commands.outcomes import problems_view
from sparknb.commands.pasted import (
    PARAMS,
    PASTE_LIMIT,
    SHELL,
    Pasted,
    captured,
    definition_of,
    preview,
)
from sparknb.commands.table import Command, Outcome, Values
from sparknb.commands.views import Stack, View
from sparknb.commands.words import (
    forgotten,
    missing_secrets,
    next_steps,
    publishes,
    secret_table,
)
from sparknb.core.definitions import ToolDefinition
from sparknb.core.problems import Problem

if TYPE_CHECKING:
    from sparknb.host import Host
    from sparknb.host.imports import Kept

__all__ = ["SPARK_CURL"]

_IN_CELL = Problem(
    code="SECRET_IN_CELL",
    message="this cell still holds the secret that was pasted: whoever gets the"
    " notebook can read it",
    path="",
    hint="replace the cell by the one below, then save the notebook",
    level="warning",
)


async def _spark_curl(context: Context, values: Values) -> Outcome:
    passed = variables(context, values)
    body = Pasted.of_bytes(await context.door.read_input(PASTE_LIMIT + 1))
    found = preview(_filled(body, passed), values, values["id"])
    definition = definition_of(found)
    host = await context.host()
    kept = await host.imports.keep(definition.wire, captured(found))
    notices = [*found.notices, *kept.notices]
    if found.secrets:
        notices += forgotten(host.keychain)
        notices = [n for n in notices if n.code != _IN_CELL.code]
        notices.insert(0, _IN_CELL)  # it says what to do now
    cell = _ready(definition, passed, has_secret=bool(found.secrets))
    document = kept.outcome.to_wire() | {
        "definition": dict(definition.wire),
        "derived": derivation(definition, as_written(definition)),
        "notices": [notice.to_wire() for notice in notices],
        "secretNames": list(found.secret_names),
        "cell": None if cell is None else cell.text,
    }
    return Outcome(document, _card(host, kept, notices), offer=cell)


def _filled(body: Pasted, passed: Mapping[str, str]) -> Pasted:
    """Put variables in; they are text of the command like any other."""
    if not passed:
        return body
    from sparknb.importers.cell.variables import fill

    return Pasted(fill(body.text, passed))


def _ready(
    definition: ToolDefinition, passed: Mapping[str, str], *, has_secret: bool
) -> ReadyCell | None:
    from sparknb.importers.cell import write_cell

    text = write_cell(definition.wire, passed)
    if text is None:
        return None
    return ReadyCell(text=text, where="here", has_secret=has_secret)


def _card(host: "Host", kept: "Kept", notices: Sequence[Problem]) -> Stack:
    outcome = kept.outcome
    definition = outcome.definition
    parts: list[View] = [
        state_line(outcome),
        details(definition, as_written(definition)),
    ]
    if outcome.secrets:
        parts.append(secret_table(outcome.secrets))
    told = [*(replace(notice, path="") for notice in notices), *outcome.warnings]
    if told:
        told.sort(key=lambda problem: problem.level == "notice")
        parts.append(problems_view(None, told))
    steps = missing_secrets(host.keychain, definition.id, outcome.secrets)
    wants = " with its arguments below" if required(definition) else ""
    steps += [
        (f"%%spark_test {definition.id}", f"try it{wants}"),
        (f"%%spark_tool {definition.id}", DESCRIBE),
        (f"sparknb publish {definition.id}", publishes(definition.type)),
    ]
    return Stack([*parts, next_steps(steps)])


SPARK_CURL = Command(
    path=("spark_curl",),
    summary="Make a tool of the cURL command pasted below.",
    details=(
        "Nothing is run or expanded. A secret in a header goes to the keychain; the"
        " cell itself still holds it, so the card offers to replace the cell. The text"
        " of the cell is kept out of IPython's history."
    ),
    group="Cells",
    arguments=(ID,),
    options=(PARAMS, SHELL, VAR),
    examples=("%%spark_curl weather", "%%spark_curl weather --params auto"),
    run=_spark_curl,
)
