"""validate, draft, test: from a definition in a file to a draft that works."""

import os
import re

from sparknb.commands.card import derivation, required, state_line, summary
from sparknb.commands.cases import CASE_FILE, CASES, read_case_file, run_cases
from sparknb.commands.context import Context
from sparknb.commands.inputs import (
    CALL_YES,
    FILE,
    INPUT,
    approver,
    program_flaw,
    read_arguments,
    text_flaw,
    version_option,
)
from sparknb.commands.outcomes import problems_view, result_outcome
from sparknb.commands.table import Argument, Command, Option, Outcome, Values
from sparknb.commands.views import Line, Span, Stack, View
from sparknb.commands.words import (
    count,
    draft_steps,
    next_steps,
    secret_table,
    with_input,
)
from sparknb.commands.written import in_file, judged, saved
from sparknb.core.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    UsageError,
    refusal,
)

__all__ = ["COMMANDS"]

_ID = re.compile(r"[a-z][a-z0-9_]{2,63}")
_GROUP = "Make a tool"


async def _validate(context: Context, values: Values) -> Outcome:
    from sparknb.core.validation import Report

    data = (await context.read(values["file"])).data
    written, name = in_file(data), values["file"]
    flaw = text_flaw(name, data) or program_flaw(name, data)
    report = Report((flaw,), None) if flaw else await judged(context, written)
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
    parts.append(summary(definition, written))
    if report.problems:
        parts.append(problems_view(context, report.problems))
    return Outcome(report.to_wire(), Stack(parts))


async def _definition(context: Context, name: str) -> bytes:
    """Read a definition.

    Raises:
        InvalidInputError: The file holds a program, no text, or cannot be read.
        NotFoundError: There is no such file.
    """
    data = (await context.read(name)).data
    flaw = text_flaw(name, data)
    if flaw is not None:
        raise InvalidInputError(flaw.message, path=flaw.path, hint=flaw.hint)
    flaw = program_flaw(name, data)
    if flaw is not None:
        raise refusal([flaw], name)
    return data


async def _draft(context: Context, values: Values) -> Outcome:
    written = in_file(await _definition(context, values["file"]))
    host = await context.host()
    revision = values["revision"]
    cases = await read_case_file(context, values["cases"])
    try:
        outcome = await saved(context, written, revision, cases)
    except ConflictError as error:
        error.path = "--revision" if revision is not None else error.path
        raise
    tool, definition = outcome.tool, outcome.definition
    document = outcome.to_wire() | {"derived": derivation(definition, written)}
    parts: list[View] = [state_line(outcome), summary(definition, written)]
    if outcome.secrets:
        parts.append(secret_table(outcome.secrets))
    if outcome.warnings:
        parts.append(problems_view(context, outcome.warnings))
    if tool.is_pending:
        test = with_input(f"sparknb test {tool.id}", required(definition))
        steps = draft_steps(host, definition, outcome.secrets, test)
        if steps:
            parts.append(next_steps(steps))
    return Outcome(document, Stack(parts))


async def _test(context: Context, values: Values) -> Outcome:
    target = values["target"]
    by = approver(context, values)
    if values["cases"] and _ID.fullmatch(target):
        return await run_cases(context, values, by)
    arguments = await read_arguments(context, values)
    if not _ID.fullmatch(target):
        for option in ("version", "cases"):
            if values[option]:
                raise UsageError(f"--{option} goes with a tool's id, not with a file")
        document = await _definition(context, target)
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
            CASE_FILE,
        ),
        examples=(
            "sparknb draft weather.json",
            "sparknb draft weather.json --cases weather-cases.json",
        ),
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
            version_option("Run this version of the tool."),
            INPUT,
            CASES,
            CALL_YES,
        ),
        examples=(
            'sparknb test weather --input \'{"city": "Oslo"}\'',
            "sparknb test ./weather.json",
            "sparknb test weather --cases",
        ),
        run=_test,
    ),
)
