"""Asking a person before a call changes anything (ST-63)."""

import asyncio
import logging
import secrets as randomness
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sparknb.core.asking import facts, subject
from sparknb.core.definitions import (
    Body,
    CodeSpec,
    FormBody,
    HttpSpec,
    ToolDefinition,
)
from sparknb.core.errors import ApprovalUnavailableError, DeniedError
from sparknb.core.protocols import (
    Action,
    ApprovalRequest,
    Approver,
    Decision,
    Preview,
)
from sparknb.core.redaction import Redactor
from sparknb.core.templates.url import with_real_host

__all__ = [
    "ANSWER_SECONDS",
    "FlagApprover",
    "ask",
    "ask_about",
    "outline",
    "question",
]

ANSWER_SECONDS = 120.0
_log = logging.getLogger("sparknb.host")


@dataclass(frozen=True, slots=True)
class FlagApprover:
    """The person's answer given beforehand: `--yes` on a command."""

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Allow the call; the trace says that a flag did."""
        del request
        return Decision(outcome="allow", kind="flag")


async def ask(
    approver: Approver | None,
    request: ApprovalRequest,
    *,
    seconds: float = ANSWER_SECONDS,
) -> Decision:
    """Give the allowing decision.

    Raises:
        DeniedError: The person said no, did not answer in time, or asking failed.
        ApprovalUnavailableError: Nobody can be asked.
    """
    said = subject(request)
    if approver is None:
        raise _nobody(said, None)
    try:
        async with asyncio.timeout(seconds):
            decision = await approver.decide(request)
    except TimeoutError:
        raise DeniedError(
            f"nobody answered for {said} within {seconds:g} s",
            hint="call again and answer the question",
        ) from None
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        # Nobody stopped the call: the approver waited for something that was.
        raise _broken(said, "CancelledError") from None
    except Exception as error:  # noqa: BLE001  # whatever an approver does, it allows nothing
        raise _broken(said, type(error).__name__) from None
    if not isinstance(decision, Decision):
        raise _broken(said, f"{type(decision).__name__} is no Decision")
    if decision.outcome == "unavailable":
        raise _nobody(said, decision.reason)
    if decision.outcome != "allow":
        what = f"the call of {said}" if request.action == "call" else said
        raise DeniedError(decision.reason or f"{what} was not approved")
    return decision


async def ask_about(approver: Approver | None, request: ApprovalRequest) -> Decision:
    """Ask about something whose arguments nobody can edit; raises as `ask`."""
    decision = await ask(approver, request)
    edited = decision.arguments
    if edited is not None and dict(edited) != dict(request.arguments):
        raise DeniedError(f"{subject(request)}: nothing can be edited here")
    return decision


def question(
    definition: ToolDefinition,
    version: int | None,
    action: Action,
    redactor: Redactor,
    *,
    preview: Preview | None = None,
    arguments: Mapping[str, Any] | None = None,
    call_id: str | None = None,
) -> ApprovalRequest:
    """Give what a person is asked about a tool; no secret shows in it.

    Args:
        definition: The tool.
        version: None for a definition that is not stored.
        action: What would happen.
        redactor: Hides the secrets of the tool.
        preview: What would be sent; None for the outline of the tool.
        arguments: Of the call, or what else describes the step.
        call_id: Of the call; None for an id of its own.
    """
    shown = outline(definition) if preview is None else preview
    return ApprovalRequest(
        call_id=randomness.token_hex(16) if call_id is None else call_id,
        tool_id=definition.id,
        title=redactor.text(definition.title),
        version=version,
        risk=definition.risk,
        effect=definition.effect,
        idempotency=definition.idempotency,
        arguments=redactor.value(dict(arguments or {})),
        preview=replace(
            shown,
            url=shown.url and redactor.text(shown.url),
            body=shown.body and redactor.text(shown.body),
            facts=[(name, redactor.text(value)) for name, value in shown.facts],
        ),
        action=action,
    )


def outline(definition: ToolDefinition) -> Preview:
    """Give what a tool does, whatever the arguments, for a person to read."""
    spec = definition.spec
    if isinstance(spec, CodeSpec):
        return Preview.showing(
            spec.source, dependencies=spec.tool_ids, facts=facts(definition.wire)
        )
    if not isinstance(spec, HttpSpec):
        return Preview(facts=facts(definition.wire))
    request = spec.request
    return Preview.showing(
        None if request.body is None else _template(request.body),
        method=request.method,
        url=with_real_host(request.url_template),
    )


def _template(body: Body) -> str:
    if isinstance(body, FormBody):
        return "\n".join(f"{f.name}={f.value_template}" for f in body.fields)
    return body.template


def _broken(what: str, why: str) -> DeniedError:
    _log.warning("the approver failed: %s", why)
    return DeniedError(f"the question for {what} could not be asked ({why})")


def _nobody(what: str, reason: str | None) -> ApprovalUnavailableError:
    if reason is None:  # no door at all: a command without a terminal, a script
        return ApprovalUnavailableError(
            f"{what} needs a person's approval and nobody can be asked here",
            hint="call it where a person is; commands take --yes, Python an approver",
        )
    # A model reads this: it gets no advice on how to do without the person.
    return ApprovalUnavailableError(
        reason, hint="use a client that can ask its person, or ask them to do it"
    )
