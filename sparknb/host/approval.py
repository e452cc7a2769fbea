"""Asking a person before a call changes anything (ST-63)."""

import asyncio
import logging
from dataclasses import dataclass

from sparknb.core.errors import ApprovalUnavailableError, DeniedError
from sparknb.core.protocols import ApprovalRequest, Approver, Decision

__all__ = ["ANSWER_SECONDS", "FlagApprover", "ask"]

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
    subject = f"{request.tool_id} ({request.risk})"
    if approver is None:
        raise _nobody(subject, None)
    try:
        async with asyncio.timeout(seconds):
            decision = await approver.decide(request)
    except TimeoutError:
        raise DeniedError(
            f"nobody answered for {subject} within {seconds:g} s",
            hint="call again and answer the question",
        ) from None
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        # Nobody stopped the call: the approver waited for something that was.
        raise _broken(subject, "CancelledError") from None
    except Exception as error:  # noqa: BLE001  # whatever an approver does, it allows nothing
        raise _broken(subject, type(error).__name__) from None
    if not isinstance(decision, Decision):
        raise _broken(subject, f"{type(decision).__name__} is no Decision")
    if decision.outcome == "unavailable":
        raise _nobody(subject, decision.reason)
    if decision.outcome != "allow":
        raise DeniedError(decision.reason or f"the call of {subject} was not approved")
    return decision


def _broken(subject: str, why: str) -> DeniedError:
    _log.warning("the approver failed: %s", why)
    return DeniedError(f"the question for {subject} could not be asked ({why})")


def _nobody(subject: str, reason: str | None) -> ApprovalUnavailableError:
    if reason is None:  # no door at all: a command without a terminal, a script
        return ApprovalUnavailableError(
            f"{subject} needs a person's approval and nobody can be asked here",
            hint="call it where a person can answer, or give the answer with --yes",
        )
    # A model reads this: it gets no advice on how to do without the person.
    return ApprovalUnavailableError(
        reason, hint="use a client that can ask its person, or ask them to call it"
    )
