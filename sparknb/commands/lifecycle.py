"""publish, enable, disable, rollback, discard, delete: what agents may call."""

from collections.abc import Mapping, Sequence
from typing import Any

from sparknb.commands.context import Context, Question
from sparknb.commands.inputs import ID, YES
from sparknb.commands.outcomes import step_view
from sparknb.commands.table import Argument, Command, Option, Outcome, Values
from sparknb.commands.views import Line, Span
from sparknb.commands.words import count, next_steps, with_input
from sparknb.core.asking import facts
from sparknb.core.definitions import Risk
from sparknb.core.errors import InvalidInputError
from sparknb.core.records import ToolRecord

__all__ = ["COMMANDS"]

_GROUP = "Let agents use it"
_ASKS = "Asks first; without a terminal, --yes is needed."
_HIDDEN = "agents do not see it until it is enabled"
_LOST = "agents cannot call it"
_UNUSED = "no image is handed to it until it is enabled"


def _done(tool_id: str, said: str) -> Line:
    return Line((Span(tool_id, "strong"), Span(f" {said}")), "done")


def _going_live(
    title: str, tool: ToolRecord, definition: Mapping[str, Any], then: str
) -> Question:
    """Give the question about a version that agents would use, by what it says."""
    more = facts(definition)
    return Question(title, _details(definition, then, more), seen=tool)


def _going_away(title: str, tool: ToolRecord, then: str) -> Question:
    """Give the question about what would be gone for good."""
    return Question(title, _details(tool.to_wire(), then), seen=tool)


def _details(
    about: Mapping[str, Any], then: str, more: Sequence[tuple[str, str]] = ()
) -> tuple[tuple[str, str], ...]:
    return (
        ("tool", f"{about['id']}, {about['title']}"),
        ("risk", f"{about['risk']}, effect {about['effect']}"),
        *more,
        ("then", then),
    )


def _reach(tool: ToolRecord, risk: Risk) -> str:
    if tool.enabled:
        return _visible(tool, risk)
    return _UNUSED if _is_for_images(tool) else _HIDDEN


def _visible(tool: ToolRecord, risk: Risk) -> str:
    if _is_for_images(tool):
        return "images are handed to it at once; agents never see it"
    if risk == "read":
        return "agents can call it at once"
    return "agents see it at once, and a person is asked before each call"


def _is_for_images(tool: ToolRecord) -> bool:
    return tool.type == "provider-vision"


async def _required(context: Context, tool: ToolRecord) -> Sequence[str]:
    """Give the names of the parameters that the published version must be given."""
    studio = (await context.host()).studio
    found = (await studio.get(tool.id, tool.published_version)).shown.definition
    names: Sequence[str] = found.get("inputSchema", {}).get("required", ())
    return names


async def _publish(context: Context, values: Values) -> Outcome:
    tool_id = values["id"]
    expected = {
        "expected_version": values["expect"],
        "require_cases": values["require_cases"],
    }

    async def describe() -> Question:
        studio = (await context.host()).studio
        tool = await studio.require_publishable(tool_id, **expected)
        shown = (await studio.get(tool_id, tool.draft_version)).shown.definition
        risk = shown["risk"]
        first = tool.published_version is None
        instead = "" if first else f" in place of version {tool.published_version}"
        title = f"Publish version {tool.draft_version} of {tool_id}{instead}?"
        then = _visible(tool, risk) if first else _reach(tool, risk)
        return _going_live(title, tool, shown, then)

    seen = await context.consent(values, describe)
    host = await context.host()
    step = await host.studio.publish(tool_id, **expected, seen=seen)
    tool = step.tool
    images = _is_for_images(tool)
    line = _done(tool_id, f"version {tool.published_version} is published")
    steps = [(f"sparknb enable {tool_id}", _UNUSED if images else _HIDDEN)]
    if images and tool.enabled:
        steps = [("spark.route_images([...])", "hand images to it, from Python")]
    elif tool.enabled:
        call = with_input(f"sparknb call {tool_id}", await _required(context, tool))
        steps = [(call, "call it as an agent would")]
        steps.append(("sparknb mcp --print-config CLIENT", "connect an agent"))
    return Outcome(step.to_wire(), step_view(line, step.warnings, next_steps(steps)))


async def _enable(context: Context, values: Values) -> Outcome:
    tool_id = values["id"]
    studio = (await context.host()).studio
    tool = (await studio.get(tool_id)).tool
    if tool.enabled:
        line = _done(tool_id, f"is already enabled: {_visible(tool, tool.risk)}")
        return Outcome({"tool": tool.to_wire(), "warnings": []}, line)

    async def describe() -> Question:
        found = await studio.require_enableable(tool_id)
        number = found.published_version
        shown = (await studio.get(tool_id, number)).shown.definition
        title = f"Enable version {number} of {tool_id}?"
        return _going_live(title, found, shown, _visible(found, shown["risk"]))

    seen = await context.consent(values, describe)
    step = await studio.set_enabled(tool_id, True, seen=seen)
    number = step.tool.published_version
    said = f"is enabled: agents can call version {number}"
    if _is_for_images(step.tool):
        said = f"is enabled: images are handed to version {number}"
    return Outcome(step.to_wire(), step_view(_done(tool_id, said), step.warnings))


