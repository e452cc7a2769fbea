"""What the cell magics of a notebook do: spark_tool and spark_test, and all of them."""

from typing import TYPE_CHECKING, Any, Literal

from sparknb.commands.card import (
    derivation,
    details,
    difference,
    required,
    state_line,
)
from sparknb.commands.context import Context, Source
from sparknb.commands.curl_cell import SPARK_CURL
from sparknb.commands.inputs import (
    CALL_YES,
    ID,
    VAR,
    approver,
    parse_arguments,
    read_body,
    variables,
    version_option,
)
from sparknb.commands.outcomes import problems_view, result_outcome
from sparknb.commands.table import Command, Option, Outcome, Values
from sparknb.commands.views import CELL, Line, Span, Stack, View
from sparknb.commands.words import (
    missing_secrets,
    next_steps,
    publishes,
    secret_table,
    with_input,
)
from sparknb.commands.written import Written, in_cell, judged, saved
from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import SparknbError, UsageError, refusal
from sparknb.core.records import ToolRecord
from sparknb.core.results import ToolResult

if TYPE_CHECKING:
    from sparknb.host import Host
    from sparknb.host.outcomes import DraftOutcome, StepOutcome

__all__ = ["CELL_COMMANDS"]

_GROUP = "Cells"
_TEST = Option(
    name="--test",
    kind="json",
    metavar="JSON",
    help="Run the draft at once, with these arguments.",
)
Stage = Literal["check", "draft", "publish"]
_STAGES: tuple[Stage, ...] = ("check", "draft", "publish")


# ------------------------------------------------------------------- spark_tool
async def _spark_tool(context: Context, values: Values) -> Outcome:
    stage = _stage(values)
    test = values["test"]
    arguments = None if test is None else parse_arguments(test, _TEST)
    written, is_quiet = await _read_definition(context, values), values["quiet"]
    if stage == "check":
        definition, made = await _checked(context, written, is_quiet=is_quiet)
        target: Any = written.document
    else:
        definition, made = await _kept(context, written, stage, is_quiet=is_quiet)
        target = definition.id
    if test is None:
        return made
    studio = (await context.host()).studio
    by = context.door.approver
    result = await studio.test(target, arguments, approver=by)
    return _with_result(made, result)


def _stage(values: Values) -> Stage:
    chosen = [stage for stage in _STAGES if values[stage]]
    if len(chosen) > 1:
        both = " and ".join(f"--{stage}" for stage in chosen)
        raise UsageError(f"{both} do not go together", hint="give one of them")
    return chosen[0] if chosen else "draft"


async def _read_definition(context: Context, values: Values) -> Written:
    from sparknb.importers.cell import read_cell

    text = await read_body(context)
    cell = read_cell(
        text,
        variables(context, values),
        tool_id=values["id"],
        tool_type=values["type"],
    )
    context.source = Source(CELL, text.encode("utf-8", "surrogatepass"), cell.lines)
    return in_cell(cell)


async def _checked(
    context: Context, written: Written, *, is_quiet: bool
) -> tuple[ToolDefinition, Outcome]:
    """Give the card of a definition that is not saved."""
    report = await judged(context, written)
    definition = report.definition
    if definition is None:
        raise refusal(report.problems, written.subject)
    document = report.to_wire() | {"derived": derivation(definition, written)}
    said = Span(" is valid; nothing was saved")
    line = Line((Span(definition.id, "strong"), said), "done")
    if is_quiet:
        return definition, Outcome(document, line)
    parts: list[View] = [line, details(definition, written)]
    if report.warnings:
        parts.append(problems_view(context, report.warnings))
    return definition, Outcome(document, Stack(parts))


async def _kept(
    context: Context, written: Written, stage: Stage, *, is_quiet: bool
) -> tuple[ToolDefinition, Outcome]:
    """Save a definition, publish it where asked to, and give its card."""
    outcome = await saved(context, written)
    host = await context.host()
    definition = outcome.definition
    changes = await _changes(host, outcome.tool, written)
    line, tool, warnings = state_line(outcome), outcome.tool, [*outcome.warnings]
    if stage == "publish":
        line, step = await _publish(host, outcome, written)
        tool = step.tool
        warnings += [w for w in written.told(step.warnings) if w not in warnings]
    document = outcome.to_wire() | {
        "tool": tool.to_wire(),
        "warnings": [warning.to_wire() for warning in warnings],
        "derived": derivation(definition, written),
    }
    told: list[View] = [problems_view(context, warnings)] if warnings else []
    if is_quiet:  # what the step means for other tools is said all the same
        shown = told if len(warnings) > len(outcome.warnings) else []
        return definition, Outcome(document, Stack([line, *shown]) if shown else line)
    parts: list[View] = [line, details(definition, written)]
    if outcome.secrets:
        parts.append(secret_table(outcome.secrets))
    parts += [*told, *changes]
    if host.runs(definition):
        steps = missing_secrets(host.keychain, tool.id, outcome.secrets)
        parts.append(next_steps([*steps, *_steps(tool, definition)]))
    return definition, Outcome(document, Stack(parts))


