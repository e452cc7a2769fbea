"""Consent for what an agent wants to do: its word first, then the person's (ST-76)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sparknb.core.asking import subject
from sparknb.core.definitions import ToolDefinition
from sparknb.core.errors import DeniedError
from sparknb.core.problems import Problem
from sparknb.core.protocols import Action, ApprovalRequest, Approver, Decision
from sparknb.core.redaction import Redactor
from sparknb.host.approval import ask_about, question

__all__ = ["NOBODY", "ask_person", "require_flag"]


@dataclass(frozen=True, slots=True)
class _Nobody:
    """Stands where no door has lent a person."""

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Say that nobody can be asked."""
        reason = f"{subject(request)} needs a person's approval, and nobody is here"
        return Decision(outcome="unavailable", reason=reason)


NOBODY: Approver = _Nobody()


def require_flag(flag: str, given: Mapping[str, Any], doing: str) -> None:
    """Let only JSON `true` pass; a text or a number is nobody's word.

    Raises:
        DeniedError: It is anything else, or absent.
    """
    if given.get(flag) is True:
        return
    message = f"{doing} needs the user's explicit consent"
    hint = f"tell the user what would happen; if they agree, set {flag} to true"
    problem = Problem(code="DENIED", message=message, path=flag, hint=hint)
    raise DeniedError(message, path=flag, hint=hint, problems=[problem])


async def ask_person(
    approver: Approver,
    action: Action,
    definition: ToolDefinition,
    version: int | None,
    redactor: Redactor,
) -> None:
    """Ask about a step in a tool's life.

    Raises:
        DeniedError: The person said no, or did not answer in time.
        ApprovalUnavailableError: Nobody can be asked.
    """
    await ask_about(approver, question(definition, version, action, redactor))
