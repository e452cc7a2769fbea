"""new: a definition to begin with."""

import json
from typing import TYPE_CHECKING, Any

from sparknb.commands.card import required, state_line, summary
from sparknb.commands.context import Context
from sparknb.commands.offers import ReadyCell
from sparknb.commands.outcomes import problems_view
from sparknb.commands.table import Argument, Command, Option, Outcome, Values
from sparknb.commands.views import Cell, Code, Column, Span, Stack, Table, View
from sparknb.commands.words import (
    change_steps,
    draft_steps,
    next_steps,
    secret_table,
    with_input,
)
from sparknb.commands.written import Written
from sparknb.core.errors import InvalidInputError, UsageError, refusal
from sparknb.core.problems import Problem

if TYPE_CHECKING:
    from sparknb.importers.starters import Starter

__all__ = ["COMMANDS"]


async def _new(context: Context, values: Values) -> Outcome:
    from sparknb.importers.starters import starter

    if values["kind"] is None:
        if values["save"] or values["id"] is not None:
            raise UsageError(
                "a new tool needs its kind", path="KIND", hint="sparknb new lists them"
            )
        return _all_kinds()
    chosen = starter(values["kind"])
    tool_id = values["id"] or await _free(context, chosen, saves=values["save"])
    document = chosen.document(tool_id)
    _check(document, chosen)
    blanks = [blank.to_wire() for blank in chosen.blanks]
    made = {"kind": chosen.kind, "definition": document, "blanks": blanks}
    if values["save"]:
        _require_filled(chosen)
        return await _saved(context, document, made)
    notices = [
        Problem(
            code="FIELD_MISSING",
            message=f"left to you: {blank.message}",
            path=blank.path,
            level="notice",
        )
        for blank in chosen.blanks
    ]
    if notices:
        await context.door.notify(notices)
    cell = chosen.cell(tool_id)
    text = json.dumps(document, indent=2, ensure_ascii=False)
    offer = ReadyCell(text=cell)
    return Outcome(made | {"cell": cell}, Code(text, "json"), offer=offer)


async def _free(context: Context, chosen: "Starter", *, saves: bool) -> str:
    """Give an id that no tool has: the cell, or the file, must change no other."""
    from sparknb.importers.free_ids import free_id

    return free_id(chosen.tool_id, await context.taken_ids(saves=saves))


def _check(document: dict[str, Any], chosen: "Starter") -> None:
    """Refuse what is wrong beside the blanks: a bad id.

    Raises:
        InvalidInputError: With all problems.
    """
    from sparknb.core.validation import validate

    blank = {each.path for each in chosen.blanks}
    errors = [p for p in validate(document).errors if p.path not in blank]
    if errors:
        raise refusal(errors, "the tool")


def _require_filled(chosen: "Starter") -> None:
    """Refuse to keep what is not complete; a draft is always valid.

    Raises:
        InvalidInputError: With each blank.
    """
    if not chosen.blanks:
        return
    problems = [
        Problem(code="FIELD_MISSING", message=f"left to you: {b.message}", path=b.path)
        for b in chosen.blanks
    ]
    raise InvalidInputError(
        f"a tool of this kind cannot be saved as it is: {chosen.blanks[0].message}"
        " is missing",
        path=problems[0].path,
        hint=f"fill in what sparknb new {chosen.kind} prints, then sparknb draft FILE",
        problems=problems,
    )


async def _saved(
    context: Context, document: dict[str, Any], made: dict[str, Any]
) -> Outcome:
    host = await context.host()
    outcome = await host.studio.create_draft(document)
    tool, definition = outcome.tool, outcome.definition
    written = Written(
        subject="the starter", document=document, says=lambda key: key in document
    )
    parts: list[View] = [state_line(outcome), summary(definition, written)]
    if outcome.secrets:
        parts.append(secret_table(outcome.secrets))
    if outcome.warnings:
        parts.append(problems_view(context, outcome.warnings))
    steps = change_steps(tool.id)
    test = with_input(f"sparknb test {tool.id}", required(definition))
    steps += draft_steps(host, definition, outcome.secrets, test)
    parts.append(next_steps(steps))
    saved = [{"id": tool.id, "draftVersion": tool.draft_version}]
    return Outcome(made | {"saved": saved}, Stack(parts))


def _all_kinds() -> Outcome:
    from sparknb.importers.starters import STARTERS

    document = {
        "starters": [
            {"kind": each.kind, "summary": each.summary, "id": each.tool_id}
            for each in STARTERS
        ]
    }
    rows: list[tuple[Cell, ...]] = [
        (Span(each.kind, "strong"), each.summary) for each in STARTERS
    ]
    columns = (Column("KIND"), Column("WHAT IT IS", wraps=True))
    table = Table(title="Starters", columns=columns, rows=rows)
    steps = [
        ("sparknb new http", "prints the definition"),
        ("sparknb import curl FILE", "or begin with a request that works"),
        ("sparknb import openapi SOURCE", "or with an API's description"),
        ("sparknb import export FILE", "or with somebody's tools"),
    ]
    return Outcome(document, Stack((table, next_steps(steps))))


COMMANDS = (
    Command(
        path=("new",),
        summary="Begin a tool from a starter.",
        details=(
            "Prints a definition to be changed; in a notebook a ready cell follows."
            " Without KIND it lists the starters: blank, http, python, typescript,"
            " vision."
        ),
        group="Make a tool",
        arguments=(Argument(name="kind", required=False, help="Which starter."),),
        options=(
            Option(
                name="--id",
                metavar="ID",
                help="The tool's id; else the starter's own, or the next that is free.",
            ),
            Option(name="--save", kind="flag", help="Keep it as a draft at once."),
        ),
        examples=(
            "sparknb new http > weather.json",
            "sparknb new python --id words --save",
        ),
        run=_new,
    ),
)