async def _changes(host: "Host", tool: ToolRecord, written: Written) -> list[View]:
    """Give what the draft changes in what agents use."""
    if tool.published_version is None or not tool.is_pending:
        return []
    found = await host.studio.diff(tool.id)
    return [difference(found.shown, written.renamed)]


async def _publish(
    host: "Host", outcome: "DraftOutcome", written: Written
) -> tuple[Line, "StepOutcome"]:
    """Publish what was saved, unless just this is published already."""
    from sparknb.host.outcomes import StepOutcome

    tool = outcome.tool
    step = StepOutcome(tool=tool)
    said = f" is unchanged: version {tool.published_version} is published"
    if tool.is_pending:
        try:
            step = await host.studio.publish(
                tool.id,
                expected_version=tool.draft_version,
                expected_revision=tool.draft_revision,
            )
        except SparknbError as error:
            told = written.told(error.problems)
            if told:
                error.problems, error.path = tuple(told), told[0].path
            kept = "the draft is saved"
            stands = error.hint is None or error.hint in [p.hint for p in told]
            error.hint = kept if stands else f"{kept}; {error.hint}"
            raise
        tool = step.tool
        said = f": version {tool.published_version} is published"
    if not tool.enabled:
        said += ", and disabled"
    return Line((Span(tool.id, "strong"), Span(said)), "done"), step


def _steps(tool: ToolRecord, definition: ToolDefinition) -> list[tuple[str, str]]:
    call = with_input(f"sparknb call {tool.id}", required(definition))
    test = (f"%%spark_test {tool.id}", "try it")
    if tool.is_pending:
        return [test, (f"sparknb publish {tool.id}", publishes(tool.type))]
    if not tool.enabled:
        return [test, (f"sparknb enable {tool.id}", publishes(tool.type))]
    if tool.type == "provider-vision":
        return [test, ("spark.route_images([...])", "hand images to it")]
    return [test, (call, "call it as an agent would")]


def _with_result(made: Outcome, result: ToolResult) -> Outcome:
    ran = result_outcome(result, shows_request=True)
    parts = made.view.parts if isinstance(made.view, Stack) else [made.view]
    document = made.document | {"test": ran.document}
    return Outcome(document, Stack([*parts, ran.view]), exit_code=ran.exit_code)


# ------------------------------------------------------------------- spark_test
async def _spark_test(context: Context, values: Values) -> Outcome:
    from sparknb.importers.cell import read_values

    text = await read_body(context)
    read = read_values(text, variables(context, values))
    context.source = Source(CELL, text.encode("utf-8", "surrogatepass"), read.lines)
    if read.problems:
        raise refusal(read.problems, "the input")
    by = approver(context, values)
    studio = (await context.host()).studio
    result = await studio.test(
        values["id"], read.arguments, version=values["version"], approver=by
    )
    return result_outcome(result, shows_request=True, read_by=context)


CELL_COMMANDS = (
    Command(
        path=("spark_tool",),
        summary="Make a tool of what is written below, or change it.",
        details=(
            "The cell holds a definition as YAML, in the short or the long form of"
            " docs/cells.md; with --type python or typescript it holds the program."
            " Every problem is listed with its line."
        ),
        group=_GROUP,
        arguments=(ID,),
        options=(
            Option(
                name="--type",
                kind="choice",
                choices=("http", "python", "typescript", "vision"),
                help="What the tool is; http when left out.",
            ),
            Option(name="--check", kind="flag", help="Only check it; save nothing."),
            Option(name="--draft", kind="flag", help="Save it as a draft, as always."),
            Option(
                name="--publish",
                kind="flag",
                help="Save it and let agents call it, without asking.",
            ),
            _TEST,
            Option(name="--quiet", kind="flag", help="Show one line, no card."),
            VAR,
        ),
        examples=(
            "%%spark_tool weather",
            '%%spark_tool weather --test \'{"city": "Oslo"}\' --var base',
            "%%spark_tool count_words --type python",
        ),
        run=_spark_tool,
    ),
    Command(
        path=("spark_test",),
        summary="Run a tool with the arguments written below.",
        details=(
            "The cell holds the arguments as YAML, none when it is empty. The pending"
            " draft runs, else the published version. A tool whose risk is above read"
            " asks you first."
        ),
        group=_GROUP,
        arguments=(ID,),
        options=(
            version_option("Run this version of the tool."),
            CALL_YES,
            VAR,
        ),
        examples=("%%spark_test weather",),
        run=_spark_test,
    ),
    SPARK_CURL,
)
