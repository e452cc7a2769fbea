"""call: use a published tool as an agent would."""

from dataclasses import replace
from typing import Any

from sparknb.commands.context import Context
from sparknb.commands.inputs import CALL_YES, INPUT, approver, read_arguments
from sparknb.commands.outcomes import check_view, result_outcome
from sparknb.commands.table import Argument, Command, Option, Outcome, Values

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
    hint = None
    if check.error_code == "NOT_FOUND":
        hint = await _hint(context, values["name"])
    view = check_view(check, hint=hint, read_by=context)
    return Outcome(check.to_wire(), view, exit_code=int(check.decision == "deny"))


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
