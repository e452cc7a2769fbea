"""import curl: what a pasted command becomes, and its draft where that is wanted."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sparknb.commands.card import required, summary
from sparknb.commands.context import Context
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
from sparknb.commands.table import Argument, Command, Option, Outcome, Values
from sparknb.commands.typed import typed
from sparknb.commands.views import Column, Line, Span, Stack, Table, View
from sparknb.commands.words import (
    draft_steps,
    forgotten,
    next_steps,
    secret_table,
    with_input,
)
from sparknb.commands.written import Written
from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import AlreadyExistsError
from sparknb.core.problems import Problem

__all__ = ["CURL", "DESCRIBE", "as_written"]

_KEEP = "keep it as a draft"
DESCRIBE = "say in its description when to use it: agents choose by that"
"""What is to be changed in a tool that was made of a command."""

_UNTITLED = "custom_http_tool"


def as_written(definition: ToolDefinition) -> Written:
    """Give an imported definition in the form that cards are made of."""
    return Written(
        subject="the command", document=definition.wire, says=lambda _: False
    )


async def _import_curl(context: Context, values: Values) -> Outcome:
    pasted = Pasted.of_bytes(
        await context.read_bytes(values["file"] or "-", PASTE_LIMIT)
    )
    tool_id = await _id(context, values)
    found = preview(pasted, values, tool_id)
    definition = definition_of(found)
    notices: Sequence[Problem] = found.notices
    document: dict[str, Any] = found.to_wire()
    parts: list[View] = [_head(definition, "would be a new tool; nothing was saved")]
    parts.append(summary(definition, as_written(definition)))
    if not values["save"]:
        if found.secret_names:
            parts.append(_secrets(found.secret_names, found.secrets))
        steps = [(typed(CURL, values, save=True), _KEEP)]
        return _outcome(context, document, notices, [*parts, next_steps(steps)])
    host = await context.host()
    accepted = await host.imports.accept(
        [definition],
        origin="local",
        secrets={definition.id: captured(found)},
    )
    if accepted.skipped:
        raise _already(definition.id)
    notices = [*notices, *accepted.notices]
    if found.secrets:
        notices = [*notices, *forgotten(host.keychain)]
    status = await host.secrets.status(definition.id)
    parts[0] = _head(definition, "is a new tool: draft version 1")
    if status:
        parts.append(secret_table(status))
    test = with_input(f"sparknb test {definition.id}", required(definition))
    steps = [
        (f"sparknb show {definition.id} --definition", DESCRIBE),
        *draft_steps(host, definition, status, test),
    ]
    document |= {"saved": accepted.to_wire()["saved"]}
    return _outcome(context, document, notices, [*parts, next_steps(steps)])


async def _id(context: Context, values: Values) -> str:
    """Give the id that was asked for, else the first free one of our own."""
    if values["id"] is not None:
        tool_id: str = values["id"]
        if values["save"] and (await context.taken_ids(saves=True))(tool_id):
            raise _already(tool_id)
        return tool_id
    from sparknb.importers.curl import free_id

    return free_id(await context.taken_ids(saves=values["save"]))


def _already(tool_id: str) -> AlreadyExistsError:
    return AlreadyExistsError(
        f"a tool has the id {tool_id} already, and an import overwrites none",
        path="--id",
        hint="give another --id, or leave it out",
    )


def _head(definition: ToolDefinition, said: str) -> Line:
    return Line((Span(definition.id, "strong"), Span(f" {said}")), "done")


def _secrets(names: Sequence[str], captured: Any) -> Table:
    rows = [
        (name, "in the command" if name in captured else "to be set") for name in names
    ]
    return Table(
        title="Secrets", columns=(Column("SECRET"), Column("VALUE")), rows=rows
    )


def _outcome(
    context: Context,
    document: dict[str, Any],
    notices: Sequence[Problem],
    parts: list[View],
) -> Outcome:
    document["notices"] = [notice.to_wire() for notice in notices]
    if notices:
        shown = [replace(notice, path="") for notice in notices]
        parts.insert(-1, problems_view(context, shown))
    return Outcome(document, Stack(parts))


CURL = Command(
    path=("import", "curl"),
    summary="Make a tool of a cURL command.",
    details=(
        "Nothing is run, expanded or fetched. Without --save it shows what would become"
        " of it. A secret in a header goes to the keychain and is shown nowhere."
    ),
    group="Import",
    arguments=(
        Argument(
            name="file",
            kind="path",
            shown="FILE|-",
            required=False,
            help="The command; - or nothing reads standard input.",
        ),
    ),
    options=(
        Option(
            name="--id",
            metavar="ID",
            help=f"The tool's id; else {_UNTITLED}, or the next that is free.",
        ),
        PARAMS,
        SHELL,
        Option(
            name="--save",
            kind="flag",
            help="Keep it as a draft; captured secrets go to the keychain.",
        ),
    ),
    examples=(
        "sparknb import curl request.sh --id orders --save",
        "xclip -o | sparknb import curl - --params auto",
    ),
    run=_import_curl,
)
