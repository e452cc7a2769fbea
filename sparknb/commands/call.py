"""call: use a published tool as an agent would."""

from dataclasses import replace
from typing import Any

from sparknb.commands.context import Context
from sparknb.commands.inputs import CALL_YES, INPUT, approver, read_arguments
from sparknb.commands.outcomes import problems_view, result_outcome
from sparknb.commands.table import Argument, Command, Option, Outcome, Values
from sparknb.commands.views import Cell, Code, Fields, Line, Span, Stack, View

__all__ = ["COMMANDS"]


async def _call(context: Context, values: Values) -> Outcome:
    arguments = await read_arguments(context, values)
    host = await context.host()
    if values["dry_run"]:
        return await _check(context, values, arguments)
    by = approver(context, values)
    result = await host.call(values["name"], arguments, approver=by)
    if result.error_code == "NOT_FOUND":
        result = replace(result, hint=await _hint(context, values["name"]))
    return result_outcome(result)


async def _hint(context: Context, name: str) -> str:
    """Give where the names are, and the one that was probably meant."""
    surface = await (await context.host()).surface()
    nearest = surface.nearest(name)
    meant = f"did you mean {nearest}? " if nearest else ""
    return f"{meant}`sparknb list` shows the tools"


async def _check(context: Context, values: Values, arguments: Any) -> Outcome:
    host = await context.host()
    check = await host.check_call(values["name"], arguments)
    code = f" {check.error_code}" if check.error_code else ""
    said = (Span(check.decision + code, "strong"), Span(f": {check.reason}"))
    denied = check.decision == "deny"
    parts: list[View] = [Line(said, "failed" if denied else "done")]
    if check.problems:
        parts.append(problems_view(context, check.problems))
    if check.preview is not None:
        rows: list[tuple[str, Cell]] = []
        if check.preview.method:
            rows.append(("request", f"{check.preview.method} {check.preview.url}"))
        if check.preview.dependencies:
            rows.append(("may call", ", ".join(check.preview.dependencies)))
        if rows:
            parts.append(Fields(rows))
        if check.preview.excerpt:
            parts.append(Code(check.preview.excerpt))
    return Outcome(check.to_wire(), Stack(parts), exit_code=1 if denied else 0)


COMMANDS = (
    Command(
        path=("call",),
        summary="Call a published tool, as an agent would.",
        details=(
            "A tool whose risk is above read asks you first; --yes is your answer"
            " given beforehand."
        ),
        group="Let agents use it",
        arguments=(
            Argument(
                name="name",
                completion="published",
                help="The tool's id, or the name that agents see.",
            ),
        ),
        options=(
            INPUT,
            Option(
                name="--dry-run",
                kind="flag",
                help="Show what would be sent and whether it would ask; send nothing.",
            ),
            CALL_YES,
        ),
        examples=('sparknb call weather --input \'{"city": "Oslo"}\'',),
        run=_call,
    ),
)
