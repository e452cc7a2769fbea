"""validate, draft, test: from a definition in a file to a draft that works."""

import json
import os
import re
from typing import Any

from sparknb.commands.context import Context
from sparknb.commands.inputs import CALL_YES, FILE, INPUT, approver, read_arguments
from sparknb.commands.outcomes import problems_view, result_outcome
from sparknb.commands.table import Argument, Command, Option, Outcome, Values
from sparknb.commands.views import (
    Fields,
    Line,
    Span,
    Stack,
    View,
)
from sparknb.commands.words import (
    count,
    next_steps,
    secret_step,
    secret_table,
    triple,
    with_input,
)
from sparknb.core.definitions import HttpSpec, ToolDefinition
from sparknb.core.errors import ConflictError, NotFoundError, UsageError

__all__ = ["COMMANDS"]

_ID = re.compile(r"[a-z][a-z0-9_]{2,63}")
_GROUP = "Make a tool"


async def _validate(context: Context, values: Values) -> Outcome:
    from sparknb.core.validation import validate_text

    source = await context.read(values["file"])
    report = validate_text(source.data)
    definition = report.definition
    if definition is None or not report.valid:
        said = f"not valid: {count(len(report.errors), 'error')}"
        if report.warnings:
            said += f", {count(len(report.warnings), 'warning')}"
        parts: list[View] = [
            Line(said, "failed"),
            problems_view(context, report.problems),
        ]
        return Outcome(report.to_wire(), Stack(parts), exit_code=1)
    parts = [Line((Span(definition.id, "strong"), Span(" is valid")), "done")]
    parts.append(Fields(_summary(definition, _is_derived(source.data))))
    if report.problems:
        parts.append(problems_view(context, report.problems))
    return Outcome(report.to_wire(), Stack(parts))


def _summary(definition: ToolDefinition, derived: bool) -> list[tuple[str, Any]]:  # noqa: FBT001  # a fact, not a switch
    """Give what a definition does, in a few fields."""
    risk = triple(definition.risk, definition.effect, definition.idempotency)
    rows: list[tuple[str, Any]] = [("title", definition.title)]
    if isinstance(definition.spec, HttpSpec):
        request = definition.spec.request
        rows.append(("request", f"{request.method} {request.url_template}"))
        if derived:
            why = f" (derived from {request.method})"
            risk = (*risk, Span(why, "quiet"))
    rows.append(("risk", risk))
    names = definition.input_schema.parameters.values()
    shown = ", ".join(p.name + ("" if p.required else "?") for p in names)
    rows.append(("parameters", shown or Span("none", "quiet")))
    if definition.secrets:
        rows.append(("secrets", ", ".join(definition.secrets)))
    return rows


def _is_derived(data: bytes) -> bool:
    """Whether the text leaves the risk to be derived from the method (ST-12)."""
    document = json.loads(data)
    return "risk" not in document


async def _draft(context: Context, values: Values) -> Outcome:
    source = await context.read(values["file"])
    host = await context.host()
    revision = values["revision"]
    try:
        outcome = await host.studio.draft(source.data, expected_revision=revision)
    except ConflictError as error:
        error.path = "--revision" if revision is not None else error.path
        raise
    tool, definition = outcome.tool, outcome.definition
    derived = _is_derived(source.data)
    document = outcome.to_wire() | {"derived": _derivation(definition, derived)}
    name = Span(tool.id, "strong")
    number = tool.draft_version if tool.is_pending else tool.published_version
    if outcome.unchanged:
        said = Span(f" is unchanged: version {number} already says all this")
    elif outcome.created:
        said = Span(" is a new tool: draft version 1")
    else:
        said = Span(f" saved: draft version {number}, revision {tool.draft_revision}")
    parts: list[View] = [Line((name, said), "done")]
    parts.append(Fields(_summary(definition, derived)))
    if outcome.secrets:
        parts.append(secret_table(outcome.secrets))
    if outcome.warnings:
        parts.append(problems_view(context, outcome.warnings))
    if tool.is_pending:
        missing = [name for name, is_set in outcome.secrets.items() if not is_set]
        steps = [secret_step(host.keychain, tool.id, name) for name in missing]
        parts.append(next_steps(steps + _after_draft(definition)))
    return Outcome(document, Stack(parts))


def _derivation(definition: ToolDefinition, derived: bool) -> dict[str, str] | None:  # noqa: FBT001  # a fact, not a switch
    """Give the derived triple and where it comes from; None when the author chose."""
    if not derived or not isinstance(definition.spec, HttpSpec):
        return None
    return {
        "from": definition.spec.request.method,
        "risk": definition.risk,
        "effect": definition.effect,
        "idempotency": definition.idempotency,
    }


def _after_draft(definition: ToolDefinition) -> list[tuple[str, str]]:
    parameters = definition.input_schema.parameters.values()
    required = [p.name for p in parameters if p.required]
    return [
        (with_input(f"sparknb test {definition.id}", required), "try it"),
        (f"sparknb publish {definition.id}", "let agents call it"),
    ]


async def _test(context: Context, values: Values) -> Outcome:
    target = values["target"]
    arguments = await read_arguments(context, values)
    by = approver(context, values)
    if not _ID.fullmatch(target):
        if values["version"] is not None:
            raise UsageError("--version goes with a tool's id, not with a file")
        document = (await context.read(target)).data
        studio = (await context.host()).studio
        result = await studio.test(document, arguments, approver=by)
        return result_outcome(result, shows_request=True)
    studio = (await context.host()).studio
    try:
        result = await studio.test(
            target, arguments, version=values["version"], approver=by
        )
    except NotFoundError as error:
        if values["version"] is None and os.path.isfile(target):  # noqa: PTH113, ASYNC240  # one quick look, on the way out
            error.hint = f"to test the file of this name, write ./{target}"
        raise
    return result_outcome(result, shows_request=True)


COMMANDS = (
    Command(
        path=("validate",),
        summary="Check a definition; store nothing.",
        details="Lists every problem at once, each with its place and what to do.",
        group=_GROUP,
        arguments=(FILE,),
        examples=("sparknb validate weather.json", "sparknb validate - --json"),
        run=_validate,
    ),
    Command(
        path=("draft",),
        summary="Save a definition as a draft, for a new or known tool.",
        details="Agents never see a draft; what is published stays as it is.",
        group=_GROUP,
        arguments=(FILE,),
        options=(
            Option(
                name="--revision",
                kind="integer",
                metavar="N",
                minimum=1,
                help="Save only if the draft is still at this revision.",
            ),
        ),
        examples=("sparknb draft weather.json",),
        run=_draft,
    ),
    Command(
        path=("test",),
        summary="Run a tool for its author: a draft, a version or a file.",
        details=(
            "By id the pending draft runs, else the published version. A word that"
            " cannot be an id is a file; write ./name where it could be both."
        ),
        group=_GROUP,
        arguments=(
            Argument(
                name="target",
                shown="ID|FILE|-",
                completion="tool",
                help="A tool's id, or a definition as JSON; - reads standard input.",
            ),
        ),
        options=(
            Option(
                name="--version",
                kind="integer",
                metavar="N",
                minimum=1,
                completion="version",
                help="Run this version of the tool.",
            ),
            INPUT,
            CALL_YES,
        ),
        examples=(
            'sparknb test weather --input \'{"city": "Oslo"}\'',
            "sparknb test ./weather.json",
        ),
        run=_test,
    ),
)