async def _disable(context: Context, values: Values) -> Outcome:
    tool_id = values["id"]
    studio = (await context.host()).studio
    step = await studio.set_enabled(tool_id, False)  # its own signature
    lost = "no image is handed to it" if _is_for_images(step.tool) else _LOST
    line = _done(tool_id, f"is disabled: {lost}")
    return Outcome(step.to_wire(), step_view(line, step.warnings))


async def _rollback(context: Context, values: Values) -> Outcome:
    tool_id, version = values["id"], values["version"]

    async def describe() -> Question:
        studio = (await context.host()).studio
        await studio.require_earlier(tool_id, version)
        detail = await studio.get(tool_id, version)
        tool, shown = detail.tool, detail.shown.definition
        title = f"Publish a copy of version {version} of {tool_id}?"
        then = f"version {tool.published_version} is archived; "
        then += _reach(tool, shown["risk"])
        return _going_live(title, tool, shown, then)

    seen = await context.consent(values, describe)
    step = await (await context.host()).studio.rollback(tool_id, version, seen=seen)
    number = step.tool.published_version
    line = _done(tool_id, f"version {number} is published, a copy of version {version}")
    return Outcome(step.to_wire(), step_view(line, step.warnings))


async def _discard(context: Context, values: Values) -> Outcome:
    tool_id = values["id"]

    async def describe() -> Question:
        tool = (await (await context.host()).studio.get(tool_id)).tool
        if not tool.is_pending:
            raise InvalidInputError(
                f"{tool_id} has no pending draft",
                path="id",
                hint="there is nothing to discard",
            )
        if tool.published_version is None:
            raise InvalidInputError(
                f"{tool_id} was never published: it is nothing but its draft",
                path="id",
                hint=f"sparknb delete {tool_id} removes the tool",
            )
        then = "the draft is gone for good; what is published stays"
        title = f"Discard draft version {tool.draft_version} of {tool_id}?"
        return _going_away(title, tool, then)

    seen = await context.consent(values, describe)
    step = await (await context.host()).studio.discard_draft(tool_id, seen=seen)
    number = step.tool.published_version
    line = _done(tool_id, f"draft discarded; version {number} stands")
    return Outcome(step.to_wire(), step_view(line, step.warnings))


async def _delete(context: Context, values: Values) -> Outcome:
    tool_id = values["id"]

    async def describe() -> Question:
        detail = await (await context.host()).studio.get(tool_id)
        then = f"{count(len(detail.versions), 'version')}, "
        then += f"{count(len(detail.secret_status), 'secret')} and all traces are gone"
        return _going_away(f"Delete {tool_id} for good?", detail.tool, then)

    seen = await context.consent(values, describe)
    warnings = await (await context.host()).studio.delete(tool_id, seen=seen)
    line = _done(tool_id, "is deleted, with its versions, secrets and traces")
    document: dict[str, Any] = {"id": tool_id, "deleted": True}
    document["warnings"] = [warning.to_wire() for warning in warnings]
    return Outcome(document, step_view(line, warnings))


COMMANDS = (
    Command(
        path=("publish",),
        summary="Make the draft the version that agents use.",
        details=f"The first publish enables the tool. {_ASKS}",
        group=_GROUP,
        arguments=(ID,),
        options=(
            Option(
                name="--expect",
                kind="integer",
                metavar="N",
                minimum=1,
                completion="version",
                help="Publish only if the draft is version N.",
            ),
            Option(
                name="--require-cases",
                kind="flag",
                help="Publish only if all its test cases were run and passed.",
            ),
            YES,
        ),
        examples=("sparknb publish weather --yes",),
        run=_publish,
    ),
    Command(
        path=("enable",),
        summary="Put a published tool where agents see it.",
        details=_ASKS,
        group=_GROUP,
        arguments=(ID,),
        options=(YES,),
        run=_enable,
    ),
    Command(
        path=("disable",),
        summary="Take a tool away from agents, at once.",
        details="Always allowed; nothing is lost.",
        group=_GROUP,
        arguments=(ID,),
        run=_disable,
    ),
    Command(
        path=("rollback",),
        summary="Publish a copy of an earlier version.",
        details=_ASKS,
        group=_GROUP,
        arguments=(
            ID,
            Argument(
                name="version",
                kind="integer",
                minimum=1,
                completion="version",
                help="The version to go back to.",
            ),
        ),
        options=(YES,),
        run=_rollback,
    ),
    Command(
        path=("discard",),
        summary="Drop the draft of a published tool.",
        details=f"The published version stands. {_ASKS}",
        group=_GROUP,
        arguments=(ID,),
        options=(YES,),
        run=_discard,
    ),
    Command(
        path=("delete",),
        summary="Remove a tool with its versions, secrets and traces.",
        details=_ASKS,
        group=_GROUP,
        arguments=(ID,),
        options=(YES,),
        run=_delete,
    ),
)
