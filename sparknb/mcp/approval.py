"""Asking the person at the other end of an MCP connection (ST-64).

The protocol has two ways, and clients of both are in use. Until 2025 the server
sends a request of its own (`elicitation/create`) while the call is open. Since
2026 servers send no requests: the call ends with `input_required`, and the client
calls again with the answer. `OpenQuestion` bridges that gap: the call itself goes
on waiting inside the host, with the request that the person is asked about.
"""

import asyncio
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND
from pydantic import ValidationError

from sparknb.core.asking import subject
from sparknb.core.protocols import ApprovalRequest, Decision
from sparknb.mcp import card

__all__ = ["ElicitationApprover", "NoElicitation", "OpenQuestion", "can_ask"]


def can_ask(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client shows forms; an empty capability means it does."""
    capabilities = ctx.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    if elicitation is None:
        return False
    return elicitation.form is not None or elicitation.url is None


class NoElicitation:
    """The approver of a client that cannot show a question."""

    def __init__(self, reason: str | None = None) -> None:
        self._reason = reason

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Say at once that nobody can be asked."""
        reason = self._reason or (
            f"{subject(request)} needs a person's approval, "
            "and this MCP client cannot show questions (elicitation)"
        )
        return Decision(outcome="unavailable", reason=reason)


class ElicitationApprover:
    """Asks with a request of the server's own, inside the open call."""

    def __init__(self, ctx: ServerRequestContext[Any, Any]) -> None:
        self._ctx = ctx

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Show the form and wait for the answer."""
        try:
            answer = await self._ctx.session.elicit_form(
                card.message(request), card.schema(request), self._ctx.request_id
            )
        except MCPError as error:
            reason = f"the MCP client did not show the question (code {error.code})"
            if error.code == METHOD_NOT_FOUND:
                return Decision(outcome="unavailable", reason=reason)
            return Decision(outcome="reject", reason=reason)
        except ValidationError:
            reason = "the MCP client's answer to the question was not one"
            return Decision(outcome="reject", reason=reason)
        return card.decision(answer.action, answer.content)


class OpenQuestion:
    """Waits for an answer that comes with a later request of the client."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.asked: asyncio.Future[ApprovalRequest] = loop.create_future()
        self._answer: asyncio.Future[Decision] = loop.create_future()

    async def decide(self, request: ApprovalRequest) -> Decision:
        """Put the question and wait; a second one would get the first one's answer."""
        if self.asked.done():
            reason = "a call can ask only once"
            return Decision(outcome="reject", reason=reason)
        self.asked.set_result(request)
        return await self._answer

    def answer(self, decision: Decision) -> None:
        """Give the person's answer; does nothing when nobody waits any more."""
        if not self._answer.done():
            self._answer.set_result(decision)
