"""The risk of a tool as its author sees and changes it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from sparknb.core.definitions import (
    Effect,
    Idempotency,
    Method,
    ToolType,
)
from sparknb.core.errors import ConflictError
from sparknb.core.problems import Problem
from sparknb.core.risk import RiskTriple, check_consistency, check_floor, derive_risk
from sparknb.core.validation.vision import check_fixed_risk
from sparknb.host import Host

__all__ = [
    "EFFECTS",
    "IDEMPOTENCIES",
    "RiskState",
    "RiskTriple",
    "problems_of",
    "risk_state",
    "save_risk",
]

EFFECTS: tuple[Effect, ...] = get_args(Effect)
IDEMPOTENCIES: tuple[Idempotency, ...] = get_args(Idempotency)


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskState:
    """What the form is opened on.

    Attributes:
        method: HTTP method, None for another type of tool.
        version: Number of the draft, or of the published version without one.
        is_draft: Whether a draft is pending.
        revision: What the draft must still be at when it is saved.
        digest: What the definition must still be.
        definition: The normal form that the chosen values go into.
    """

    tool_id: str
    tool_type: ToolType
    method: Method | None
    version: int
    is_draft: bool
    revision: int
    digest: str
    chosen: RiskTriple
    definition: Mapping[str, Any] = field(repr=False)

    @property
    def derived(self) -> RiskTriple | None:
        """What the method alone says; None where nothing is derived."""
        return None if self.method is None else derive_risk(self.method)


async def risk_state(host: Host, tool_id: str) -> RiskState:
    """Give the risk of the pending draft, else of the published version.

    Raises:
        NotFoundError: No such tool.
    """
    detail = await host.studio.get(tool_id)
    wire = detail.shown.definition
    request = wire["spec"].get("request")
    return RiskState(
        tool_id=tool_id,
        tool_type=detail.tool.type,
        method=None if request is None else request["method"],
        version=detail.shown.version,
        is_draft=detail.tool.is_pending,
        revision=detail.tool.draft_revision,
        digest=detail.shown.digest,
        chosen=RiskTriple(wire["risk"], wire["effect"], wire["idempotency"]),
        definition=wire,
    )


async def save_risk(host: Host, opened: RiskState, chosen: RiskTriple) -> RiskState:
    """Write the chosen values to the draft; a published tool gets one by it.

    Raises:
        ConflictError: The tool is not what the form was opened on.
        InvalidInputError: The values break a rule.
        NotFoundError: The tool is gone.
    """
    now = await risk_state(host, opened.tool_id)
    # the revision does not move when a draft is discarded or published
    if (now.revision, now.digest) != (opened.revision, opened.digest):
        raise ConflictError(
            f"{opened.tool_id} changed since this form was opened",
            path="expectedRevision",
            hint="load it again and save once more",
        )
    definition = {**opened.definition, **chosen._asdict()}
    await host.studio.save_draft(definition, expected_revision=opened.revision)
    return await risk_state(host, opened.tool_id)


def problems_of(state: RiskState, triple: RiskTriple) -> Iterator[Problem]:
    """Yield what speaks against a triple for this tool: the rules of the core."""
    if state.method is not None:
        yield from check_floor(triple.risk, state.method)
    if state.tool_type == "provider-vision":
        yield from check_fixed_risk(triple._asdict())
    yield from check_consistency(*triple)
